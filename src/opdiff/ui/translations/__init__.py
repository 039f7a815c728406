"""The languages of the window: English is the source, Chinese a catalogue beside this file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

FOLDER = Path(__file__).parent
CHINESE = "zh"
ENGLISH = "en"
LANGUAGE_CHOICES = ("system", ENGLISH, CHINESE)

_installed: list[QTranslator] = []
_language = [ENGLISH]


def language() -> str:
    """The language spoken now, ``en`` or ``zh``: what sentences of the engine are said in."""
    return _language[0]


def system_language() -> str:
    """The language of the desktop, as far as the window speaks it."""
    wished = QLocale.system().uiLanguages()
    return CHINESE if wished and wished[0].lower().startswith("zh") else ENGLISH


def install_language(app: QCoreApplication, choice: str = "system") -> str:
    """Let the application speak ``en``, ``zh`` or the desktop's language; returns which it became.

    Every widget gets a ``LanguageChange`` event. Dialogs of Qt itself follow where Qt ships
    their translation.
    """
    if choice not in LANGUAGE_CHOICES:
        raise ValueError(f"no such language: {choice}")
    chosen = system_language() if choice == "system" else choice
    _language[0] = chosen
    for translator in _installed:
        app.removeTranslator(translator)
        translator.deleteLater()  # it belongs to the application, which would keep it for ever
    _installed.clear()
    if chosen == CHINESE:
        _install(app, "qtbase_zh_CN", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        _install(app, "opdiff_zh", str(FOLDER))
    return chosen


def _install(app: QCoreApplication, name: str, folder: str) -> None:
    translator = QTranslator(app)
    if translator.load(name, folder):
        app.installTranslator(translator)
        _installed.append(translator)
