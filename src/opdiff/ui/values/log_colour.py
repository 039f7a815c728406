"""Errors as colours: the larger by powers of ten, the stronger."""

from __future__ import annotations

import math

from PySide6.QtGui import QColor

from opdiff.compare import Kind
from opdiff.ui.look.theme import Theme, blend

LOWEST = 1e-9
"""Errors below this are drawn as this."""
_FAINTEST, _STRONGEST = 0.10, 0.62
_LEAST = 1e-7


def log_share(error: float, least: float = LOWEST) -> float:
    """Where an error lies between *least* (0) and 1 (1), by powers of ten."""
    return 1.0 - math.log10(min(max(error, least), 1.0)) / math.log10(least)


def colour_of(theme: Theme, error: float) -> QColor:
    """What an error over its floor is painted on."""
    share = _FAINTEST + (_STRONGEST - _FAINTEST) * log_share(error, _LEAST)
    return blend(theme.full(Kind.VALUE), theme.background, share)


def error_label(error: float) -> str:
    """An error in little room: ``3e-4``."""
    if error == 0.0:
        return "0"
    digits, _, power = f"{error:.0e}".partition("e")
    return f"{digits}e{int(power)}"
