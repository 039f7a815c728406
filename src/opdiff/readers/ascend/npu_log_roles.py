"""Which arguments of a kernel of aclnn are written: the log does not say it, so rules do.

In this order: what the user says; what is known of the op; ops in place; arguments with the names
of outputs; else the last tensor, which is a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from opdiff.readers.ascend.npu_log_text import Argument
from opdiff.trace.told import Kernel

KNOWN: Mapping[str, tuple[str, ...]] = {
    "IndexPutImpl": ("self",),
    "ApplyAdamW": ("var", "m", "v"),
    "ApplyAdamWV2": ("var", "m", "v"),
    "ApplyFusedEmaAdam": ("var", "m", "v", "s"),
    "ScatterUpdate": ("data", "self", "var"),
    "FillDiagonalTensor": ("self",),
}
"""Ops that write arguments which they also read, by the names of these arguments."""

_OUTPUT = re.compile(
    r"(?:out|result|output|outputs|y|dst|ret|temp_result|\w+_out|\w+_output|\w+_result|\w+_outputs|"
    r"(?:out|output|result|y)_?\w*\d|out_\w+|output_\w+|result_\w+)$"
)
_GRADIENT = re.compile(
    r"(?:grad_(?:input|weight|bias|gamma|beta|self|other|x|q|k|v|query|key|value)|d[qkvx]|dw|db|"
    r"grad_(?:query|key|value|mat)\w*)$"
)
_INPUT = re.compile(r"(?:grad_out\w*|gradout\w*|\w*_(?:size|dtype|acltype|shape|dim))$")
_WORD = re.compile(r"[A-Za-z_]\w*")


class Roles(NamedTuple):
    """The places of arguments that an op writes, of these the ones it also reads, and how sure."""

    written: frozenset[int]
    also_read: frozenset[int]
    guessed: bool


def roles_of(
    op: str, arguments: Sequence[Argument], told: Mapping[str, Kernel] | None = None
) -> Roles:
    """Which arguments an op writes; *op* without ``aclnn``, which the user may have put."""
    names = tuple(argument.name if argument.tensor else None for argument in arguments)
    own = (told.get(op) or told.get(f"aclnn{op}")) if told else None
    return _roles(op, names, own)


@lru_cache(maxsize=4096)
def _roles(op: str, printed: tuple[str | None, ...], told: Kernel | None) -> Roles:
    """By the names of the arguments, None for those that are no tensors."""
    tensors = [place for place, name in enumerate(printed) if name is not None]
    if not tensors:
        return Roles(frozenset(), frozenset(), guessed=False)
    names = [_name(name or "") for name in printed]
    if told is not None:
        only, also = (
            frozenset(place for place in tensors if names[place] in (one.lower() for one in lot))
            for lot in (told.out, told.inout)
        )
        return Roles(only | also, also, guessed=False)
    own = KNOWN.get(op, ())
    in_place = [place for place in tensors if names[place] in own]
    if not in_place and (op.startswith("Inplace") or op.endswith("_")):
        in_place = tensors[:1]
    if in_place:
        return Roles(frozenset(in_place), frozenset(in_place), guessed=False)
    repeated = _repeated(names, tensors)
    named = {place for place in tensors if _is_output(op, names[place])}
    if named or repeated:
        # A list that is given twice is read as the first and written as the second.
        return Roles(frozenset(named | repeated), frozenset(), guessed=False)
    return Roles(frozenset(tensors[-1:]), frozenset(), guessed=True)


def _name(printed: str) -> str:
    """``result`` of ``result[0]``: arguments are printed as they stand in the source."""
    match = _WORD.match(printed)
    return match[0].lower() if match else ""


def _is_output(op: str, name: str) -> bool:
    if _INPUT.match(name):
        return False
    backward = "Grad" in op or "Backward" in op
    return bool(_OUTPUT.match(name) or (backward and _GRADIENT.match(name)))


def _repeated(names: Sequence[str], tensors: Sequence[int]) -> set[int]:
    seen: set[str] = set()
    found: set[int] = set()
    for place in tensors:
        if names[place] in seen:
            found.add(place)
        seen.add(names[place])
    return found
