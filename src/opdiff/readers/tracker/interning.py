"""Distinct lines and names of a trace, each taken apart once, when first seen.

A million ops hold a few thousand distinct second and third lines. The dictionaries here are
looked up at C speed (``map(table.__getitem__, lines)``); what does not fit the grammar is
``MISFIT`` and never stored, so that junk costs no memory.
"""

from __future__ import annotations

import re

import numpy as np

from opdiff.readers.tracker.grammar import (
    STACK_MARK,
    TASK_MARK,
    TooLargeError,
    parse_attrs,
    parse_spec,
    parse_spec_line,
    parse_stack,
    printable,
)
from opdiff.trace import Frame, TensorSpec
from opdiff.trace.columns import Attrs, Interner, Ints, Longs
from opdiff.trace.stacks import LazyStacks, is_no_stack

MISFIT = -1
NO_STACK = 0


class NameKeys(dict[bytes, int]):
    """``) = Name(`` → index of the name: the text between the two lists of ids."""

    def __init__(self) -> None:
        super().__init__()
        self.names: Interner[str] = Interner()

    def __missing__(self, key: bytes) -> int:
        if not (key.startswith(b") = ") and key.endswith(b"(") and len(key) > 5):
            return MISFIT
        index = self[key] = self.names(printable(key[4:-1]))
        return index


class AttrKeys(dict[bytes, int]):
    """``, attrs {…} `` → index of the attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.attrs: Interner[Attrs] = Interner()

    def __missing__(self, key: bytes) -> int:
        if not (key.startswith(b", attrs {") and key.endswith(b"} ")) or TASK_MARK in key:
            return MISFIT  # a second mark: what was taken for the name's end lies within the name
        index = self[key] = self.attrs(parse_attrs(key[9:-2]))
        return index


class SpecLines(dict[bytes, int]):
    """Second line → index of a list of specs; outputs first, as the ids of the first line."""

    def __init__(self) -> None:
        super().__init__()
        self.specs: Interner[TensorSpec] = Interner()
        self._spec_of_text: dict[bytes, int] = {}
        self._lists: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        self.outputs: list[int] = []
        self.counts: list[int] = []
        self._start: list[int] = []
        self._sizes: tuple[Longs, Longs] = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._flat: list[int] = []

    def __missing__(self, line: bytes) -> int:
        parsed = parse_spec_line(line)
        if parsed is None:
            return MISFIT
        try:
            outputs, inputs = (tuple(map(self._spec, texts)) for texts in parsed)
        except TooLargeError:
            return MISFIT
        index = self[line] = self.index_of(outputs, inputs)
        return index

    def _spec(self, text: bytes) -> int:
        index = self._spec_of_text.get(text)
        if index is None:
            index = self._spec_of_text[text] = self.specs(parse_spec(text))
        return index

    def index_of(self, outputs: tuple[int, ...], inputs: tuple[int, ...]) -> int:
        """The index of the list of these specs."""
        key = (outputs, inputs)
        index = self._lists.get(key)
        if index is None:
            index = self._lists[key] = len(self.outputs)
            self._start.append(len(self._flat))
            self.outputs.append(len(outputs))
            self.counts.append(len(outputs) + len(inputs))
            self._flat += outputs + inputs
        return index

    def shortened(self, index: int, outputs: int, inputs: int) -> int:
        """The list that keeps only so many of the outputs and inputs of another one."""
        start = self._start[index]
        written = self._flat[start : start + self.outputs[index]]
        read = self._flat[start + len(written) : start + self.counts[index]]
        return self.index_of(tuple(written[:outputs]), tuple(read[:inputs]))

    def sizes(self) -> tuple[Longs, Longs]:
        """Of each list, how many outputs it has, and how many specs in all."""
        if len(self._sizes[0]) < len(self.outputs):
            self._sizes = np.array(self.outputs, np.int64), np.array(self.counts, np.int64)
        return self._sizes

    def flat(self) -> Ints:
        """The specs of all lists, one list after the other."""
        return np.array(self._flat, np.int32)


class StackLines(dict[bytes, int]):
    """Third line (its continuations included) → index of the stack; 0 where there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.stacks = PrintedStacks()
        self[STACK_MARK] = NO_STACK
        self._cut: set[bytes] = set()
        """Those stored of which something is left over."""

    def __missing__(self, line: bytes) -> int:
        whole = _PLAIN_STACK.fullmatch(line) or (
            line.startswith(STACK_MARK) and parse_stack(_text(line)).complete
        )
        return self.add(line) if whole else MISFIT

    def is_complete(self, line: bytes) -> bool:
        """Whether all of a third line is frames; one that was seen before is not read again."""
        return line not in self._cut if line in self else parse_stack(_text(line)).complete

    def add_cut(self, line: bytes) -> int:
        """Store a third line with text that is no frame."""
        self._cut.add(line)
        return self.add(line)

    def add(self, line: bytes) -> int:
        """Store a third line."""
        if b"/traceback.py;" in line[-_LONGEST_NO_STACK:] and is_no_stack(_frames(line)):
            index = self[line] = NO_STACK
        else:
            index = self[line] = self.stacks.add(line)
        return index


_PLAIN_STACK = re.compile(rb"    # (?:File:[^;|]+;Line:[0-9]{1,18};Function:[^;|]+\|)+")
_LONGEST_NO_STACK = 80
"""The end of a third line that is only the frame that extracted it lies within so many bytes."""


def _frames(line: bytes) -> tuple[Frame, ...]:
    return parse_stack(_text(line)).frames


def _text(line: bytes) -> str:
    return printable(line[len(STACK_MARK) :])


class PrintedStacks(LazyStacks):
    """Third lines, taken apart when someone looks."""

    def __init__(self) -> None:
        self._raw: list[bytes] = [STACK_MARK]
        self._parsed: dict[int, tuple[Frame, ...]] = {NO_STACK: ()}

    def add(self, line: bytes) -> int:
        """Store a third line and return its index."""
        self._raw.append(line)
        return len(self._raw) - 1

    def __len__(self) -> int:
        return len(self._raw)

    def at(self, place: int) -> tuple[Frame, ...]:
        """One of them, which is kept."""
        frames = self._parsed.get(place)
        if frames is None:
            frames = self._parsed[place] = _frames(self._raw[place])
        return frames
