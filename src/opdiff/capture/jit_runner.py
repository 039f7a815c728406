"""Run one function under one setting of mindspore.jit. A program of its own.

The Python that has MindSpore need not have opdiff, so this file is run by its path and imports
nothing of it: ``python jit_runner.py REQUEST.json``. It writes the results as ``result.npz`` and
the times as ``times.json`` beside the request.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any, Callable  # noqa: UP035 - also runs on the oldest Python MindSpore knows

MARKER_OP = "Erfinv"
MARKER_LENGTH = 3
"""So many ops of this type in a row stand before the call whose ops are compared."""


def load(script: Path) -> ModuleType:
    """The script as a module; its ``if __name__ == "__main__"`` part does not run."""
    sys.path.insert(0, str(script.parent))
    spec = importlib.util.spec_from_file_location(script.stem, script)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{script} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[script.stem] = module
    spec.loader.exec_module(module)
    return module


def argument_sets(
    module: ModuleType, function: Callable[..., Any], name: str
) -> list[tuple[Any, ...]]:
    """What to call the function with: the sets that a function of the script returns."""
    maker = getattr(module, name, None)
    if maker is not None:
        made = maker()
        sets = list(made) if isinstance(made, list) else [made]
        return [each if isinstance(each, tuple) else (each,) for each in sets]
    parameters = inspect.signature(function).parameters.values()
    required = [p.name for p in parameters if p.default is p.empty and p.kind < p.VAR_POSITIONAL]
    if required:
        raise SystemExit(
            f"{function.__name__} needs {', '.join(required)}: define {name}() in the script, "
            "returning a tuple of arguments or a list of such tuples"
        )
    return [()]


def tensors(value: Any) -> list[Any]:
    """All tensors in a result, however nested, as NumPy arrays."""
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in tensors(item)]
    if isinstance(value, dict):
        return [array for key in sorted(value) for array in tensors(value[key])]
    import numpy

    return [value.asnumpy() if hasattr(value, "asnumpy") else numpy.asarray(value)]


def main() -> None:
    """Read the request, run, write the outcome."""
    request_path = Path(sys.argv[1])
    request = json.loads(request_path.read_text(encoding="utf-8"))
    import mindspore
    import numpy

    module = load(Path(request["script"]))
    function = getattr(module, request["function"], None)
    if not callable(function):
        raise SystemExit(f"{request['script']} has no function {request['function']}")
    sets = argument_sets(module, function, request["inputs"])
    called = mindspore.jit(**request["options"])(function) if request["options"] else function

    begin = time.perf_counter()
    results = [tensors(called(*sets[0]))]
    prepare = time.perf_counter() - begin
    results += [tensors(called(*arguments)) for arguments in sets[1:]]

    times = {"prepare": prepare, "call": None}
    if request["repeat"]:
        begin = time.perf_counter()
        for turn in range(request["repeat"]):
            last = called(*sets[turn % len(sets)])
        tensors(last)
        times["call"] = (time.perf_counter() - begin) / request["repeat"]
    else:
        mark(mindspore)
        tensors(called(*sets[-1]))
    arrays = {f"{k}_{n}": array for k, some in enumerate(results) for n, array in enumerate(some)}
    numpy.savez(request_path.parent / "result.npz", **arrays)
    (request_path.parent / "times.json").write_text(json.dumps(times), encoding="utf-8")


def mark(mindspore: ModuleType) -> None:
    """Run the ops that tell the reader of the trace where the call to compare begins."""
    half = mindspore.Tensor([0.5], mindspore.float32)
    for _ in range(MARKER_LENGTH):
        tensors(mindspore.mint.erfinv(half))


if __name__ == "__main__":
    main()
