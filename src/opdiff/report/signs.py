"""A sign for every kind: colour never stands alone."""

from __future__ import annotations

from opdiff.compare import Kind

SIGNS: dict[Kind, str] = {
    Kind.OP_TYPE: "≠",
    Kind.CONTIGUOUS: "+",
    Kind.LAYOUT_MISSING: "▦",
    Kind.LAYOUT: "▦",
    Kind.CPU_FALLBACK: "⚠",
    Kind.DTYPE: "Δ",
    Kind.SHAPE: "Δ",
    Kind.OPERANDS: "Δ",
    Kind.ATTRS: "Δ",
    Kind.DATAFLOW: "⤳",
    Kind.MOVED: "⇅",
    Kind.FUSED: "⊃",
    Kind.ONLY_LEFT: "−",
    Kind.ONLY_RIGHT: "−",
    Kind.VALUE: "≉",
}

COLOURS: dict[Kind, str] = {
    Kind.OP_TYPE: "#E69F00",
    Kind.CONTIGUOUS: "#56B4E9",
    Kind.LAYOUT_MISSING: "#CC79A7",
    Kind.LAYOUT: "#CC79A7",
    Kind.CPU_FALLBACK: "#D55E00",
    Kind.DTYPE: "#F0E442",
    Kind.SHAPE: "#F0E442",
    Kind.OPERANDS: "#F0E442",
    Kind.ATTRS: "#F0E442",
    Kind.DATAFLOW: "#009E73",
    Kind.MOVED: "#0072B2",
    Kind.FUSED: "#009E73",
    Kind.ONLY_LEFT: "#666C74",
    Kind.ONLY_RIGHT: "#666C74",
    Kind.VALUE: "#D55E00",
}
"""Okabe and Ito's colours: told apart by the colour-blind too."""
