"""Changes of whole stretches: a layer gone, ops inserted or removed together, work done again."""

from __future__ import annotations

from tests.pairs.editing import Editor, layers_of, reread
from tests.pairs.order_edits import single_own
from tests.pairs.program import Program, Step


def layer_gone(edit: Editor) -> bool:
    """A layer that one side lacks, of a net whose layers can be told apart."""
    side = edit.either_side()
    layers = layers_of(side)
    counts = {
        side.values[step.outputs[0]].shape
        for steps in layers.values()
        for step in steps
        if step.type == "IndexSelect"
    }
    if len(counts) < len(layers) or len(layers) < 3:
        return False
    at = edit.rng.randrange(1, len(layers) - 1)
    before, gone, after = [*layers.values()][at - 1 : at + 2]
    if not all(edit.free(step.place) for step in gone):
        return False
    edit.occupy(side, [step.key for step in gone])
    # Ops that are the same in every layer can as well be those of the layer next to it.
    selected = next(n for n, step in enumerate(gone) if step.type == "IndexSelect")
    twins = [*after[:selected], *before[-1:]]
    edit.pair.changes.doubled += [
        (twin.key, step.key) for twin in twins for step in gone if step.place == twin.place
    ]
    for step in gone:
        side.steps.remove(step)
    reread(side.steps, gone[-1].outputs[0], before[-1].outputs[0])
    return True


def inserted_block(edit: Editor) -> bool:
    """Several ops in a row that only one side runs, the last of them read by what follows."""
    side = edit.either_side()
    kinds = edit.rng.sample(
        ("Dropout", "Mul", "Exp", "Log", "Floor", "Erf"), edit.rng.randrange(2, 6)
    )
    keys = edit.pick(
        side,
        lambda program, step: (
            single_own(program, step)
            and step.type not in kinds
            and bool(program.consumers(step.outputs[0]))
        ),
    )
    for key in keys:
        old = side.step(key).outputs[0]
        readers = side.consumers(old)
        at, value = side.index(key) + 1, old
        for number, kind in enumerate(kinds):
            _, value = edit.insert(side, at + number, kind, value, key)
        reread(readers, old, value)
    return bool(keys)


def recomputed(edit: Editor) -> bool:
    """The forward of a layer run again in its backward, which then reads the second results."""
    side = edit.either_side()
    layers = {
        name: ([s for s in steps if "/back/" not in s.key], [s for s in steps if "/back/" in s.key])
        for name, steps in layers_of(side).items()
    }
    if not all(back and _may_run_again(edit, side, forth) for forth, back in layers.values()):
        return False
    if not all(edit.free(s.place) for forth, back in layers.values() for s in (*forth, *back)):
        return False
    for name in edit.some_layers([*layers]):
        forth, back = layers[name]
        edit.occupy(side, [step.key for step in (*forth, *back)])
        copies = _copies_of(edit, side, forth)
        at = side.index(back[0].key)
        side.steps[at:at] = [step for step, _ in copies]
        for old, new in (pair for _, pairs in copies for pair in pairs):
            reread(back, old, new)
    return True


def _may_run_again(edit: Editor, side: Program, forth: list[Step]) -> bool:
    return bool(forth) and not any(
        side.values[value].memory_of is not None and side.values[value].strides is None
        for step in forth
        for value in step.outputs
    )


def _copies_of(
    edit: Editor, side: Program, forth: list[Step]
) -> list[tuple[Step, list[tuple[int, int]]]]:
    """The steps again, on values of their own, and which new value stands for which."""
    made: dict[int, int] = {}
    copies = []
    for step in forth:
        pairs = []
        for old in step.outputs:
            value = side.values[old]
            owner = value.memory_of
            new = side.new_value(
                value.dtype,
                value.shape,
                strides=value.strides,
                offset=value.offset,
                memory_of=None if owner is None else made.get(owner, owner),
            )
            pairs.append((old, new))
        inputs = [made.get(value, value) for value in step.inputs]
        again = Step(edit.fresh_key(step.key, "again"), step.type, inputs, [n for _, n in pairs])
        again.attrs, again.scope = dict(step.attrs), step.scope
        made.update(pairs)
        copies.append((again, pairs))
    return copies
