"""Theme, language and size of the text: chosen by the user, following the system where not."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from opdiff.ui.look import theme
from opdiff.ui.look.fonts import set_text_scale
from opdiff.ui.main_thread import next_turn
from opdiff.ui.settings import Settings
from opdiff.ui.translations import LANGUAGE_CHOICES, install_language

SMALLEST_ZOOM, LARGEST_ZOOM = -4, 10
ZOOM_STEP = 1.1
SYSTEM = "system"
THEME_CHOICES = (SYSTEM, *theme.THEMES)


class Appearance(QObject):
    """Signals: ``zoomed()`` when text has another size, ``dressed()`` once all widgets follow."""

    zoomed = Signal()
    dressed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._app = app
        self.theme_choice = _one_of(THEME_CHOICES, settings.text("theme", SYSTEM))
        """``system``, ``light`` or ``dark``."""
        self.zoom = settings.number("zoom", 0)
        """How many steps the text is larger than normal."""
        set_text_scale(ZOOM_STEP**self.zoom)
        install_language(app, _one_of(LANGUAGE_CHOICES, settings.text("language", SYSTEM)))
        theme.apply_theme(app, self._wanted())
        app.styleHints().colorSchemeChanged.connect(self._system_changed)

    def override(self, language: str | None, theme_choice: str | None) -> None:
        """What the command line asks for holds for this time only."""
        if language is not None:
            install_language(self._app, language)
        if theme_choice is not None:
            self.theme_choice = theme_choice
            theme.apply_theme(self._app, self._wanted())

    def choose_theme(self, choice: str) -> None:
        """Wear a theme, or the system's."""
        self.theme_choice = choice
        self._settings.put("theme", choice)
        self._change()

    def choose_language(self, choice: str) -> None:
        """Speak ``en``, ``zh`` or the system's language."""
        self._settings.put("language", choice)
        install_language(self._app, choice)

    def choose_zoom(self, step: int) -> None:
        """Make the text so many steps larger than normal."""
        self.zoom = max(SMALLEST_ZOOM, min(LARGEST_ZOOM, step))
        self._settings.put("zoom", self.zoom)
        set_text_scale(ZOOM_STEP**self.zoom)
        self.zoomed.emit()
        # Going through every widget takes a moment: the panes are larger at once, this follows.
        next_turn(self, self._change)

    def _change(self) -> None:
        """Dress anew in two turns; nobody sees the windows in between."""
        windows = [each for each in self._app.topLevelWidgets() if each.updatesEnabled()]
        for window in windows:
            window.setUpdatesEnabled(False)
        theme.undress(self._app, self._wanted())
        next_turn(self, lambda: self._dress(windows))

    def _dress(self, windows: list[QWidget]) -> None:
        theme.dress(self._app)
        self.dressed.emit()
        for window in filter(isValid, windows):
            window.setUpdatesEnabled(True)
            # A whole window that was to be painted just before would never be again: Qt drops that
            # request meanwhile, and until it is answered it makes no other one.
            next_turn(window, partial(_ask_to_paint, window))

    def _wanted(self) -> theme.Theme:
        if self.theme_choice in theme.THEMES:
            return theme.THEMES[self.theme_choice]
        dark = self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return theme.DARK if dark else theme.LIGHT

    def _system_changed(self) -> None:
        if self.theme_choice == SYSTEM:
            self._change()


def _one_of(choices: tuple[str, ...], choice: str) -> str:
    """What was chosen, or the system's where settings hold something else."""
    return choice if choice in choices else SYSTEM


def _ask_to_paint(window: QWidget) -> None:
    QCoreApplication.postEvent(window, QEvent(QEvent.Type.UpdateRequest))
