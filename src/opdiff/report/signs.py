"""A sign and a colour for every kind: colour never stands alone."""

from __future__ import annotations

from opdiff.compare import Kind

_LOOKS = {
    Kind.OP_TYPE: ("≠", "#E69F00"),
    Kind.CONTIGUOUS: ("+", "#56B4E9"),
    Kind.LAYOUT_MISSING: ("▦", "#CC79A7"),
    Kind.LAYOUT: ("▦", "#CC79A7"),
    Kind.CPU_FALLBACK: ("⚠", "#D55E00"),
    Kind.DTYPE: ("Δ", "#F0E442"),
    Kind.SHAPE: ("Δ", "#F0E442"),
    Kind.OPERANDS: ("Δ", "#F0E442"),
    Kind.ATTRS: ("Δ", "#F0E442"),
    Kind.DATAFLOW: ("⤳", "#009E73"),
    Kind.MOVED: ("⇅", "#0072B2"),
    Kind.FUSED: ("⊃", "#009E73"),
    Kind.ONLY_LEFT: ("−", "#666C74"),
    Kind.ONLY_RIGHT: ("−", "#666C74"),
    Kind.VALUE: ("≉", "#D55E00"),
}
SIGNS = {kind: sign for kind, (sign, _) in _LOOKS.items()}
COLOURS = {kind: colour for kind, (_, colour) in _LOOKS.items()}
"""Okabe and Ito's colours: told apart by the colour-blind too."""
