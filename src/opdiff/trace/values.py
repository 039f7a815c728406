"""The light values a trace hands out: made on demand, never stored by the million."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, NewType

from opdiff.wording import Sentence

Line = NewType("Line", int)
"""A 1-based line of the file."""

Row = NewType("Row", int)
"""A 0-based position in the order of execution."""


class TensorSpec(NamedTuple):
    """What one operand looks like: dtype, shape and, for a view, strides and offset in elements.

    Some files print strides and no offset: it is None then.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    offset: int | None = None

    @property
    def is_view(self) -> bool:
        """Whether the trace prints strides and offset for it."""
        return self.strides is not None

    @property
    def text(self) -> str:
        """Dtype and shape as people read them: ``BFloat16 [64, 2, 128]``."""
        return f"{self.dtype} [{', '.join(map(str, self.shape))}]"

    @property
    def layout_text(self) -> str:
        """Strides and offset as people read them: ``{256, 128, 1} +0``; empty if not a view."""
        if self.strides is None:
            return ""
        strides = f"{{{', '.join(map(str, self.strides))}}}"
        return strides if self.offset is None else f"{strides} +{self.offset}"

    def __str__(self) -> str:
        """The very text of the trace, its misspelling included."""
        text = f"{self.dtype}:[{', '.join(map(str, self.shape))}]"
        if self.strides is None:
            return text
        offset = "" if self.offset is None else f",offset={self.offset}"
        return f"{text}{{strdes=[{', '.join(map(str, self.strides))}]{offset}}}"


class Operand(NamedTuple):
    """One input or output: the id of the memory block that holds it, and its spec."""

    memory: int
    spec: TensorSpec

    def __str__(self) -> str:
        layout = self.spec.layout_text
        return f"%{self.memory} {self.spec.text}" + (f"  {layout}" if layout else "")


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a Python stack."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file.replace(chr(92), '/').rsplit('/', 1)[-1]}:{self.line} {self.function}"


class Op(NamedTuple):
    """One record of a trace, with everything that is known of it."""

    row: Row
    line: Line
    last_line: Line
    name: str
    type: str
    scope: str
    outputs: tuple[Operand, ...]
    inputs: tuple[Operand, ...]
    attrs: Mapping[str, str]
    stack: tuple[Frame, ...]
    task: int
    mode: str
    graph: str


class Problem(NamedTuple):
    """A stretch of a file that could not be read or had to be mended: nothing is lost silently."""

    line: Line
    last_line: Line
    sentence: Sentence
