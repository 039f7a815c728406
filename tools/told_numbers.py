"""Write down where the numbers that PyTorch's ops are told stand in what they expand into.

    .venv-torch/bin/python -m pip install --target out/op-samples expecttest
    PYTHONPATH=out/op-samples:tools .venv-torch/bin/python tools/told_numbers.py \
        > src/opdiff/data/numbers/pytorch.txt

Each number that an op can be told is changed, and the op expanded again: what changes with it, and
how, is where it is taken. A line holds the op, the place or name of the argument, what it is where
nothing is said (``-`` if nothing is), the same once more if an expansion may leave it out, and
under which names it is found how: as it is, negated, inverted, and so on. An argument that one
expansion does not hold is left out, since of it nothing can be said.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from math import isclose
from typing import Any

import torch
from decompositions import collected, inductor
from torch._decomp import core_aten_decompositions, get_decompositions
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_flatten, tree_unflatten

from opdiff.compare.names.idioms import TAKEN

PROBES = (0.3173, 0.7411)
NUMBERS = ("float", "number", "Optional[float]", "Optional[number]")
CALLS = 6
"""Calls of one op that are expanded again."""

Found = set[tuple[str, str]]
ONLY = "only"
"""Takes no other number: one that stands there is this."""


def numbers_of(func: Any, args: list[Any], kwargs: Any, table: Any) -> list[tuple[str, float]]:
    """The numbers in an expansion, each with the op that takes it."""
    flat, spec = tree_flatten((args, kwargs))
    tensors = list({id(v): v for v in flat if isinstance(v, torch.Tensor)}.values())

    def call(*given: torch.Tensor) -> Any:
        by_id = {id(tensor): each for tensor, each in zip(tensors, given, strict=True)}
        args, kwargs = tree_unflatten([by_id.get(id(value), value) for value in flat], spec)
        return func(*args, **kwargs)

    found = []
    for node in make_fx(call, decomposition_table=table)(*tensors).graph.nodes:
        if node.op == "call_function" and str(node.target).startswith(("aten.", "prims.")):
            name = "::".join(str(node.target).split(".")[:2])
            flat_args, _ = tree_flatten((node.args, node.kwargs))
            found += [
                (name, float(each))
                for each in flat_args
                if isinstance(each, int | float) and not isinstance(each, bool)
            ]
    return found


def with_number(func: Any, args: Any, kwargs: Any, which: int, number: float) -> tuple[Any, Any]:
    """The same call, told another number."""
    argument = func._schema.arguments[which]
    if argument.kwarg_only:
        return [*args], {**kwargs, argument.name: number}
    return [*args[:which], number, *args[which + 1 :]], kwargs


def ways(func: Any, args: Any, kwargs: Any, table: Any, number: float) -> Found | None:
    """Under which names a number is found how; None where the op does not expand so."""
    try:
        numbers = numbers_of(func, args, kwargs, table)
    except Exception:  # noqa: BLE001 # a number that does not go with the others
        return None
    name = f"aten::{func.overloadpacket.__name__}"
    if any(each == name for each, _ in numbers) or not numbers:
        return None
    found = set()
    for each, taken in numbers:
        known = [how for how, take in TAKEN.items() if isclose(taken, take(number), rel_tol=1e-6)]
        found |= {(each, how) for how in known or [""]}
    others = {each for each, how in found if not how}
    return {(each, how if each in others else f"{how} {ONLY}") for each, how in found if how}


def asked(func: Any, args: Any) -> Iterator[tuple[int, Any]]:
    """The arguments of a call that are numbers, those that may be given."""
    for which, argument in enumerate(func._schema.arguments):
        given = argument.kwarg_only or which <= len(args)
        if given and str(argument.type) in NUMBERS:
            yield which, argument


def lines() -> Iterator[str]:
    """Of each op and argument one."""
    prims = get_decompositions([getattr(aten, name) for name in dir(aten) if hasattr(aten, name)])
    tables = core_aten_decompositions(), inductor, prims
    for name, calls in sorted(collected().items()):
        found: dict[tuple[str, str], list[Found]] = {}
        missing: dict[tuple[str, str], set[float]] = {}
        computing = [call for call in calls.values() if _is_of_floats(call[1])]
        for (func, args, kwargs), table in product(computing[:CALLS], tables):
            for which, argument in asked(func, args):
                usual = argument.default_value if argument.has_default_value() else None
                place = argument.name if argument.kwarg_only else str(which)
                key = place, "-" if usual is None else str(float(usual))
                for number in (*PROBES, *(() if usual is None else (usual,))):
                    told = with_number(func, args, kwargs, which, number)
                    one = ways(func, *told, table, number)
                    if number in PROBES and one is not None:
                        found.setdefault(key, []).append(one)
                    elif one is not None and not one:
                        missing.setdefault(key, set()).add(float(number))
        for (place, usual), some in sorted(found.items()):
            if all(some):
                every = sorted({" ".join(each) for one in some for each in one})
                also = {each.split()[0] for each in every if not each.endswith(ONLY)}
                every = sorted(
                    {
                        each.removesuffix(f" {ONLY}") if each.split()[0] in also else each
                        for each in every
                    }
                )
                left_out = " ".join(map(str, sorted(missing.get((place, usual), ()))))
                yield (
                    f"aten::{name} {place} {usual} {left_out}".rstrip() + f" | {' | '.join(every)}"
                )


def _is_of_floats(args: Any) -> bool:
    tensors = [each for each in tree_flatten(args)[0] if isinstance(each, torch.Tensor)]
    return bool(tensors) and tensors[0].is_floating_point()


aten = torch.ops.aten


def main() -> None:
    """Print the facts."""
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    print("# Where the numbers that ops are told stand in what they expand into;")
    print(f"# written by tools/told_numbers.py from PyTorch {torch.__version__.split('+')[0]}.")
    for line in lines():
        print(line)


if __name__ == "__main__":
    main()
