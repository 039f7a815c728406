"""Modes that disturb a run below the recorder: noise of kernels, and kernels that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from mistakes import Tampering
from torch.utils._python_dispatch import TorchDispatchMode

EXACT = (
    "view",
    "transpose",
    "permute",
    "reshape",
    "expand",
    "slice",
    "select",
    "detach",
    "clone",
    "copy",
    "t",
    "unsqueeze",
    "squeeze",
    "empty",
    "zeros",
    "ones",
    "full",
    "fill",
    "zero",
    "split",
    "cat",
    "embedding",
    "index",
    "alias",
    "lift_fresh",
    "triu",
    "where",
    "arange",
    "masked_fill",
    "neg",
    "_to_copy",
    "_unsafe_view",
    "as_strided",
    "unbind",
    "constant_pad_nd",
)
"""Names of ops that hand on what they read: they make no noise."""


class Below(TorchDispatchMode):
    """Changes results before the recorder sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.tampered_at: int | None = None
        self._change: list[Callable[[str, Any], Any]] = []

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Compiled code may run."""
        return True

    def add(self, change: Callable[[str, Any], Any]) -> None:
        """Do this, too, to every tensor that an op returns."""
        self._change.append(change)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the op and change what it returns."""
        result = func(*args, **(kwargs or {}))
        if any(kind.__name__ == "FakeTensor" for kind in types) or not self._change:
            return result
        name = func._schema.name if hasattr(func, "_schema") else ""
        for change in self._change:
            change(name, result)
        return result


def noise(seed: int) -> Callable[[str, Any], Any]:
    """About every second element is one step of its precision off, in results that are computed."""
    generator = torch.Generator().manual_seed(seed)

    def change(name: str, result: Any) -> None:
        if name.removeprefix("aten::").rstrip("_") in EXACT:
            return
        for tensor in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
                step = torch.finfo(tensor.dtype).eps / 2
                steps = torch.randint(-1, 2, tensor.shape, generator=generator)
                tensor.mul_(
                    1 + steps.double() * step * 1.01
                ) if tensor.dtype == torch.float64 else (
                    tensor.copy_(
                        (tensor.double() * (1 + steps.double() * step * 2)).to(tensor.dtype)
                    )
                )

    return change


def tampering(
    spec: Tampering, count: Callable[[], int], report: Below
) -> Callable[[str, Any], Any]:
    """Make one op wrong; *count* tells how many ops were recorded before it."""
    seen = 0

    def change(name: str, result: Any) -> None:
        nonlocal seen
        if name != spec.op:
            return
        if seen == spec.turn:
            report.tampered_at = count()
            tensor = result[0] if isinstance(result, (list, tuple)) else result
            if spec.how == "scale":
                tensor.mul_(1.003)
            elif spec.how == "row":
                tensor.select(-2, 0).zero_()
            else:
                tensor.copy_(tensor.to(torch.float8_e5m2).to(tensor.dtype))
        seen += 1

    return change
