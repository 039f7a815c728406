"""Modes that disturb a run below the recorder: noise of kernels, and kernels that are wrong."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import torch
from mistakes import Tampering
from torch.utils._python_dispatch import TorchDispatchMode

from opdiff import record

EXACT = frozenset(
    """view transpose permute reshape expand slice select detach clone copy t unsqueeze squeeze
    empty zeros ones full fill zero split cat embedding index alias lift_fresh triu where arange
    masked_fill neg _to_copy _unsafe_view as_strided unbind constant_pad_nd gather index_select flip
    roll stack amax max min relu clamp clamp_min clamp_max abs sign scatter index_put unfold
    select_backward slice_backward repeat randn rand normal bernoulli uniform zeros_like ones_like
    empty_like full_like new_zeros new_full new_empty threshold_backward select_scatter
    slice_scatter split_with_sizes _local_scalar_dense maximum minimum scatter_reduce""".split()
)
"""Names of ops that hand on what they read, or make what no arithmetic rounds: no noise."""

Change = Callable[[str, list[torch.Tensor]], None]
"""To the results of an op of this name."""


class Below(TorchDispatchMode):
    """Changes results before the recorder sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.tampered_at: int | None = None
        self._changes: list[Change] = []

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Compiled code may run."""
        return True

    def add(self, change: Change) -> None:
        """Do this, too, to what every op returns."""
        self._changes.append(change)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the op and change what it returns."""
        result = func(*args, **(kwargs or {}))
        if any(kind.__name__ == "FakeTensor" for kind in types) or not hasattr(func, "_schema"):
            return result
        name = func._schema.name.removeprefix("aten::")
        several = result if isinstance(result, (list, tuple)) else (result,)
        tensors = [
            one for one in several if isinstance(one, torch.Tensor) and one.is_floating_point()
        ]
        for change in self._changes if tensors else ():
            change(name, tensors)
        return result


def noise(seed: int) -> Change:
    """Two of three elements are one step of their precision off, in results that are computed."""
    generator = torch.Generator().manual_seed(seed)

    def change(name: str, results: list[torch.Tensor]) -> None:
        if name.rstrip("_") in EXACT:
            return
        for tensor in results:
            steps = torch.randint(-1, 2, tensor.shape, generator=generator)
            off = 1 + steps.double() * torch.finfo(tensor.dtype).eps
            tensor.copy_((tensor.double() * off).to(tensor.dtype))

    return change


def _element(tensor: torch.Tensor) -> None:
    middle = tuple(size // 2 for size in tensor.shape)
    tensor[middle] += 0.5 * tensor.double().pow(2).mean().sqrt().item()


def _rounded(dtype: torch.dtype) -> Callable[[torch.Tensor], object]:
    return lambda tensor: tensor.copy_(tensor.to(dtype).to(tensor.dtype))


HOW: dict[str, Callable[[torch.Tensor], object]] = {
    "scale": lambda tensor: tensor.mul_(1.003),
    "fiftieth": lambda tensor: tensor.mul_(1.02),
    "short": lambda tensor: tensor.sub_(tensor.abs() * 0.1),  # a sum without a part
    "lost": lambda tensor: tensor[3].mul_(0.5),  # one of two writes to the same place
    "row": lambda tensor: tensor.select(-2, 0).zero_(),
    "part": lambda tensor: tensor.select(0, tensor.shape[0] // 2).zero_(),
    "column": lambda tensor: tensor.select(-1, 1).neg_(),
    "swap": lambda tensor: tensor.copy_(tensor.flip(0)),
    "element": _element,
    "e5m2": _rounded(torch.float8_e5m2),
    "e4m3": _rounded(torch.float8_e4m3fn),
    "bfloat16": _rounded(torch.bfloat16),
}
"""What a wrong kernel does to its result."""


def tampering(
    spec: Tampering, source: str, lines: list[int], count: Callable[[], int], report: Below
) -> Change:
    """Make one op wrong, called at *lines* if there are any; *count*: how many were recorded."""
    seen = 0

    def change(name: str, results: list[torch.Tensor]) -> None:
        nonlocal seen
        in_backward = torch._C._current_graph_task_id() != -1
        if not re.fullmatch(spec.op, name) or (spec.backward and not in_backward):
            return
        if lines and (in_backward or line_now(source) not in lines):
            return
        if seen == spec.turn:
            report.tampered_at = count()
            with torch.no_grad():
                HOW[spec.how](results[spec.output])
        seen += 1

    return change


def line_now(source: str) -> int:
    """The line of the network that runs, also where compiled code runs for it."""
    if record._running_nodes:
        found = re.findall(rf'File "{re.escape(source)}", line (\d+)', record._running_nodes[-1])
        return int(found[-1]) if found else 0
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename != source:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0
