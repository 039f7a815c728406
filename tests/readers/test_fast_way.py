"""The parts of the fast way, against the plain way of doing the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tracker_text import codes, frames, read, record

from opdiff.readers.tracker.interning import MISFIT
from opdiff.readers.tracker.recognition import (
    MOST_DIGITS,
    Recogniser,
    TextSpans,
    read_decimals,
    side_by_side,
)

MARGIN = bytes(128)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 10**MOST_DIGITS - 1), max_size=20), st.sampled_from(list(b") ,x")))
def test_decimals_are_read_as_int_reads_them(numbers: list[int], after: int) -> None:
    text, places = b"", []
    for number in numbers:
        places.append(len(text))
        text += str(number).encode() + bytes([after])
    values, digits = read_decimals(text + bytes(40), np.array(places, np.int64))
    assert values.tolist() == numbers
    assert digits.tolist() == [len(str(number)) for number in numbers]


def test_what_is_no_number_has_no_digits_and_long_ones_too_many() -> None:
    text = b"x12" + b"7" * 30 + bytes(40)
    values, digits = read_decimals(text, np.array([0, 1, 3]))
    assert (int(digits[0]), int(values[0])) == (0, 0)
    assert digits[1] == digits[2] == MOST_DIGITS + 1


class Numbered(dict[bytes, int]):
    """Numbers texts in the order of their first sight; those with a ! are misfits."""

    def __missing__(self, text: bytes) -> int:
        if b"!" in text:
            return MISFIT
        self[text] = len(self)
        return self[text]


def stretch_of(lines: list[bytes]) -> TextSpans:
    text = MARGIN + b"".join(line + b"\n" for line in lines) + bytes(1024)
    ends = np.cumsum([len(line) + 1 for line in lines]) + len(MARGIN) - 1
    return TextSpans(text, ends - [len(line) for line in lines], ends)


# Few distinct characters in few places, so that fingerprints have a chance to fail.
TEXTS = st.one_of(
    st.text("ab", max_size=6),
    st.builds(
        lambda size, place, char: "a" * (place % size) + char + "a" * (size - place % size - 1),
        st.sampled_from([31, 33, 127, 128, 129, 300, 383, 384, 700, 1500]),
        st.integers(0, 1500),
        st.sampled_from("ab!"),
    ),
)


@settings(max_examples=100, deadline=None)
@example([["!" + 128 * "a", 129 * "a"]])  # the first of a fingerprint is no text of the grammar
@given(st.lists(st.lists(TEXTS, min_size=1, max_size=30), min_size=1, max_size=4))
def test_texts_are_told_apart_by_every_byte(batches: list[list[str]]) -> None:
    values = Numbered()
    recogniser = Recogniser(values, b"\n")
    for batch in batches:
        lines = [text.encode() for text in batch]
        found = recogniser.recognise(stretch_of(lines)).tolist()
        assert found == [MISFIT if b"!" in line else values[line] for line in lines]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("ab)(", max_size=90), min_size=1, max_size=9))
def test_lines_side_by_side_are_the_lines(texts: list[str]) -> None:
    lines = [text.encode() for text in texts]
    text, start, end = side_by_side(stretch_of(lines))
    places = zip(start.tolist(), end.tolist(), strict=True)
    assert [text[first:last] for first, last in places] == lines
    assert [text[last] for last in end.tolist()] == [ord("\n")] * len(lines)
    assert text.count(b"(") == sum(line.count(b"(") for line in lines)


def test_stacks_that_differ_in_one_digit_anywhere(tmp_path: Path) -> None:
    stacks = [
        frames(*((f"/home/user/some/folder/file_{n}.py", 100 + (n == odd), "f") for n in range(30)))
        for odd in range(30)
    ]
    trace = read(tmp_path, "".join(record(stack=stack) for stack in stacks * 3))
    assert codes(trace) == []
    assert len(set(trace.columns.stack.tolist())) == 30
    for row, op in enumerate(trace):
        assert [frame.line for frame in op.stack].index(101) == row % 30


def test_headers_of_very_different_lengths(tmp_path: Path) -> None:
    names = ["Add", "Default/" + "scope/" * 200 + "Mul-op1", "Sub"]
    trace = read(tmp_path, "".join(record(name, task=n) for n, name in enumerate(names * 50)))
    assert codes(trace) == []
    assert [op.name for op in trace] == names * 50
    assert trace.columns.task.tolist() == list(range(150))
