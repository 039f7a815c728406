"""Changes of which ops there are and when they run: alone, doubled, moved, fused."""

from __future__ import annotations

from tests.pairs.contract import LOOKED_THROUGH
from tests.pairs.editing import Editor, layers_of, reread, runs_of
from tests.pairs.program import Program, Step

INSERTED = ("Dropout", "Identity", "Muls", "StopGradient", "ClampTensor", "Floor", "NanToNum")


def single_own(program: Program, step: Step) -> bool:
    return (
        len(step.outputs) == 1
        and not program.shares_memory(step.outputs[0])
        and program.values[step.outputs[0]].strides is None
        and step.outputs[0] not in program.source.values()
    )


def _neighbour_types(program: Program, step: Step) -> set[str]:
    at = program.index(step.key)
    return {s.type for s in (*program.steps[max(0, at - 2) : at], *program.steps[at + 1 : at + 3])}


def removed(edit: Editor) -> bool:
    """A step that one side lacks; what read it reads its input, or nothing read it."""

    def accept(program: Program, step: Step) -> bool:
        if not single_own(program, step) or step.type in LOOKED_THROUGH:
            return False
        if step.type in _neighbour_types(program, step):
            return False
        if not program.consumers(step.outputs[0]):
            return True
        like = program.values[step.outputs[0]].spec
        return bool(step.inputs) and program.values[step.inputs[0]].spec == like

    side = edit.either_side()
    keys = edit.pick(side, accept)
    for key in keys:
        step = side.step(key)
        readers = side.consumers(step.outputs[0])
        reread(readers, step.outputs[0], step.inputs[0] if step.inputs else 0)
        side.steps.remove(step)
    return bool(keys)


def inserted(edit: Editor) -> bool:
    """A step more, read by all that read its input, or by nobody."""
    side = edit.either_side()
    kind = edit.rng.choice(INSERTED)
    keys = edit.pick(
        side,
        lambda program, step: (
            single_own(program, step) and kind not in {step.type, *_neighbour_types(program, step)}
        ),
    )
    leaf = edit.rng.random() < 0.3
    for key in keys:
        step = side.step(key)
        old = step.outputs[0]
        readers = side.consumers(old)
        _, out = edit.insert(side, side.index(key) + 1, kind, old, key)
        if not leaf:
            reread(readers, old, out)
    return bool(keys)


def casts(edit: Editor) -> bool:
    """There and back again: two casts that change nothing in what follows."""

    def accept(program: Program, step: Step) -> bool:
        near = _neighbour_types(program, step)
        return single_own(program, step) and "Cast" not in {step.type, *near}

    side = edit.either_side()
    keys = edit.pick(side, accept)
    for key in keys:
        step = side.step(key)
        old = step.outputs[0]
        readers = side.consumers(old)
        at = side.index(key) + 1
        first, wide = edit.insert(side, at, "Cast", old, key, dtype="Float64")
        _, back = edit.insert(side, at + 1, "Cast", wide, first.key, dtype=side.values[old].dtype)
        reread(readers, old, back)
    return bool(keys)


def doubled(edit: Editor) -> bool:
    """A call made twice; what follows reads the second result or the first."""
    side = edit.either_side()
    keys = edit.pick(
        side,
        lambda program, step: (
            single_own(program, step)
            and bool(step.inputs)
            and step.type not in {*_neighbour_types(program, step), *LOOKED_THROUGH}
        ),
    )
    second = edit.rng.random() < 0.5
    for key in keys:
        step = side.step(key)
        out = side.new_value(*side.values[step.outputs[0]].spec[:2])
        again = Step(edit.fresh_key(key, step.type), step.type, [*step.inputs], [out])
        again.attrs, again.scope = dict(step.attrs), step.scope
        if second:
            reread(side.consumers(step.outputs[0]), step.outputs[0], out)
        side.steps.insert(side.index(key) + 1, again)
        edit.pair.changes.doubled.append((key, again.key))
    return bool(keys)


def _hazard(program: Program, one: Step, two: Step) -> bool:
    """Whether the order of two steps matters."""
    reads, writes = (
        [{program.block(value) for value in getattr(step, name)} for step in (one, two)]
        for name in ("inputs", "outputs")
    )
    events = bool({one.type, two.type} & {"RecordEvent", "WaitEvent"})
    return events or bool(writes[0] & (reads[1] | writes[1]) or writes[1] & (reads[0] | writes[0]))


def moved(edit: Editor) -> bool:
    """A step that runs later, past steps of other types that do not depend on it."""
    side = edit.either_side()
    layers = layers_of(side)
    options = [
        (at, length - 1)
        for at, length in runs_of(layers, 2, 6)
        if all(_may_jump(edit, side, layer, at, length - 1) for layer in layers.values())
    ]
    if not options:
        return False
    at, jump = edit.rng.choice(options)
    for name in edit.some_layers([*layers]):
        step, passed = layers[name][at], layers[name][at + 1 : at + jump + 1]
        edit.occupy(side, [s.key for s in (step, *passed)])
        side.steps.remove(step)
        side.steps.insert(side.index(passed[-1].key) + 1, step)
        edit.pair.changes.moved.append((step.key, passed[0].key) if jump == 1 else (step.key,))
    return True


def _may_jump(edit: Editor, side: Program, layer: list[Step], at: int, jump: int) -> bool:
    block = layer[at : at + jump + 1]
    if len(block) <= jump or not block[0].inputs or not block[0].outputs:
        return False
    start = side.index(block[0].key)
    if [s.key for s in side.steps[start : start + jump + 1]] != [s.key for s in block]:
        return False
    step, *passed = block
    orders = [program.order() for program in edit.pair.sides()]
    return all(
        edit.free(s.place) and all(s.key in order for order in orders) for s in block
    ) and not any(
        s.type == step.type
        or s.attrs.get("stream_id") != step.attrs.get("stream_id")  # streams have no common order
        or _hazard(side, step, s)
        for s in passed
    )


def branches_swapped(edit: Editor) -> bool:
    """Two branches that do not depend on each other, run in the other order."""
    side = edit.either_side()
    names = []
    for name, steps in layers_of(side).items():
        parts = [[s for s in steps if f"/expert{n}/" in s.key] for n in (0, 1)]
        if all(parts) and all(edit.free(s.place) for part in parts for s in part):
            names.append((name, parts))
    if not names:
        return False
    chosen = edit.some_layers([name for name, _ in names])
    for name, (first, second) in names:
        if name not in chosen:
            continue
        edit.occupy(side, [s.key for s in (*first, *second)])
        for step in first:
            side.steps.remove(step)
        at = side.index(second[-1].key) + 1
        side.steps[at:at] = first
        if len(first) == len(second):
            edit.pair.changes.moved += [(a.key, b.key) for a, b in zip(first, second, strict=True)]
        else:
            shorter = min(first, second, key=len)
            edit.pair.changes.moved += [(step.key,) for step in shorter]
    return True
