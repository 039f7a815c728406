"""The fonts of the window: one for words, one for code, both with Chinese behind them."""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics, QTextLayout, QTextOption
from PySide6.QtWidgets import QWidget

BASE_PIXELS = 13
"""Size of ordinary text before zooming; Qt scales it with the screen."""

_NUMBER_PADDING = 20
_text_scale = [1.0]
_CHINESE = ("Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Source Han Sans SC")
_CODE = ("JetBrains Mono", "SF Mono", "Cascadia Mono", "Consolas", "DejaVu Sans Mono")


@cache
def _families() -> tuple[tuple[str, ...], tuple[str, ...]]:
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    known = set(QFontDatabase.families())
    chinese = tuple(name for name in _CHINESE if name in known)
    code = tuple(name for name in _CODE if name in known)
    return ("Inter", system, *chinese), (*code, fixed, *chinese)


def text_scale() -> float:
    """How much larger than normal the user wants all text."""
    return _text_scale[0]


def set_text_scale(scale: float) -> None:
    """Make whatever is painted or measured from now on so much larger than normal."""
    _text_scale[0] = scale


def ui_font(size: float = 1.0, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of words, *size* times that of ordinary text."""
    return _font(_families()[0], size, weight)


def bold() -> QFont:
    """The font of whatever view it is shown in, but bold."""
    font = QFont()
    font.setWeight(QFont.Weight.Bold)
    return font


def number_width(widget: QWidget, *texts: str) -> int:
    """How wide a column is that holds some texts, also where they are bold."""
    metrics = (widget.fontMetrics(), QFontMetrics(bold().resolve(widget.font())))
    widest = max(each.horizontalAdvance(text) for each in metrics for text in texts)
    return widest + _NUMBER_PADDING


def code_font(size: float = 1.0) -> QFont:
    """The font of shapes, ids and paths; a little smaller, as its letters look larger."""
    return _font(_families()[1], size * 0.94, QFont.Weight.Normal)


def _font(families: tuple[str, ...], size: float, weight: QFont.Weight) -> QFont:
    font = QFont()
    font.setFamilies(list(families))
    font.setPixelSize(max(6, round(BASE_PIXELS * text_scale() * size)))
    font.setWeight(weight)
    return font


def wrapped(
    text: str, font: QFont, width: int, *, first: int | None = None, most: int
) -> list[str]:
    """Text in lines of a width, the *first* of another; what is left goes to the last of *most*."""
    if QFontMetrics(font).horizontalAdvance(text) <= (width if first is None else first):
        return [text]
    units = text.encode("utf-16-le", "surrogatepass")  # as Qt counts
    layout = QTextLayout(text, font)
    option = layout.textOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    starts: list[int] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width if starts or first is None else first)
        starts.append(2 * line.textStart())
    layout.endLayout()
    ends = [*starts[1:most], len(units)]
    return [
        units[start:end].decode("utf-16-le", "surrogatepass").rstrip()
        for start, end in zip(starts, ends, strict=False)
    ]
