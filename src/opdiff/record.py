"""Record what a PyTorch program executes, in the syntax of MindSpore's tracker.

    import opdiff.record

    with opdiff.record.OpTrace("eager.ir"):
        step()

One file that needs PyTorch and nothing else: it may be copied next to a script.

On several ranks each writes a file of its own: ``rank_0/eager.ir``, ``rank_1/eager.ir``.

``OpTrace("eager.ir", values="sketch")`` also writes ``eager.values.csv``: what every operand held,
in 16 numbers that tell how far two tensors are apart without keeping either (:func:`sketch`).

While an ordinary dispatch mode is active, torch.compile silently runs everything eagerly. OpTrace
tells PyTorch not to mind it, which PyTorch has understood since ``ignore_compile_internals``; on
older versions recording says so. ``compiled_runs`` tells whether compiled code really ran.
"""

from __future__ import annotations

import ctypes
import gzip
import hashlib
import itertools
import math
import os
import re
import sys
import tempfile
import threading
import warnings
import weakref
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

_CAPITALS = re.compile(r"^(?:bf|ui|[a-z])")
_OWN_FILES = (
    __file__,
    "/torch/_compile.py",
    "/torch/_ops.py",
    "/torch/_dynamo/eval_frame.py",
    "/torch/utils/_python_dispatch.py",
)
"""Files whose frames only say that an op was dispatched."""
_KINDS = ("sketch", "stats", "hash")
_MAGIC = b"# opdiff-values "
_GENERATED = ("<eval_with_key>", "torchinductor_")
"""Marks in the file names of code that torch.compile made."""
_running_nodes: list[str] = []
"""The user's stack of the graph node that :func:`recording_backend` is running."""
_STACK_LINE = re.compile(r'File "(?P<file>.*?)", line (?P<line>\d+), in (?P<function>.*)')
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_ .,:/+*<>-]")
"""What a text among the arguments must not print as it is: a reader might take it for syntax."""
_GARBAGE = re.compile(r"::_?(?:new_)?empty(?:_|$)")
"""Names of ops that only allocate."""
_PARTLY_GARBAGE = {"aten::_ctc_loss": (1,)}
"""Results of ops that leave some of their elements as they were in memory."""
_FILLS = re.compile(
    r"::(?:_foreach_)?(?:copy|fill|zero|normal|uniform|random|bernoulli|exponential|log_normal"
    r"|cauchy|geometric)_$"
)
"""Names of ops whose first argument gets a new content, whatever it held."""
_RUNNING = ("running_mean", "running_var")
"""Arguments that batch normalisation updates although its schema says that it only reads them."""
_COMMUNICATES = re.compile(r"_?c10d(?:_functional)?::")
_PEERS = {"send": "dst_rank", "recv_": "src_rank"}
"""Ops between two ranks, and what the other one is called."""
_TELLS_RANK = re.compile(r"rank_?[0-9]+", re.IGNORECASE)
_NAMED_BY_TORCH = (torch.dtype, torch.layout, torch.memory_format)


class OpTrace(TorchDispatchMode):  # type: ignore[misc]  # torch is not installed where types are checked
    """A context manager that records every op run inside it.

    With *path* the trace is saved there when the context ends, also after an exception.
    Without *stacks* recording is faster, and only :func:`recording_backend` counts compiled runs.
    *values* says what of every operand's content is saved beside the trace: ``"sketch"`` (16 sums,
    the norm, how many elements are not finite), ``"stats"`` (also minimum, maximum and mean) or
    ``"hash"`` (the sketch, and a hash of every bit).
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        stacks: bool = True,
        values: str | None = None,
    ) -> None:
        if values not in (None, *_KINDS):
            raise ValueError(f"values is one of {', '.join(_KINDS)} or None, not {values!r}")
        super().__init__()
        self.compiled_runs = 0
        """How often compiled code ran, at least; 0 means that everything ran eagerly."""
        self._path = path
        self._stacks = stacks
        self._records: list[_Record] = []
        self._memory = _Memory()
        self._prints = None if values is None else _Fingerprints(values, self._memory)
        self._specs: dict[tuple[Any, ...], str] = {}
        self._ops: dict[Any, _Known] = {}
        self._frames: dict[tuple[CodeType, int], str] = {}
        self._node_stacks: dict[str, str] = {}
        self._running: tuple[int, int] = (0, 0)

    supports_higher_order_operators = True
    """Tells PyTorch that ops which take functions may come, too."""

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Tells PyTorch that compiled code may run while this mode is active."""
        return True

    def __enter__(self) -> OpTrace:
        if not hasattr(TorchDispatchMode, "ignore_compile_internals"):
            warnings.warn(
                "this PyTorch runs compiled functions eagerly while ops are recorded",
                stacklevel=2,
            )
        if self._prints:
            self._prints.forget()  # who knows what was written while nobody looked
        super().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        if self._path is not None:
            self.save(self._path)

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"OpTrace: {len(self)} ops, compiled runs: {self.compiled_runs}"

    def require_compiled(self) -> None:
        """Raise RuntimeError if no compiled code ran, as when torch.compile fell back to eager."""
        if not self.compiled_runs:
            raise RuntimeError(f"nothing of what was recorded was compiled ({self!r})")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace, compressed where the name ends in ``.gz``, and the values beside it.

        Never half a file. The values of an earlier trace of that name go with that trace. One of
        several ranks writes into a folder of its own beside that name, so that none overwrites
        another's; a name that already tells the rank is left as it is.
        """
        target = _of_this_rank(Path(path))
        sidecar = _sidecar(target)
        with _Finishing() as files:
            if self._prints:
                files.write(sidecar, self._value_lines(self._prints))
            else:
                files.drop(sidecar)
            files.write(target, self._lines())
        if self._prints and self._prints.unmeasured:
            warnings.warn(
                f"{self._prints.unmeasured} operands could not be measured: "
                f"{sidecar.name} has only their size",
                stacklevel=2,
            )

    def _lines(self) -> Iterator[str]:
        for number, record in enumerate(self._records):
            attrs = f"stream_id=0{record.group}, args=({record.arguments})"
            yield f"{record.header}, task_info: {number}, attrs {{{attrs}}} \n"
            yield f"    ({record.outputs}) <- ({record.inputs})\n    # {record.stack}\n"

    def _value_lines(self, prints: _Fingerprints) -> Iterator[str]:
        yield f"{_MAGIC.decode()}1; sketch=count{_SUMS} seed=1{prints.remark}\n"
        yield "op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch\n"
        text = prints.texts()
        for number, record in enumerate(self._records):
            for side, values in zip(("in", "out"), record.values, strict=True):
                for operand, value in enumerate(values):
                    yield f"{number},{side},{operand},{text(value)}\n"

    # One op

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run the op and note what it read and wrote."""
        kwargs = kwargs or {}
        if any(kind.__name__ == "FakeTensor" for kind in types):
            return func(*args, **kwargs)  # the compiler trying an op out, not the program
        frame = sys._getframe(1)
        if getattr(func, "__name__", "") != "with_effects":
            return self._run(func, args, kwargs, frame)
        # So compiled graphs keep ops that may fail or print in their order.
        token, func, *args = args
        result = self._run(func, args, kwargs, frame)
        return (token, *result) if isinstance(result, tuple) else (token, result)

    def _run(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], frame: FrameType) -> Any:
        known = self._ops.get(func)
        if known is None:
            known = self._ops[func] = _Known.of(func)
        read = _tensors(args)
        if kwargs:
            read += _tensors(kwargs.values())
        prints = self._prints
        # Before the call: an op that works in place may change what its inputs look like.
        read_blocks = [self._memory.block(tensor) for tensor in read]
        input_ids, inputs = self._describe(read, read_blocks)
        held: tuple[int, ...] = ()
        if prints:
            held = prints.numbers(read, read_blocks, frame, unread=known.unread(args, kwargs))
        arguments = _arguments(args, kwargs)
        group = _group(known.name, args, kwargs)
        stack = self._stack(frame) if self._stacks else ""
        result = func(*args, **kwargs)
        _await(group if prints else "", result)
        written = known.written(args, kwargs)
        wrote = _tensors((result,))
        wrote_blocks = [self._memory.block(tensor) for tensor in wrote]
        for tensor in written:
            block = self._memory.block(tensor)
            if block not in wrote_blocks:  # an op may write and return nothing
                wrote.append(tensor)
                wrote_blocks.append(block)
        output_ids, outputs = self._describe(wrote, wrote_blocks)
        holds: tuple[int, ...] = ()
        if prints:
            changed = prints.note_writes([*written, *known.maybe_written(args, kwargs, read)])
            for place, (tensor, block) in enumerate(zip(wrote, wrote_blocks, strict=True)):
                if known.garbage is None or place in known.garbage:
                    prints.note_garbage(tensor, block)
            holds = prints.numbers(wrote, wrote_blocks, frame, written=changed)
        self._records.append(
            _Record(
                f"({output_ids}) = {known.name}({input_ids})",
                group,
                arguments,
                outputs,
                inputs,
                stack,
                (held, holds),
            )
        )
        return result

    def _describe(self, tensors: list[Any], blocks: list[_Block]) -> tuple[str, str]:
        """Ids and specs of tensors, as the trace prints them."""
        if not tensors:
            return "", ""
        ids = [f"%{number}" for number, _ in blocks]
        specs = [
            self._spec(tensor, size) for tensor, (_, size) in zip(tensors, blocks, strict=True)
        ]
        return ", ".join(ids), ", ".join(specs)

    def _spec(self, tensor: Any, size: int | None) -> str:
        if size is None:
            return f"{_dtype(tensor.dtype)}:{list(tensor.shape)}"
        key = (tensor.dtype, tensor.shape, tensor.stride(), tensor.storage_offset(), size)
        spec = self._specs.get(key)
        if spec is None:
            spec = f"{_dtype(tensor.dtype)}:{list(tensor.shape)}"
            offset = tensor.storage_offset()
            smaller = tensor.numel() * tensor.element_size() < size
            if offset or smaller or not tensor.is_contiguous():
                spec += f"{{strdes={list(tensor.stride())},offset={offset}}}"
            self._specs[key] = spec
        return spec

    # Stacks

    def _stack(self, frame: FrameType | None) -> str:
        """The Python stack, outermost frame first; of generated code, where the user wrote it."""
        node = _running_nodes[-1] if _running_nodes else ""
        if node:
            stack = self._node_stacks.get(node)
            if stack is None:
                stack = self._node_stacks[node] = _frames_of(node)
            return stack
        texts: list[str] = []
        frames = self._frames
        while frame is not None:
            key = (frame.f_code, frame.f_lineno)
            text = frames.get(key)
            if text is None:
                text = frames[key] = _frame_text(frame)
            if text:
                texts.append(text)
                if any(mark in text for mark in _GENERATED):
                    self._note_compiled(frame)
            frame = frame.f_back
        texts.reverse()
        return "".join(texts)

    def _note_compiled(self, frame: FrameType) -> None:
        """Count a run: another frame, or the same one before the place it had reached."""
        here = (id(frame), frame.f_lasti)
        if here[0] != self._running[0] or here[1] < self._running[1]:
            self.compiled_runs += 1
        self._running = here


class _Record(NamedTuple):
    """One op as the trace prints it, and the numbers of what its inputs and outputs held."""

    header: str
    group: str
    """Who takes part, of communication only."""
    arguments: str
    outputs: str
    inputs: str
    stack: str
    values: tuple[tuple[int, ...], tuple[int, ...]]


class _Known(NamedTuple):
    """What the schema of an op says, looked up once."""

    name: str
    writes: tuple[tuple[int, str], ...] | None
    """Place and name of the arguments it writes to; None if nobody knows."""
    quiet_writes: tuple[tuple[int, str], ...]
    """The same for those that it writes to and does not say so."""
    overwrites: tuple[tuple[int, str], ...]
    """The same for those that it writes to without looking at what is there."""
    garbage: Collection[int] | None
    """The places of results that hold whatever was in memory; None if all do."""

    @classmethod
    def of(cls, func: Any) -> _Known:
        """``aten::add`` for ``aten.add.Tensor``: the overload says nothing the operands do not."""
        schema = getattr(func, "_schema", None)
        if schema is None:
            return cls(f"higher_order::{getattr(func, '__name__', func)}", None, (), (), ())
        arguments = list(enumerate(schema.arguments))
        written = [
            (place, argument)
            for place, argument in arguments
            if argument.alias_info is not None and argument.alias_info.is_write
        ]
        writes: tuple[tuple[int, str], ...] | None
        writes = tuple((place, argument.name) for place, argument in written)
        if not writes and _COMMUNICATES.match(schema.name):
            writes = None  # what other ranks send is written without a word
        quiet = tuple(
            (place, argument.name)
            for place, argument in arguments
            if argument.name in _RUNNING and (place, argument.name) not in (writes or ())
        )
        fills = _FILLS.search(schema.name)
        overwrites = tuple(
            (place, argument.name)
            for place, argument in written
            if argument.is_out or (fills and place == 0)
        )
        garbage = None if _GARBAGE.search(schema.name) else _PARTLY_GARBAGE.get(schema.name, ())
        return cls(schema.name, writes, quiet, overwrites, garbage)

    def unread(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[int]:
        """The places, among all tensors of a call, of those whose content it does not look at."""
        if not self.overwrites:
            return []
        places = {place for place, _ in self.overwrites}
        names = {name for _, name in self.overwrites}
        unread: list[int] = []
        first = 0
        for key, value in (*enumerate(args), *kwargs.items()):
            behind = first + len(_tensors((value,)))
            if key in places or key in names:
                unread += range(first, behind)
            first = behind
        return unread

    def written(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The tensors among the arguments of a call that it is known to write to."""
        return _chosen(self.writes or (), args, kwargs)

    def maybe_written(
        self, args: Sequence[Any], kwargs: dict[str, Any], read: list[Any]
    ) -> list[Any]:
        """Those that it may have written to although no schema says so."""
        return read if self.writes is None else _chosen(self.quiet_writes, args, kwargs)


def _chosen(
    places: Sequence[tuple[int, str]], args: Sequence[Any], kwargs: dict[str, Any]
) -> list[Any]:
    if not places:
        return []
    return _tensors(
        args[place] if place < len(args) else kwargs.get(name) for place, name in places
    )


_Block = tuple[int, int | None]
"""The number of a block of memory, and its size in bytes (None for what has no storage)."""


class _Memory:
    """Numbers for blocks of memory: one a storage, shared by all its views.

    A weak reference keeps the bare handle of a storage alive, not its data: so long as we hold it,
    no other storage can get the same handle, and memory used again gets a new number.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, tuple[int, StorageWeakRef]] = {}
        self._others: weakref.WeakKeyDictionary[_Identity, int] = weakref.WeakKeyDictionary()
        self._numbers = itertools.count(1)

    def block(self, tensor: Any) -> _Block:
        """The block that a tensor lies in."""
        try:
            storage = tensor.untyped_storage()
            handle = storage._cdata
        except (NotImplementedError, RuntimeError):  # sparse tensors and wrappers have none
            return self._other(tensor), None
        known = self._blocks.get(handle)
        if known is None:
            known = self._blocks[handle] = (next(self._numbers), StorageWeakRef(storage))
        return known[0], storage.nbytes()

    def _other(self, tensor: Any) -> int:
        identity = getattr(tensor, "_opdiff_identity", None)
        if identity is None:
            identity = tensor._opdiff_identity = _Identity()
            self._others[identity] = next(self._numbers)
        number = self._others.get(identity)
        if number is None:  # seen by another recorder before
            number = self._others[identity] = next(self._numbers)
        return number


class _Identity:
    """Stands for a tensor that cannot be told by its storage."""

    __slots__ = ("__weakref__",)


# What tensors hold

_SUMS = 16
_ROW = 251 * _SUMS
"""So many elements have signs of their own; then a row's sign tells them apart. No width of a
network divides this number: a bias that is wrong in every row meets other signs in each."""
_ROWS = 1 << 16
"""After so many rows the signs of rows begin again."""
_PIECE = 512
"""So many rows are looked at together: all that is ever copied of a tensor, and few enough for
single precision."""
_FEW = 1 << 15
"""For so many elements threads cost more than they save."""
_NEAR = 8
"""So many frames lie at most between generated code and the op that it calls."""
_TINY = 1e-30
"""Squares below this lose digits in single precision."""


class _Signs(NamedTuple):
    """What each element of a tensor counts as in its sketch."""

    elements: list[float]
    """The sign of each element of a row."""
    sums: list[int]
    """The sum that each element of a row goes to: of 16 neighbours every one to another."""
    rows: list[float]
    """The sign of each row."""


@lru_cache(maxsize=1)
def _signs() -> _Signs:
    """The same signs everywhere, whatever the version of Python and PyTorch.

    What is wrong in one column of a matrix lies sixteen times so many elements apart: that is why
    neighbours change places among the sums. The total of the first n signs of rows keeps near the
    root of n, as it does on the average: else a number added to all elements might vanish.
    """
    stream = hashlib.shake_256(b"opdiff sketch, seed 1").digest(4 * _ROW + _ROWS)
    drawn = [int.from_bytes(stream[4 * place : 4 * place + 4], "little") for place in range(_ROW)]
    elements = [1.0 if number & 1 else -1.0 for number in drawn]
    sums = list(range(_SUMS))
    for first in range(_SUMS, _ROW, _SUMS):
        sums += sorted(range(_SUMS), key=drawn[first : first + _SUMS].__getitem__)
    rows, total = [], 0.0
    for count, byte in enumerate(stream[4 * _ROW :], 1):
        root = math.sqrt(count)
        sign = 1.0 if byte & 1 else -1.0
        if not 0.8 * root <= total + sign <= 1.3 * root:
            sign = 1.0 if total < root else -1.0
        total += sign
        rows.append(sign)
    return _Signs(elements, sums, rows)


class _Content:
    """What a tensor held, as far as numbers tell; those that nobody asked for are NaN."""

    __slots__ = ("count", "high", "low", "mean", "nonfinite", "norm", "squares", "sums", "wide")

    def __init__(self, count: int, *, wide: bool) -> None:
        self.count = count
        self.wide = wide
        """Whether it was worked out in double precision."""
        self.nonfinite = 0
        self.squares = 0.0
        self.low = self.high = self.mean = self.norm = math.nan
        self.sums: Sequence[float] = ()


class _Meter:
    """Measures tensors, without a copy of more than a piece of them."""

    def __init__(self, *, extremes: bool = False) -> None:
        self._extremes = extremes

    def measure(self, tensor: Any) -> _Content:
        """What a tensor holds; raises if it is of a kind that cannot be looked at.

        Elements that are not finite are counted and stand for 0; they are looked for only where
        the sum of squares is not finite. Double precision is taken where single precision
        overflows or loses digits.
        """
        count = tensor.numel()
        if tensor.is_complex():
            tensor = torch.view_as_real(tensor.resolve_conj())
        tensor = tensor.resolve_neg()
        wide = _is_wide(tensor.dtype)
        content = self._look(tensor, wide=wide)
        if not math.isfinite(content.squares):
            content = self._look(tensor, wide=wide, masked=True)
            if not math.isfinite(content.squares):
                content = self._look(tensor, wide=True, masked=True)
        squares = content.squares
        if squares < _TINY and any(content.sums) and not content.wide:
            squares = self._look(tensor, wide=True, masked=content.nonfinite > 0).squares
        content.norm = math.sqrt(squares)
        content.count = count
        return content

    def _look(self, tensor: Any, *, wide: bool, masked: bool = False) -> _Content:
        dtype = torch.float64 if wide else torch.float32
        content = _Content(tensor.numel(), wide=wide)
        elements, rows = _sign_tables(dtype, tensor.device)
        columns = None
        place = 0
        for piece in _pieces(tensor):
            piece = piece.to(dtype)
            if masked:
                bad = ~torch.isfinite(piece)
                content.nonfinite += int(bad.sum().item())
                piece = piece.masked_fill(bad, 0.0)
            content.squares += _squares(piece)
            # The first row's sign is positive.
            columns = piece if content.count <= _ROW else _fold(columns, piece, rows, place)
            place += piece.numel()
        if columns is None:
            content.sums = [0.0] * _SUMS
        else:
            content.sums = torch.mv(elements[:, : columns.numel()], columns).tolist()
        if self._extremes and place > content.nonfinite:
            self._find_extremes(tensor, content)
        return content

    def _find_extremes(self, tensor: Any, content: _Content) -> None:
        """Minimum, maximum and mean of the elements that are finite."""
        low, high, total = math.inf, -math.inf, 0.0
        for piece in _pieces(tensor):
            piece = piece.to(torch.float64 if content.wide else torch.float32)
            if content.nonfinite:
                piece = piece[torch.isfinite(piece)]
            if piece.numel():
                least, most = torch.aminmax(piece)
                low, high = min(low, least.item()), max(high, most.item())
                total += piece.sum().item()
        content.low, content.high = low, high
        content.mean = total / (tensor.numel() - content.nonfinite)


@lru_cache
def _sign_tables(dtype: Any, device: Any) -> tuple[Any, Any]:
    """Signs as tensors: a line a sum for the elements of a row, and one for the rows."""
    signs = _signs()
    lines = [
        [sign if own == line else 0.0 for sign, own in zip(signs.elements, signs.sums, strict=True)]
        for line in range(_SUMS)
    ]
    rows = signs.rows + signs.rows[:_PIECE]  # a piece may lie across the end of them
    return (
        torch.tensor(lines, dtype=dtype, device=device),
        torch.tensor(rows, dtype=dtype, device=device),
    )


def _squares(piece: Any) -> float:
    """The sum of squares: the fastest way for its size, and none with threads for a small one."""
    if piece.numel() <= _FEW:
        return float(torch.linalg.vector_norm(piece).item()) ** 2
    return float(torch.dot(piece, piece).item())


def _is_wide(dtype: Any) -> bool:
    """Whether single precision would lose what the elements tell."""
    return bool(dtype is torch.float64 or not (dtype.is_floating_point or dtype is torch.bool))


def _pieces(tensor: Any) -> Iterator[Any]:
    """The elements in logical order, flat, not more than a piece at once."""
    size = tensor.numel()
    most = _PIECE * _ROW
    if size <= most:
        if size:
            yield tensor.reshape(-1)
    elif tensor.is_contiguous():
        yield from tensor.view(-1).split(most)
    else:
        lines = most // (size // tensor.shape[0])
        for part in tensor.split(lines) if lines else tensor.unbind():
            yield from _pieces(part)


def _fold(columns: Any, piece: Any, rows: Any, place: int) -> Any:
    """The elements from a place on added to those that have stood in the same columns of rows."""
    row, column = divmod(place, _ROW)
    row %= _ROWS
    if column:
        first = piece[: _ROW - column]
        columns[column : column + first.numel()].addcmul_(first, rows[row])
        piece = piece[first.numel() :]
        row += 1
    count, rest = divmod(piece.numel(), _ROW)
    if columns is None and not count:
        columns = piece.new_zeros(_ROW)
    if count:
        whole = (piece[:-rest] if rest else piece).view(count, _ROW).t()
        signs = rows[row : row + count]
        columns = torch.mv(whole, signs) if columns is None else columns.addmv_(whole, signs)
    if rest:
        columns[:rest].addcmul_(piece[-rest:], rows[row + count])
    return columns


class Sketch:
    """16 sums of a tensor's elements, each with its own sign: what :func:`sketch` gives.

    ``abs(a - b) / abs(a)`` is about the relative error of the one tensor against the other.
    """

    def __init__(self, content: _Content) -> None:
        self.count, self.nonfinite = content.count, content.nonfinite
        self.norm, self.sums = content.norm, tuple(content.sums)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sketch) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __sub__(self, other: Sketch) -> float:
        if (self.count, self.nonfinite) != (other.count, other.nonfinite):
            return max(self.norm, other.norm)
        return math.dist(self.sums, other.sums)

    def __abs__(self) -> float:
        return self.norm

    def __repr__(self) -> str:
        """In brackets: how many elements, how many not finite, the norm, the sums."""
        numbers = " ".join(f"{number:.9g}" for number in (self.norm, *self.sums))
        return f"sketch<{self.count} {self.nonfinite} {numbers}>"


def sketch(tensor: Any) -> Sketch:
    """The sketch that a sidecar has, for those who measure by other means, as PyTorch's DebugMode.

    ``DebugMode.log_tensor_hashes(hash_fn=opdiff.record.sketch)``
    """
    with _Undisturbed():
        return Sketch(_Meter().measure(tensor.detach()))


class _Undisturbed:
    """Lets ops run as they are, whatever modes, functions and casts the program has switched on."""

    def __enter__(self) -> None:
        self._guards = [torch._C._AutoDispatchBelowAutograd()]
        if torch._C._is_any_autocast_enabled():
            self._guards.append(torch._C._DisableAutocast())
        if torch._C._len_torch_function_stack():
            self._guards.append(torch._C.DisableTorchFunction())
        if torch._C._len_torch_dispatch_stack():
            self._guards.append(_disable_current_modes())
        for guard in self._guards:
            guard.__enter__()

    def __exit__(self, *_error: object) -> None:
        for guard in reversed(self._guards):
            guard.__exit__(None, None, None)


class _Fingerprints:
    """The numbers of everything that operands held, each content measured once.

    A content is told by its block of memory, its layout, and that nothing was written to the block
    since. PyTorch's own counter of writes moves only after the op has returned, so writes are
    followed here by what schemas say; that counter is looked at too, as it tells of writes by
    compiled code.
    """

    def __init__(self, kind: str, memory: _Memory) -> None:
        self.unmeasured = 0
        """How many operands are of kinds that cannot be looked at."""
        self.remark = " hash=blake2b" if kind == "hash" else ""
        self._hashed = kind == "hash"
        self._memory = memory
        self._meter = _Meter(extremes=kind == "stats")
        self._known: dict[int, dict[tuple[Any, ...], int]] = {}
        self._garbage: dict[int, _Garbage] = {}
        self._by_inductor: dict[CodeType, bool] = {}
        self._lock = threading.Lock()
        self._facts: list[tuple[int, int, bool, str]] = []
        self._numbers = array("d")

    def forget(self) -> None:
        """Measure again whatever is seen from now on."""
        self._known.clear()

    def note_writes(self, tensors: list[Any]) -> set[int]:
        """Something was written to these tensors; the numbers of their blocks."""
        written = set()
        for tensor in tensors:
            block, _ = self._memory.block(tensor)
            written.add(block)
            self._known.pop(block, None)
            garbage = self._garbage.get(block)
            if garbage is not None and garbage.is_covered_with(tensor):
                del self._garbage[block]
        return written

    def note_garbage(self, tensor: Any, block: _Block) -> None:
        """A tensor holds what was in memory, until something is written to it."""
        number, size = block
        if size:
            self._garbage[number] = _Garbage(size // tensor.element_size())

    def numbers(
        self,
        tensors: list[Any],
        blocks: list[_Block],
        frame: FrameType,
        *,
        written: Collection[int] = (),
        unread: Collection[int] = (),
    ) -> tuple[int, ...]:
        """The numbers of what tensors hold just now: bare sizes for those at *unread* places.

        Those in the blocks *written* have just got a new content.
        """
        if not tensors:
            return ()
        blind = "torch._inductor" in sys.modules and self._within_inductor(frame)
        return tuple(
            -1 - int(tensor.numel())
            if place in unread
            else self._number(tensor, block, None if blind else block in written)
            for place, (tensor, (block, _)) in enumerate(zip(tensors, blocks, strict=True))
        )

    def _within_inductor(self, frame: FrameType | None) -> bool:
        """Whether inductor's code is running: nobody can follow how that writes to memory."""
        known = self._by_inductor
        for _ in range(_NEAR):
            if frame is None:
                break
            code = frame.f_code
            found = known.get(code)
            if found is None:
                found = known[code] = "torchinductor_" in code.co_filename
            if found:
                return True
            frame = frame.f_back
        return False

    def _number(self, tensor: Any, block: int, just_written: bool | None) -> int:
        """The number of what a tensor holds; for a bare size a negative one.

        PyTorch's counter of a block that was just written to is about to move. None says that
        nothing known of the block can be relied on.
        """
        garbage = self._garbage.get(block)
        if garbage is not None and not garbage.has_written(tensor):
            return -1 - int(tensor.numel())
        if just_written is None:
            return self._measured(tensor)
        try:
            key = (tensor._version + just_written, *_layout(tensor))
        except (RuntimeError, NotImplementedError):  # inference tensors count no writes
            key = (0, *_layout(tensor))
        known = self._known.setdefault(block, {})
        number = known.get(key)
        if number is None:
            number = known[key] = self._measured(tensor)
        return number

    def _measured(self, tensor: Any) -> int:
        if tensor.layout is not torch.strided or tensor.is_meta or _is_wrapper(tensor):
            return self._not_measured(tensor)
        try:
            with _Undisturbed():
                found = self._meter.measure(tensor.detach())
                digest = _digest(tensor) if self._hashed else ""
        except (RuntimeError, NotImplementedError, TypeError):
            return self._not_measured(tensor)
        with self._lock:  # several devices have an autograd thread each
            number = len(self._facts)
            self._facts.append((found.count, found.nonfinite, found.wide, digest))
            self._numbers.extend((found.low, found.high, found.mean, found.norm, *found.sums))
        return number

    def _not_measured(self, tensor: Any) -> int:
        self.unmeasured += 1
        return -1 - int(tensor.numel())

    def texts(self) -> Callable[[int], str]:
        """A function that spells out a number as columns of the sidecar, from ``count`` on."""
        spelled: dict[int, str] = {}

        def text(number: int) -> str:
            if number < 0:
                return f"{-1 - number},,,,,,,"
            found = spelled.get(number)
            if found is None:
                found = spelled[number] = self._text(number)
            return found

        return text

    def _text(self, number: int) -> str:
        count, nonfinite, wide, digest = self._facts[number]
        size = 4 + _SUMS
        numbers = self._numbers[number * size : (number + 1) * size]
        spell = "{:.17g}" if wide else "{:.9g}"
        low, high, mean, norm, *sums = [
            spell.format(number) if math.isfinite(number) else "" for number in numbers
        ]
        sketch = " ".join(sums) if all(sums) else ""
        return f"{count},{nonfinite},{low},{high},{mean},{norm},{digest},{sketch}"


class _Garbage:
    """A block that was allocated and not yet written to everywhere."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._written: set[tuple[Any, ...]] = set()

    def is_covered_with(self, tensor: Any) -> bool:
        """Take note of a write; whether nothing is left now."""
        layout = _layout(tensor)
        if layout not in self._written:
            self._written.add(layout)
            self._left -= tensor.numel()
        return self._left <= 0

    def has_written(self, tensor: Any) -> bool:
        """Whether just this was written to."""
        return _layout(tensor) in self._written


def _is_wrapper(tensor: Any) -> bool:
    """Whether ops on a tensor run its own code, which might talk to other ranks."""
    return type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__


def _layout(tensor: Any) -> tuple[Any, ...]:
    """What tells the contents of tensors in one block apart; shapes do not, if they are dense."""
    if tensor.layout is not torch.strided:
        return (id(tensor),)
    where = (tensor.dtype, tensor.is_conj(), tensor.is_neg(), tensor.storage_offset())
    if tensor.is_contiguous():
        return (*where, tensor.numel())
    return (*where, tensor.shape, tensor.stride())


def _digest(tensor: Any) -> str:
    """A hash of all bits, in logical order."""
    host = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
    size = host.numel() * host.element_size()
    content = (ctypes.c_char * size).from_address(host.data_ptr()) if size else b""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


# Files


def _sidecar(trace: Path) -> Path:
    """``X.values.csv`` beside ``X.ir``, both compressed or neither."""
    packed = ".gz" if trace.suffix == ".gz" else ""
    return trace.with_name(
        f"{trace.name.removesuffix('.gz').removesuffix('.ir')}.values.csv{packed}"
    )


class _Finishing:
    """Files that are written under other names and put in place together, when all are whole."""

    def __init__(self) -> None:
        self._written: list[tuple[str, Path]] = []
        self._dropped: list[Path] = []

    def __enter__(self) -> _Finishing:
        return self

    def write(self, target: Path, lines: Iterable[str]) -> None:
        """Write a file, compressed where its name ends in ``.gz``."""
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        os.close(handle)
        self._written.append((name, target))
        options: dict[str, Any] = {"encoding": "utf-8", "newline": "\n"}
        packed = target.suffix == ".gz"
        with gzip.open(name, "wt", 6, **options) if packed else open(name, "w", **options) as file:
            file.writelines(lines)
        os.chmod(name, 0o644)

    def drop(self, sidecar: Path) -> None:
        """Remove the values of an earlier trace; another file of that name stays."""
        opened = gzip.open if sidecar.suffix == ".gz" else open
        try:
            with opened(sidecar, "rb") as file:
                own = file.read(len(_MAGIC)) == _MAGIC
        except (OSError, EOFError):
            return
        if own:
            self._dropped.append(sidecar)

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        for name, target in self._written:
            if kind is None:
                os.replace(name, target)
            else:
                os.unlink(name)
        if kind is None:
            for sidecar in self._dropped:
                sidecar.unlink()


def _tensors(values: Iterable[Any]) -> list[Any]:
    """All tensors among arguments, lists included, in order."""
    found: list[Any] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(value)
    return found


def _arguments(args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """All arguments of an op: the numbers among them, which no operand shows, may be the bug."""
    texts = [_argument(value) for value in args]
    texts += [f"{name}={_argument(value)}" for name, value in kwargs.items()]
    return ", ".join(texts)


def _argument(value: Any) -> str:
    """One argument, ``_`` for a tensor. What a reader of the trace could misread is escaped."""
    if isinstance(value, torch.Tensor):
        return "_"
    if value is None or type(value) in (bool, int, float):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join([_argument(item) for item in value])}]"
    if isinstance(value, str):
        return f'"{_escaped(value)}"'
    if isinstance(value, _NAMED_BY_TORCH):
        return str(value).removeprefix("torch.")
    if isinstance(value, torch.device):
        return str(value.type)  # its number is another one on every rank
    if isinstance(value, complex):
        return f"{value.real!r}{value.imag:+}j"
    # Anything else would print an address, which no two runs share.
    return f"<{_escaped(type(value).__name__)}>"


def _group(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """The group that an op communicates in, and its ranks; nothing for others."""
    if not _COMMUNICATES.match(name):
        return ""
    try:
        for value in (*args, *kwargs.values()):
            group = _process_group(value)
            if group is None:
                continue
            ranks = torch.distributed.get_process_group_ranks(group)
            listed = " ".join(map(str, ranks))
            said = str(getattr(group, "group_desc", ""))
            # What else PyTorch calls it counts the groups of one run.
            called = _escaped(said) if said not in ("", "undefined") else listed.replace(" ", "-")
            text = f";group={called};comm_rank={listed}"
            peer = _PEERS.get(name.rpartition("::")[2])
            if peer is not None and isinstance(args[2], int):
                text += f";{peer}={ranks[args[2]]}"
            return text
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
        pass
    return ""


def _await(group: str, result: Any) -> None:
    """Let communication end, where its result is to be measured: it comes in later."""
    if not group or group.count("_rank=") > 1:
        return  # of two ranks that both send first, none may wait for the other
    for value in result if isinstance(result, (list, tuple)) else [result]:
        if isinstance(value, torch.ScriptObject):
            try:
                torch.distributed.distributed_c10d.Work.unbox(value).wait()
            except (AttributeError, RuntimeError):  # who waits for it will hear of it
                return


def _process_group(value: Any) -> Any:
    """The group that an argument is or names; None if it is something else."""
    distributed = torch.distributed.distributed_c10d
    if isinstance(value, torch.ScriptObject):
        try:
            return distributed.ProcessGroup.unbox(value)
        except RuntimeError:  # another object: what is to be done with the numbers
            return None
    if isinstance(value, str) and value:
        try:
            return distributed._resolve_process_group(value)
        except (KeyError, RuntimeError, ValueError):  # a text that names no group
            return None
    return None


def _of_this_rank(path: Path) -> Path:
    """``rank_3/trace.ir`` for ``trace.ir`` on rank 3 of several."""
    rank = _rank()
    if rank is None or _TELLS_RANK.search(path.name) or _TELLS_RANK.fullmatch(path.parent.name):
        return path
    folder = path.parent / f"rank_{rank}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / path.name


def _rank() -> int | None:
    """Which of several ranks this is, as PyTorch or the launcher says; None for the only one."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank() if distributed.get_world_size() > 1 else None
    rank, size = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    return int(rank) if rank.isdecimal() and size.isdecimal() and int(size) > 1 else None


def _escaped(text: str) -> str:
    return _NOT_PLAIN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _dtype(dtype: Any) -> str:
    """``BFloat16`` for ``torch.bfloat16``, as traces of MindSpore spell it."""
    name = str(dtype).removeprefix("torch.")
    if name.startswith("float8_"):
        return "Float8" + name.removeprefix("float8_").upper()
    return _CAPITALS.sub(lambda start: start[0].upper(), name)


def _frame_text(frame: FrameType) -> str:
    """One frame as traces print it; empty for frames of the recorder."""
    file = frame.f_code.co_filename
    if file.endswith(_OWN_FILES):
        return ""
    return f"File:{file};Line:{frame.f_lineno};Function:{frame.f_code.co_name}|"


def _frames_of(stack_trace: str) -> str:
    return "".join(
        f"File:{match['file']};Line:{match['line']};Function:{match['function'].strip()}|"
        for match in _STACK_LINE.finditer(stack_trace)
    )


def recording_backend(
    trace: OpTrace, *, decompositions: dict[Any, Callable[..., Any]] | None = None
) -> Callable[..., Any]:
    """A backend for torch.compile whose ops keep the lines the user wrote, backward ones too.

        with OpTrace("compiled.ir") as trace:
            torch.compile(model, backend=recording_backend(trace))(x).sum().backward()

    It runs the graphs of AOTAutograd node by node, unoptimised, and counts their runs. With
    *decompositions* (``torch._decomp.core_aten_decompositions()``) ops are taken apart first.
    """
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func

    def compile_graph(graph: Any, _inputs: Sequence[Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            trace.compiled_runs += 1
            return _NodeRunner(graph).run(*args)

        return make_boxed_func(run)  # type: ignore[no-any-return]  # torch has no types here

    return aot_autograd(fw_compiler=compile_graph, decompositions=decompositions)  # type: ignore[no-any-return]  # likewise


class _NodeRunner(torch.fx.Interpreter):  # type: ignore[misc]  # as above
    """Runs a graph node by node, letting the recorder know each node's place in the source."""

    def run_node(self, node: Any) -> Any:
        _running_nodes.append(node.meta.get("stack_trace") or "")
        try:
            return super().run_node(node)
        finally:
            _running_nodes.pop()
