"""How a row looks in each state: decided once per state and theme, not once per row and frame."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor

from opdiff.compare import Kind, State, kind_of
from opdiff.ui.panes.scene import SideScene
from opdiff.ui.theme import ANCHOR_SIGN, PIN_SIGN, SWALLOWED_SIGN, Theme, sign_of

NOISE_SIGN = "·"


@dataclass(frozen=True, slots=True)
class RowLook:
    """The colours and the sign of a row."""

    text: QColor
    dim: QColor
    line: QColor
    sign: str = ""
    ink: QColor | None = None
    tint: QColor | None = None
    edge: QColor | None = None
    bold: bool = False


class RowLooks:
    """The looks of one theme."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._known: dict[tuple[int, bool, bool, bool, bool], RowLook] = {}

    def of(self, scene: SideScene, row: int, swallowed_shown: bool) -> RowLook:
        """How a row of a side looks."""
        key = (
            int(scene.state[row]),
            bool(scene.greyed[row]),
            row == scene.anchor,
            row in scene.pins,
            swallowed_shown,
        )
        look = self._known.get(key)
        if look is None:
            look = self._known[key] = self._make(*key)
        return look

    def _make(
        self, state: int, greyed: bool, anchor: bool, pinned: bool, swallowed_shown: bool
    ) -> RowLook:
        theme, kind = self.theme, kind_of(state)
        if anchor:
            edge = theme.accent if kind is None or greyed else theme.full(kind)
            return RowLook(
                theme.text,
                theme.dim,
                theme.dim,
                ANCHOR_SIGN,
                theme.accent,
                theme.anchor_tint,
                edge,
                True,
            )
        line = theme.accent if pinned else theme.dim
        if kind is not None:
            return self._different(kind, greyed, line)
        if pinned:
            return RowLook(
                theme.text, theme.dim, line, PIN_SIGN, theme.accent, edge=theme.accent, bold=True
            )
        if state == State.OUTSIDE:
            return RowLook(theme.outside, theme.outside, theme.outside)
        if state == State.NOISE:
            return RowLook(theme.outside, theme.outside, theme.outside, NOISE_SIGN, theme.outside)
        if state == State.SWALLOWED and swallowed_shown:
            return RowLook(theme.dim, theme.dim, line, SWALLOWED_SIGN, theme.dim, edge=theme.line)
        return RowLook(theme.text, theme.dim, line)

    def _different(self, kind: Kind, greyed: bool, line: QColor) -> RowLook:
        theme, sign = self.theme, sign_of(kind)
        if greyed:
            return RowLook(theme.dim, theme.faint, line, sign, theme.faint, edge=theme.line)
        return RowLook(
            theme.text,
            theme.dim,
            line,
            sign,
            theme.ink(kind),
            theme.tint(kind),
            theme.full(kind),
            True,
        )
