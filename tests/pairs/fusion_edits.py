"""Changes where several ops on one side do the work of one on the other."""

from __future__ import annotations

from tests.pairs.contract import LOOKED_THROUGH
from tests.pairs.editing import Editor, layers_of, reread, runs_of
from tests.pairs.order_edits import single_own
from tests.pairs.program import Program, Step

EXPANSIONS = {"SiLU": ("Sigmoid", "Mul"), "RmsNorm": ("Square", "ReduceMean", "Rsqrt", "Mul")}
KERNELS = ("FusedKernel", "CustomFused", "FlashAttentionScore")
"""Names that say of themselves that they are fused: of any other it would be a guess."""


def fused(edit: Editor) -> bool:
    """A chain of steps that one kernel does on one side, named after them or not."""
    side = edit.either_side()
    layers = layers_of(side)
    options = [
        (at, length)
        for at, length in runs_of(layers, 2, 5)
        if all(_is_chain(edit, side, layer, at, length) for layer in layers.values())
    ]
    if not options:
        return False
    at, length = edit.rng.choice(options)
    chains = {name: layer[at : at + length] for name, layer in layers.items()}
    kinds = [s.type for s in next(iter(chains.values()))]
    named = f"GraphKernel_{'_'.join(kinds)}_fusion"
    kernel = named if edit.rng.random() < 0.6 else edit.rng.choice(KERNELS)
    for name in edit.some_layers([*chains]):
        _fuse(edit, side, chains[name], kernel)
    return True


def fused_apart(edit: Editor) -> bool:
    """Two steps with others between them that one kernel does, named after them."""
    side = edit.either_side()
    layers = layers_of(side)
    options = [
        (at, length)
        for at, length in runs_of(layers, 3, 6)
        if all(
            _feeds_only(edit, side, layer[at], layer[at + length - 1]) for layer in layers.values()
        )
    ]
    if not options:
        return False
    at, length = edit.rng.choice(options)
    for name in edit.some_layers([*layers]):
        first, last = layers[name][at], layers[name][at + length - 1]
        edit.occupy(side, [step.key for step in layers[name][at : at + length]])
        _fuse(edit, side, [first, last], f"GraphKernel_{first.type}_{last.type}_fusion")
    return True


def _feeds_only(edit: Editor, side: Program, first: Step, last: Step) -> bool:
    """Whether one step is only there for another, later one."""
    both = [program.order() for program in edit.pair.sides()]
    return all(
        edit.free(step.place)
        and all(step.key in keys for keys in both)
        and single_own(side, step)
        and bool(step.inputs)
        and step.attrs == {"stream_id": "0"}
        and step.type not in LOOKED_THROUGH
        for step in (first, last)
    ) and side.consumers(first.outputs[0]) == [last]


def _is_chain(edit: Editor, side: Program, layer: list[Step], at: int, length: int) -> bool:
    chain = layer[at : at + length]
    if len(chain) < length:
        return False
    start = side.index(chain[0].key)
    if [s.key for s in side.steps[start : start + length]] != [s.key for s in chain]:
        return False
    both = [program.order() for program in edit.pair.sides()]
    if not all(
        edit.free(s.place)
        and all(s.key in keys for keys in both)
        and single_own(side, s)
        and s.inputs
        and s.attrs == {"stream_id": "0"}
        and s.type not in LOOKED_THROUGH
        for s in chain
    ):
        return False
    inner = {s.key for s in chain}
    return all(
        (readers := side.consumers(s.outputs[0])) and {r.key for r in readers} <= inner
        for s in chain[:-1]
    ) and bool(side.consumers(chain[-1].outputs[0]))


def _fuse(edit: Editor, side: Program, chain: list[Step], kernel: str) -> None:
    edit.occupy(side, [s.key for s in chain])
    inner = {value for step in chain for value in step.outputs}
    inputs = [*dict.fromkeys(v for step in chain for v in step.inputs if v not in inner)]
    step = Step(edit.fresh_key(chain[0].key, "kernel"), kernel, inputs, chain[-1].outputs)
    step.scope = "Default"
    side.steps[side.index(chain[-1].key)] = step
    for gone in chain[:-1]:
        side.steps.remove(gone)
    keys = tuple(s.key for s in chain)
    both = (keys, (step.key,)) if side is edit.pair.right else ((step.key,), keys)
    edit.pair.changes.fused.append(both)


def padded_at_once(edit: Editor) -> bool:
    """Zeros, a slice of them and a copy into it, as one kernel on one side."""
    side = edit.either_side()
    parts = {
        name: [step for step in steps if "/pad/" in step.key and step.type != "Muls"]
        for name, steps in layers_of(side).items()
    }
    chains = {
        name: steps
        for name, steps in parts.items()
        if len(steps) == 3 and all(edit.free(step.place) for step in steps)
    }
    for name in edit.some_layers([*chains]) if chains else []:
        zeros, _, copy = chains[name]
        whole = side.values[zeros.outputs[0]]
        padded = side.new_value(whole.dtype, whole.shape)
        for reader in side.consumers(whole.number):
            if reader not in chains[name]:
                reread([reader], whole.number, padded)
                for value in reader.outputs:
                    if side.values[value].memory_of == whole.number:
                        side.values[value].memory_of = padded
        _fuse(edit, side, chains[name], "StridedSliceGrad")
        kernel = side.step(edit.fresh_key(zeros.key, "kernel"))
        kernel.inputs, kernel.outputs = copy.inputs[1:], [padded]
    return bool(chains)


def expanded(edit: Editor) -> bool:
    """One op on one side, the ops that stand for it on the other."""
    side = edit.either_side()
    keys = edit.pick(
        side, lambda program, step: step.type in EXPANSIONS and single_own(program, step)
    )
    for key in keys:
        step = side.step(key)
        at = side.index(key)
        source, *others = step.inputs
        added: list[Step] = []
        value = source
        for kind in EXPANSIONS[step.type]:
            part, value = edit.insert(side, at + len(added), kind, value, key)
            part.scope = "Expand"
            added.append(part)
        added[-1].inputs += [source, *others]
        added[-1].outputs = step.outputs
        side.steps.remove(step)
        both = ((step.key,), tuple(part.key for part in added))
        edit.pair.changes.fused.append(both if side is edit.pair.right else (both[1], both[0]))
    return bool(keys)
