"""The colours of the window, light and dark, and what makes a whole application wear them.

Widgets ask for :func:`current` whenever they paint. What is not painted by hand
is styled by :func:`apply_theme`; a widget says what it is by a dynamic property, set by
:func:`styled` before it is shown (or followed by :func:`restyle`):

=================  ==================================================================
property           meaning
=================  ==================================================================
``primary=True``   the one button that matters most
``chip=True``      a rounded filter button; ``kind="op-type"`` gives it that colour
``flat=True``      a tool button without frame until the mouse is over it
``pill=True``      a small rounded label such as "× 61"
``dim=True``       a label of secondary words
``small=True``     a label or field title in the smaller size
``heading=True``   a label in bold
``large=True``     a label in the size of a title
``code=True``      text in the font of code
``error=True``     a label or line edit that reports trouble
``panel=True``     a bar (tool bar, header, status) on the panel colour
``sheet=True``     a surface on the background colour
=================  ==================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QApplication, QWidget

from opdiff.compare import Kind
from opdiff.report.signs import COLOURS, SIGNS
from opdiff.ui.look.fonts import ui_font

W = TypeVar("W", bound=QWidget)

LEAST_CONTRAST = 4.5
"""Of words and what they stand on."""
ANCHOR_SIGN = "⚓"
PIN_SIGN = "◆"
NOTE_SIGN = "✎"
SWALLOWED_SIGN = "≡"


@dataclass(frozen=True, slots=True)
class Theme:
    """All colours of one appearance."""

    name: str
    background: QColor
    panel: QColor
    text: QColor
    dim: QColor
    faint: QColor
    """Text of what cannot be used now."""
    outside: QColor
    """Text of what lies outside the compared range: paler, and still to be read."""
    line: QColor
    """Borders and the hairlines between equal rows."""
    hover: QColor
    selection: QColor
    """Behind the selected item of a list."""
    row_selection: QColor
    """Laid over a selected row of a pane, so that its tint stays visible."""
    accent: QColor
    on_accent: QColor
    hatch: QColor
    fold: QColor
    error: QColor
    chip: QColor
    tint_share: float
    """How much of a kind's colour its rows take on."""

    @property
    def dark(self) -> bool:
        """Whether text is light on dark."""
        return self.name == "dark"

    def full(self, kind: Kind) -> QColor:
        """The full colour of a kind: for edges and links."""
        return QColor(COLOURS[kind])

    def ink(self, kind: Kind) -> QColor:
        """The colour of a kind for signs and words: apart enough from its tint to be read."""
        return QColor(_readable(COLOURS[kind], self.tint(kind).name(), self.text.name()))

    def tint(self, kind: Kind) -> QColor:
        """The pale colour behind a row of a kind."""
        return blend(self.full(kind), self.background, self.tint_share)

    @property
    def anchor_tint(self) -> QColor:
        """The pale colour behind an anchored or pinned row."""
        return blend(self.accent, self.background, self.tint_share)


def blend(over: QColor, under: QColor, share: float) -> QColor:
    """The opaque colour of *share* of one colour over another."""
    rest = 1.0 - share
    return QColor(
        round(over.red() * share + under.red() * rest),
        round(over.green() * share + under.green() * rest),
        round(over.blue() * share + under.blue() * rest),
    )


def draw_box(
    painter: QPainter,
    rect: QRect | QRectF,
    radius: float,
    fill: QColor | None = None,
    edge: QColor | None = None,
    width: float = 1.0,
) -> None:
    """A box with round corners: filled, with an edge, or both."""
    painter.setPen(Qt.PenStyle.NoPen if edge is None else QPen(edge, width))
    painter.setBrush(Qt.BrushStyle.NoBrush if fill is None else fill)
    painter.drawRoundedRect(rect, radius, radius)


def contrast(one: QColor, other: QColor) -> float:
    """How far apart two colours are in lightness, from 1 to 21, as WCAG counts."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: QColor) -> float:
    parts = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@lru_cache
def _readable(colour: str, ground: str, text: str) -> str:
    """The colour, as near to that of the *text* as it must be to be read on the *ground*."""
    for percent in range(0, 101, 4):
        found = blend(QColor(text), QColor(colour), percent / 100)
        if contrast(found, QColor(ground)) >= LEAST_CONTRAST:
            return found.name()
    return text


_COLOURS = {
    "background": ("#ffffff", "#15181d"),
    "panel": ("#f6f7f9", "#1c2027"),
    "text": ("#14171a", "#e6e9ed"),
    "dim": ("#5b646f", "#aab2bd"),
    "faint": ("#a3aab3", "#5b636e"),
    "outside": ("#6e7782", "#7b8490"),
    "line": ("#e3e6ea", "#2b313a"),
    "hover": ("#f1f4f8", "#20252d"),
    "selection": ("#e8f0fe", "#1d2f4f"),
    "row_selection": ("#1a1f3c6e", "#268caae6"),
    "accent": ("#1f6feb", "#4c8dff"),
    "on_accent": ("#ffffff", "#0b0e12"),
    "hatch": ("#e3e6ea", "#2b313a"),
    "fold": ("#fafbfc", "#181b21"),
    "error": ("#b3261e", "#ff8a80"),
    "chip": ("#eceef1", "#272c35"),
}
"""Of each role, light and dark."""


def _theme(name: str, which: int, tint_share: float) -> Theme:
    colours = {role: QColor(both[which]) for role, both in _COLOURS.items()}
    return Theme(name=name, tint_share=tint_share, **colours)


LIGHT, DARK = _theme("light", 0, 0.18), _theme("dark", 1, 0.22)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}

_current: list[Theme] = [LIGHT]


def current() -> Theme:
    """The theme that was applied last."""
    return _current[0]


def sign_of(kind: Kind) -> str:
    """The sign that stands for a kind, so that colour never stands alone."""
    return SIGNS[kind]


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Dress the whole application: style, font, palette and style sheet."""
    undress(app, theme)
    dress(app)


def undress(app: QApplication, theme: Theme) -> None:
    """The first half of it: all but the style sheet. Each half goes through every widget there is.

    Without this Qt compares the old rules of every widget with the new ones, which takes three
    times as long.
    """
    from opdiff.ui.look.stylesheet import stylesheet

    _current[0] = theme
    if app.styleSheet() == stylesheet(theme) and app.font() == ui_font():
        return
    app.setStyleSheet("")
    _forget_style_sheet(app)
    if app.style().name() != "fusion":
        app.setStyle("Fusion")
    if app.font() != ui_font():
        app.setFont(ui_font())
    app.setPalette(_palette(theme))


def _forget_style_sheet(app: QApplication) -> None:
    """Let Qt connect every widget with the next style sheet.

    While it takes a sheet away, widgets that it is done with are asked for their size or look again
    by others, which marks them as connected with a sheet that is gone. The next one would not
    learn of their end, and go through them when it changes.
    """
    for widget in app.allWidgets():
        widget.setAttribute(Qt.WidgetAttribute.WA_StyleSheet, False)


def dress(app: QApplication) -> None:
    """The second half: the style sheet of the present theme."""
    from opdiff.ui.look.stylesheet import stylesheet

    sheet = stylesheet(current())
    if app.styleSheet() != sheet:
        app.setStyleSheet(sheet)


def styled(widget: W, *looks: str, name: str = "", filled: bool = False) -> W:
    """A widget with the properties that say what it is, and its object name.

    A bare ``QWidget`` of a class of its own has to be *filled* for its background to be seen.
    """
    for look in looks:
        widget.setProperty(look, True)
    if name:
        widget.setObjectName(name)
    if filled:
        widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return widget


def restyle(widget: QWidget) -> None:
    """Make a changed dynamic property of a widget that is already shown take effect."""
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, colour in (
        (role.Window, theme.panel),
        (role.WindowText, theme.text),
        (role.Base, theme.background),
        (role.AlternateBase, theme.fold),
        (role.Text, theme.text),
        (role.Button, theme.background),
        (role.ButtonText, theme.text),
        (role.Highlight, theme.accent),
        (role.HighlightedText, theme.on_accent),
        (role.ToolTipBase, theme.background),
        (role.ToolTipText, theme.text),
        (role.PlaceholderText, theme.dim),
        (role.Link, theme.accent),
        (role.LinkVisited, theme.accent),
        (role.Mid, theme.line),
        (role.Light, theme.background),
        (role.Dark, theme.dim),
    ):
        palette.setColor(which, colour)
    disabled = QPalette.ColorGroup.Disabled
    for which in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(disabled, which, theme.faint)
    palette.setColor(disabled, role.Highlight, theme.line)
    return palette
