"""PyTorch's DebugMode as text: every op in the order it ran, indented by what encloses it.

    [nn.Mod] GPT.blocks.0
      # File: /net.py:29 in rms, code: return x * torch.rsqrt(v + eps)
      aten::add.Tensor(t$4: f32[2, 16, 1], 1e-05)  ->  t$5: f32[2, 16, 1]  # {'hash': 34.14}

Ids are those of tensor objects: what autograd saved comes back under another one. Where hashes were
asked for, such a tensor is known again by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from opdiff.readers.arguments import (
    TENSOR,
    Term,
    argument_text,
    called_with,
    read_terms,
    spelled_as_printed,
)
from opdiff.readers.finishing import choose_parts, finished
from opdiff.readers.formats import Input
from opdiff.readers.problems import Problems, excerpt
from opdiff.readers.pytorch.fx_text import read_source, read_type
from opdiff.readers.tensor_ids import TensorIds
from opdiff.readers.text_lines import numbered_lines
from opdiff.trace import ColumnsBuilder, Frame, Operand, TensorSpec, Trace
from opdiff.trace.columns import EAGER, GRAPH
from opdiff.wording import Sentence

FORMAT = "torch-debugmode"
LEAF, COMPOSITE = "leaf", "composite"

_MARK = re.compile(
    rb"^ *[A-Za-z_][\w.]*(?:::[\w.]+)?\([^\n]*?(?<![\w$])(?:t|dt|ft)(?:\$\d+)?: [a-z]+\d+\w*\[",
    re.M,
)
_OP = re.compile(
    r"(?P<name>[A-Za-z_][\w.]*(?:::[\w.]+)?|\[triton\] [\w.]+|"
    r"<(?:method|slot wrapper) '(?P<method>\w+)' of '[^']*' objects>)\("
)
_MODULE = re.compile(r"\[nn\.Mod[^\]]*\] (?P<path>.*)$")
_REGION = re.compile(r"\[[^\]]*region[^\]]*\] (?P<what>enter|exit)$")
_BRACKETED = re.compile(r"\[[^\]]+\]")
_TENSOR = re.compile(r"['\"]?(?:t|dt|ft)(?:\$(?P<id>\d{1,18}))?: (?P<type>\w+\[[^\]]*\])")
_NO_OPS = ("redistribute_input(", "<method-wrapper '__get__' ", "<function ")
"""What is printed like an op and is none: attributes that are read, and functions of no module."""
_SEVERAL = "torch.return_types."
_MOST_LINES = 12
"""So many lines at most is the result of an op that is printed on several."""


def sniff(head: bytes) -> bool:
    """Whether the beginning of a file has an op with its tensors in it."""
    return _MARK.search(head) is not None


def read(source: Input) -> Trace:
    """The ops that have no others within them; or, as another level, the outermost ones."""
    reader = _Reader(source.problems)
    for number, last_line, line in whole_lines(source):
        reader.take(number, last_line, line)
    levels = {LEAF: ~np.array(reader.encloses, bool), COMPOSITE: ~np.array(reader.enclosed, bool)}
    _, parts = choose_parts(source, {level: int(rows.sum()) for level, rows in levels.items()})
    return finished(
        source,
        FORMAT,
        reader.builder.build(),
        keep=np.any([levels[part.name] for part in parts if part.read], axis=0),
        notes=reader.notes(),
        parts=parts,
    )


def whole_lines(source: Input) -> Iterator[tuple[int, int, str]]:
    """First and last number of each line; a result that goes on over several lines is one."""
    parts: list[str] = []
    begun = 0
    for number, line in numbered_lines(source):
        if parts:
            parts.append(line.strip())
            if line.rstrip().endswith(")") or len(parts) == _MOST_LINES:
                yield begun, number, " ".join(parts)
                parts = []
        elif line.endswith("(") and _SEVERAL in line:
            parts, begun = [line], number
        else:
            yield number, number, line
    if parts:
        yield begun, begun + len(parts) - 1, " ".join(parts)


class PrintedTensor(NamedTuple):
    """A tensor as an op prints it, and the hash beside it."""

    identity: str | None
    spec: TensorSpec
    hash: str | None


@dataclass(slots=True)
class Printed:
    """An op taken apart."""

    name: str
    inputs: list[PrintedTensor] = field(default_factory=list)
    outputs: list[PrintedTensor] = field(default_factory=list)
    arguments: str = ""
    complete: bool = True
    dispatched: bool = True
    """Whether it is what PyTorch dispatched, and not a function of Python around that."""


def read_op(text: str) -> Printed | None:
    """The op that a line prints, or None."""
    match = _OP.match(text)
    if match is None or text.startswith(_NO_OPS):
        return None
    terms, end = read_terms(text, match.end())
    name = f"Tensor::{match['method']}" if match["method"] else _name(match["name"])
    dispatched = match["name"].startswith("[") or "::" in match["name"]
    printed = Printed(name, complete=end < len(text), dispatched=dispatched)
    rest, _, comment = text[end + 1 :].partition("  # {")
    _, arrow, result = rest.partition("->")
    hashes, made = _hashes(comment) if comment else ((), None)
    printed.inputs = [
        tensor
        for place, term in enumerate(terms)
        for tensor in _tensors(term, hashes[place] if place < len(hashes) else None)
    ]
    if arrow:
        results, _ = read_terms(result)
        printed.complete &= all(result.count(a) == result.count(b) for a, b in ("[]", "()"))
        several = len(results) != 1
        for place, term in enumerate(results):
            printed.outputs += _tensors(term, _child(made, place) if several else made)
    printed.arguments = called_with(
        [_text(term) for term in terms if not term.name],
        [(term.name, _text(term)) for term in terms if term.name],
    )
    return printed


def _name(printed: str) -> str:
    """``aten::mul`` of ``aten::mul.Tensor``; functions of torch are ``torch::mm``."""
    if printed.startswith("[triton] "):
        return f"triton::{printed.removeprefix('[triton] ')}"
    namespace, colons, name = printed.partition("::")
    if colons:
        return f"{namespace}::{name.partition('.')[0]}"
    return f"torch::{printed.rpartition('.')[2]}"


def _hashes(comment: str) -> tuple[Sequence[Term], Term | None]:
    """The hashes of the arguments, one each, and of the result."""
    logged = {term.name: term for term in read_terms("{" + comment)[0][0].items or ()}
    given = logged.get("input_hash")
    return [*_children(given, 0), *_children(given, 1)], logged.get("hash")


def _children(term: Term | None, place: int) -> Sequence[Term]:
    inner = _child(term, place)
    return () if inner is None else inner.items or ()


def _child(term: Term | None, place: int) -> Term | None:
    items = None if term is None else term.items
    return items[place] if items is not None and place < len(items) else None


def _tensors(term: Term, hash_: Term | None) -> Iterator[PrintedTensor]:
    """The tensors of an argument; lists of them have lists of hashes."""
    tensor = _tensor(term, hash_)
    if tensor is not None:
        yield tensor
    elif term.items is not None and (not term.word or term.word.startswith(_SEVERAL)):
        for place, item in enumerate(term.items):
            yield from _tensors(item, _child(hash_, place))


def _tensor(term: Term, hash_: Term | None = None) -> PrintedTensor | None:
    if not term.word:
        return None
    match = _TENSOR.match(spelled_as_printed(term, named=False))
    spec = read_type(match["type"]) if match else None
    if match is None or spec is None:
        return None
    said = None if hash_ is None else spelled_as_printed(hash_, named=False)
    return PrintedTensor(match["id"], spec, None if said in (None, "None") else said)


def _text(term: Term) -> str:
    if _tensor(term) is not None:
        return TENSOR
    if term.items is None or term.word:
        return argument_text(term, lambda _: False)
    return f"[{', '.join(map(_text, term.items))}]"


class _Reader:
    def __init__(self, problems: Problems) -> None:
        self.builder = ColumnsBuilder()
        self._problems = problems
        self.encloses: list[bool] = []
        """Of each op, whether others are within it, or would be, did it do anything."""
        self.enclosed: list[bool] = []
        self._modules: list[tuple[int, str]] = []
        self._ops: list[tuple[int, int]] = []
        self._source: Frame | None = None
        self._compiled = 0
        self._links = _TensorNumbers()

    def take(self, number: int, last: int, line: str) -> None:
        """Take in one line, which may have been several."""
        text = line.strip()
        if not text:
            return
        indent = len(line) - len(line.lstrip())
        if text.startswith("#"):
            self._source = read_source(text)
            return
        self._leave(indent)
        module, region = _MODULE.match(text), _REGION.match(text)
        if module:
            self._modules.append((indent, module["path"].replace("/", "|")))
        elif region:
            self._compiled = max(0, self._compiled + (1 if region["what"] == "enter" else -1))
        else:
            self._take_op(number, indent, text, last)

    def _leave(self, indent: int) -> None:
        """What is indented no less than this line has ended."""
        for stack in (self._modules, self._ops):
            while stack and stack[-1][0] >= indent:
                stack.pop()

    def _take_op(self, number: int, indent: int, text: str, last: int) -> None:
        printed = read_op(text)
        if printed is None or not printed.complete:
            if printed is not None:
                self._problems.add("op-line", number, number, excerpt=excerpt(text))
            elif not (_BRACKETED.match(text) or text.startswith(_NO_OPS)):
                self._problems.skip(number, text.encode())
            return
        self._problems.close()
        inputs = [self._links.read(tensor) for tensor in printed.inputs]
        row = self.builder.add(
            printed.name,
            [self._links.write(tensor) for tensor in printed.outputs],
            inputs,
            scope=self._modules[-1][1] if self._modules else "",
            line=number,
            last_line=last,
            attrs={"args": printed.arguments},
            stack=[self._source] if self._source else [],
            mode=GRAPH if self._compiled else EAGER,
        )
        for _, outer in self._ops:
            self.encloses[outer] = True
        # A function of Python that dispatches nothing is no leaf: nothing ran.
        self.encloses.append(not printed.dispatched)
        self.enclosed.append(bool(self._ops))
        self._ops.append((indent, row))

    def notes(self) -> list[Sentence]:
        """How tensors were known again."""
        return self._links.notes()


class _TensorNumbers:
    """Numbers for tensors by their ids; by their hashes where an id was never made."""

    def __init__(self) -> None:
        self._ids = TensorIds()
        self._by_hash: dict[tuple[str, TensorSpec], int] = {}
        self._guessed = 0
        self._named = False

    def read(self, tensor: PrintedTensor) -> Operand:
        """A tensor that an op reads."""
        if tensor.identity is not None and self._ids.knows(tensor.identity):
            return Operand(self._ids.of(tensor.identity), tensor.spec)
        made = self._by_hash.get(self._key(tensor)) if tensor.hash is not None else None
        if made is not None:
            self._guessed += 1
        else:
            made = self._ids.fresh()
        if tensor.identity is not None:
            self._named = True
            self._ids.give(tensor.identity, made)
        return Operand(made, tensor.spec)

    def write(self, tensor: PrintedTensor) -> Operand:
        """A tensor that an op makes, or has changed in place."""
        if tensor.identity is None:
            memory = self._ids.fresh()
        else:
            self._named = True
            memory = self._ids.of(tensor.identity)
        if tensor.hash is not None:
            self._by_hash[self._key(tensor)] = memory
        return Operand(memory, tensor.spec)

    def _key(self, tensor: PrintedTensor) -> tuple[str, TensorSpec]:
        return str(tensor.hash), tensor.spec

    def notes(self) -> list[Sentence]:
        if self._guessed:
            return [Sentence.of("reading.links-by-hash", count=self._guessed)]
        return [] if self._named else [Sentence.of("reading.no-ids")]
