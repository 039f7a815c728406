"""The mistakes: what sort each is, and where it shows first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

NET = Path(__file__).with_name("net.py")

SORTS = {
    "scalar": """norm_eps norm_power norm_axis rope_base scores_scale mask_shift mask_number
        softmax_axis gelu_tanh residual_scale label_smoothing learning_rate""",
    "wiring": """key_of_query value_of_key query_for_key rotate_sign residual_of_norm
        targets_not_shifted""",
    "missing": """norm_without_gain key_not_rotated scores_not_scaled no_mask no_activation
        no_residual second_norm_left_out last_norm_left_out""",
    "weight": "gain_other query_other key_other value_other merge_bias widen_other embedding_other",
}


@dataclass(frozen=True, slots=True)
class Tampering:
    """A kernel that computes something else: the n-th op of a name, from 0."""

    op: str
    turn: int
    how: str
    """``scale``: a thousandth more; ``row``: one row is 0; ``round``: as if in half precision."""


TAMPERINGS = {
    "mm_scaled": Tampering("aten::mm", 5, "scale"),
    "bmm_rounded": Tampering("aten::bmm", 2, "round"),
    "softmax_row": Tampering("aten::_softmax", 1, "row"),
    "gelu_scaled": Tampering("aten::gelu", 1, "scale"),
    "rsqrt_rounded": Tampering("aten::rsqrt", 3, "round"),
    "copy_row": Tampering("aten::clone", 4, "row"),
    "softmax_backward_scaled": Tampering("aten::_softmax_backward_data", 1, "scale"),
    "gelu_backward_row": Tampering("aten::gelu_backward", 1, "row"),
    "mm_backward_scaled": Tampering("aten::mm", 30, "scale"),
    "sum_rounded": Tampering("aten::sum", 6, "round"),
}
"""Compiled runs have other ops: those of backward are tampered with in eager ones only."""

BY_SORT = {sort: names.split() for sort, names in SORTS.items()} | {"kernel": list(TAMPERINGS)}
SORT_OF = {name: sort for sort, names in BY_SORT.items() for name in names}
_MARK = re.compile(r"@(@?\w+)")


def called_from(name: str) -> list[int]:
    """The lines of the network whose calls, with all within them, a mistake leaves out."""
    return _marked(f"@{name}")


def lines_of(name: str) -> list[int]:
    """The lines of the network on which a mistake shows first; none for tampered kernels."""
    found = _marked(name)
    if not found and name not in TAMPERINGS:
        raise ValueError(f"no line is marked with @{name}")
    return found


def _marked(mark: str) -> list[int]:
    lines = NET.read_text(encoding="utf-8").splitlines()
    return [
        number
        for number, line in enumerate(lines, 1)
        if mark in _MARK.findall(line.partition("  # ")[2])
    ]
