"""Record what a PyTorch program executes, in the syntax of MindSpore's tracker.

    import opdiff.record

    with opdiff.record.OpTrace("eager.ir"):
        step()

One file that needs PyTorch and nothing else: it may be copied next to a script.

While an ordinary dispatch mode is active, torch.compile silently runs everything eagerly. OpTrace
tells PyTorch not to mind it, which PyTorch has understood since ``ignore_compile_internals``; on
older versions recording says so. ``compiled_runs`` tells whether compiled code really ran.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

_CAPITALS = re.compile(r"^(?:bf|ui|[a-z])")
_OWN_FILES = (
    __file__,
    "/torch/_compile.py",
    "/torch/_ops.py",
    "/torch/_dynamo/eval_frame.py",
    "/torch/utils/_python_dispatch.py",
)
"""Files whose frames only say that an op was dispatched."""
_GENERATED = ("<eval_with_key>", "torchinductor_")
"""Marks in the file names of code that torch.compile made."""
_running_nodes: list[str] = []
"""The user's stack of the graph node that :func:`recording_backend` is running."""
_STACK_LINE = re.compile(r'File "(?P<file>.*?)", line (?P<line>\d+), in (?P<function>.*)')
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_ .,:/+*<>-]")
"""What a text among the arguments must not print as it is: a reader might take it for syntax."""
_NAMED_BY_TORCH = (torch.dtype, torch.layout, torch.memory_format)


class OpTrace(TorchDispatchMode):  # type: ignore[misc]  # torch is not installed where types are checked
    """A context manager that records every op run inside it.

    With *path* the trace is saved there when the context ends, also after an exception.
    Without *stacks* recording is faster, and only :func:`recording_backend` counts compiled runs.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, stacks: bool = True) -> None:
        super().__init__()
        self.compiled_runs = 0
        """How often compiled code ran, at least; 0 means that everything ran eagerly."""
        self._path = path
        self._stacks = stacks
        self._records: list[tuple[str, str, str, str, str]] = []
        self._memory = _Memory()
        self._specs: dict[tuple[Any, ...], str] = {}
        self._names: dict[Any, str] = {}
        self._frames: dict[tuple[CodeType, int], str] = {}
        self._node_stacks: dict[str, str] = {}
        self._running: tuple[int, int] = (0, 0)

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
        """Write the trace, compressed where the name ends in ``.gz``; never half a file."""
        target = Path(path)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        os.close(handle)
        try:
            opened = gzip.open if target.suffix == ".gz" else open
            with opened(name, "wt", encoding="utf-8", newline="\n") as file:
                file.writelines(self._lines())
            os.chmod(name, 0o644)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise

    def _lines(self) -> Iterable[str]:
        for number, (header, arguments, outputs, inputs, stack) in enumerate(self._records):
            attrs = f"stream_id=0, args=({arguments})"
            yield f"{header}, task_info: {number}, attrs {{{attrs}}} \n"
            yield f"    ({outputs}) <- ({inputs})\n    # {stack}\n"

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
        read = _tensors(args)
        if kwargs:
            read += _tensors(kwargs.values())
        # Before the call: an op that works in place may change what its inputs look like.
        input_ids, inputs = self._describe(read)
        arguments = _arguments(args, kwargs)
        stack = self._stack(sys._getframe(1)) if self._stacks else ""
        result = func(*args, **kwargs)
        output_ids, outputs = self._describe(_tensors((result,)))
        name = self._names.get(func)
        if name is None:
            name = self._names[func] = _op_name(func)
        header = f"({output_ids}) = {name}({input_ids})"
        self._records.append((header, arguments, outputs, inputs, stack))
        return result

    def _describe(self, tensors: list[Any]) -> tuple[str, str]:
        """Ids and specs of tensors, as the trace prints them."""
        if not tensors:
            return "", ""
        ids, specs = [], []
        for tensor in tensors:
            number, size = self._memory.block(tensor)
            ids.append(f"%{number}")
            specs.append(self._spec(tensor, size))
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


class _Memory:
    """Numbers for blocks of memory: one a storage, shared by all its views.

    A weak reference keeps the bare handle of a storage alive, not its data: so long as we hold it,
    no other storage can get the same handle, and memory used again gets a new number.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, tuple[int, StorageWeakRef]] = {}
        self._others: weakref.WeakKeyDictionary[_Identity, int] = weakref.WeakKeyDictionary()
        self._next = 0

    def block(self, tensor: Any) -> tuple[int, int | None]:
        """The number of a tensor's block, and its size in bytes (None where it has no storage)."""
        try:
            storage = tensor.untyped_storage()
            handle = storage._cdata
        except (NotImplementedError, RuntimeError):  # sparse tensors and wrappers have none
            return self._other(tensor), None
        known = self._blocks.get(handle)
        if known is None:
            known = self._blocks[handle] = (self._number(), StorageWeakRef(storage))
        return known[0], storage.nbytes()

    def _other(self, tensor: Any) -> int:
        identity = getattr(tensor, "_opdiff_identity", None)
        if identity is None:
            identity = tensor._opdiff_identity = _Identity()
            self._others[identity] = self._number()
        number = self._others.get(identity)
        if number is None:  # seen by another recorder before
            number = self._others[identity] = self._number()
        return number

    def _number(self) -> int:
        self._next += 1
        return self._next


class _Identity:
    """Stands for a tensor that cannot be told by its storage."""

    __slots__ = ("__weakref__",)


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


def _escaped(text: str) -> str:
    return _NOT_PLAIN.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _op_name(func: Any) -> str:
    """``aten::add`` for ``aten.add.Tensor``: the overload says nothing the operands do not."""
    schema = getattr(func, "_schema", None)
    if schema is not None:
        return str(schema.name)
    return f"higher_order::{getattr(func, '__name__', func)}"


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


def recording_backend(trace: OpTrace) -> Callable[..., Any]:
    """A backend for torch.compile whose ops keep the lines the user wrote, backward ones too.

        with OpTrace("compiled.ir") as trace:
            torch.compile(model, backend=recording_backend(trace))(x).sum().backward()

    It runs the graphs of AOTAutograd node by node, unoptimised, and counts their runs.
    """
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func

    def compile_graph(graph: Any, _inputs: Sequence[Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            trace.compiled_runs += 1
            return _NodeRunner(graph).run(*args)

        return make_boxed_func(run)  # type: ignore[no-any-return]  # torch has no types here

    return aot_autograd(fw_compiler=compile_graph)  # type: ignore[no-any-return]  # likewise


class _NodeRunner(torch.fx.Interpreter):  # type: ignore[misc]  # as above
    """Runs a graph node by node, letting the recorder know each node's place in the source."""

    def run_node(self, node: Any) -> Any:
        _running_nodes.append(node.meta.get("stack_trace") or "")
        try:
            return super().run_node(node)
        finally:
            _running_nodes.pop()
