"""Print the names of all ops that the framework in this environment has, as opdiff spells them.

Made once a release of a framework, for ``src/opdiff/data/known_names.txt``:

    for python in .venv-torch .venv-mindspore; do
        PYTHONPATH=src $python/bin/python tools/op_names.py
    done | LC_ALL=C sort -u
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

from opdiff.compare.names.spelling import spelling

_NAMESPACES = ("aten::", "prims::", "c10d::", "_c10d_functional::")


def torch_names() -> Iterator[str]:
    """What PyTorch dispatches, and the functions that users call."""
    import torch

    for name in torch._C._dispatch_get_all_op_names():
        if name.startswith(_NAMESPACES):
            yield name
    for module in (torch, torch.Tensor, torch.nn.functional):
        for name in dir(module):
            if callable(getattr(module, name, None)) and name[:1].islower():
                yield name


def mindspore_names() -> Iterator[str]:
    """MindSpore's primitives."""
    from mindspore.ops import auto_generate, operations
    from mindspore.ops.primitive import Primitive

    modules = [auto_generate.gen_ops_prim]
    for module in pkgutil.walk_packages(operations.__path__, f"{operations.__name__}."):
        with contextlib.suppress(Exception):  # some need a device
            modules.append(importlib.import_module(module.name))
    for module in modules:
        for name, value in vars(module).items():
            if inspect.isclass(value) and issubclass(value, Primitive) and name[:1] != "_":
                yield name


def main() -> None:
    """One name a line."""
    for names in (torch_names, mindspore_names):
        try:
            found = {spelling(name) for name in names()}
        except ImportError:
            continue
        print("\n".join(sorted(found)))


if __name__ == "__main__":
    main()
