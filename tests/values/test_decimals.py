"""Numbers read thousands at once are those that Python reads one by one."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.values.decimals import MARGIN, numbers, whole_numbers

NUMBERS = st.one_of(
    st.floats(allow_nan=False).map(lambda number: f"{number:.9g}"),
    st.floats(width=32, allow_nan=False).map(lambda number: f"{number:.9g}"),
    st.floats().map(repr),
    st.floats(-1000, 1000).map(lambda number: f"{number:.3f}"),
    st.integers(-(10**12), 10**12).map(str),
    st.sampled_from(["", "0", "-0", "nan", "-inf", "1e400", "1e-400", "5.", "-.5", "+1", "1E5"]),
)
DAMAGED = st.one_of(
    st.text("0123456789.e+-_xE", max_size=18),
    st.sampled_from([".", "-", "1..2", "1.2.3", "--1", "e5", "1e", "1e+", "1_0", "0x10", "1e5e5"]),
)


def points(text: bytes, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Where the first point of each number is, its end where it has none."""
    found = [text.find(b".", *place) for place in zip(start, end, strict=True)]
    return np.where(np.array(found) < 0, end, found)


def placed(texts: list[str]) -> tuple[bytes, np.ndarray, np.ndarray]:
    """The texts with blanks between them, and where each begins and ends."""
    encoded = [text.encode() for text in texts]
    lengths = np.array([len(text) for text in encoded], np.int64)
    end = MARGIN + np.cumsum(lengths + 1) - 1
    return bytes(MARGIN) + b" ".join(encoded) + bytes(64), end - lengths, end


def read(text: str) -> float | None:
    """What a text says; None if it is no number."""
    if not text:
        return math.nan
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(NUMBERS, DAMAGED), min_size=1, max_size=40))
def test_numbers(texts: list[str]) -> None:
    text, start, end = placed(texts)
    found, good = numbers(text, start, end, points(text, start, end))
    for text, number, is_one in zip(texts, found.tolist(), good.tolist(), strict=True):
        expected = read(text)
        assert is_one == (expected is not None), text
        if expected is not None and not math.isnan(expected):
            # Beyond 10**22 powers of ten are not exact: the last bit may differ.
            assert number == expected or math.isclose(number, expected, rel_tol=5e-16), text
            assert math.copysign(1, number) == math.copysign(1, expected), text
        elif expected is not None:
            assert math.isnan(number), text


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 10**16 - 1).map(str) | DAMAGED, min_size=1, max_size=40))
def test_whole_numbers(texts: list[str]) -> None:
    found, plain = whole_numbers(*placed(texts))
    for text, number, is_one in zip(texts, found.tolist(), plain.tolist(), strict=True):
        assert is_one == (text.isdigit() and len(text) <= 16), text
        if is_one:
            assert number == int(text)
