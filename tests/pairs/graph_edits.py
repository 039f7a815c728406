"""Changes that compiling makes: regions without strides, host ops, scopes, constants and noise."""

from __future__ import annotations

import random

from tests.pairs.contract import Pair
from tests.pairs.editing import Accept, Editor, layers_of, reread, runs_of
from tests.pairs.pair_edits import KNOWN
from tests.pairs.program import Program, Step

ON_HOST = {**KNOWN, "BitwiseOrTensor": "LogicalOr", "GreaterEqual": "NotLess", "GeLU": "ErfGate"}
COPYING = {"Slice": "StridedSlice", "SplitTensorView": "Split"}


def compiled_region(edit: Editor) -> bool:
    """A stretch of a layer as a graph: dense copies on the way in, no views inside."""
    side = edit.either_side()
    stretch = _stretch(edit, side, 3, 11, _may_compile)
    if not stretch:
        return False
    constants = _constants(side, stretch[0][0], edit.rng.randrange(4))
    renamed = edit.rng.random() < 0.8
    for steps in stretch:
        edit.occupy(side, [s.key for s in steps])
        _copy_views_in(edit, side, steps)
        for step in steps:
            step.scope = "Default"
            if renamed:
                step.type = COPYING.get(step.type, step.type)
            if step.type in COPYING.values():
                step.constants = constants
            for number in step.outputs:
                value = side.values[number]
                value.strides, value.offset = None, 0
                if step.type != "Reshape":
                    value.memory_of = None
    return True


def _may_compile(program: Program, step: Step) -> bool:
    in_place = any(
        program.values[value].memory_of is not None and program.values[value].strides is None
        for value in step.outputs
    )
    return bool(step.inputs and step.outputs) and not in_place and step.type != "Contiguous"


def _stretch(
    edit: Editor, side: Program, least: int, most: int, accept: Accept
) -> list[list[Step]]:
    """The same run of neighbouring steps in all layers or some."""
    layers = layers_of(side)
    length = edit.rng.randrange(least, most + 1)
    both = [set(program.order()) for program in edit.pair.sides()]

    def fits(layer: list[Step], at: int) -> bool:
        run = layer[at : at + length]
        first = side.index(run[0].key)
        return all(
            edit.free(step.place)
            and all(step.key in keys for keys in both)
            and accept(side, step)
            and side.steps[first + offset] is step
            for offset, step in enumerate(run)
        )

    starts = [
        at
        for at, _ in runs_of(layers, length, length)
        if all(fits(layer, at) for layer in layers.values())
    ]
    steps = next(iter(layers.values()), [])
    # Views are what compiling changes most.
    starts = [
        at for at in starts if any(s.type in COPYING for s in steps[at : at + length])
    ] or starts
    if not starts:
        return []
    at = edit.rng.choice(starts)
    return [layers[name][at : at + length] for name in edit.some_layers([*layers])]


def _copy_views_in(edit: Editor, side: Program, steps: list[Step]) -> None:
    inside = {value for step in steps for value in step.outputs}
    entering = dict.fromkeys(
        value
        for step in steps
        for value in step.inputs
        if value not in inside and side.values[value].strides is not None
    )
    for value in entering:
        reader = next(step for step in steps if value in step.inputs)
        _, dense = edit.insert(side, side.index(steps[0].key), "Contiguous", value, reader.key)
        reread(steps, value, dense)


def _constants(side: Program, before: Step, count: int) -> list[int]:
    """Constants put on the device just before a graph runs first."""
    values = []
    for number in range(count):
        value = side.new_value("Int64", (4,))
        step = Step(f"constant/{before.key}/{number}", f"Default/data-{number}", [], [value])
        step.noise = True
        side.steps.insert(side.index(before.key), step)
        values.append(value)
    return values


def host(edit: Editor) -> bool:
    """A stretch that fell back to the host: no operands, and its readers lost their producers."""
    side = edit.either_side()
    stretch = _stretch(edit, side, 1, 6, _may_fall_back)
    stretch = [steps for steps in stretch if side.consumers(steps[-1].outputs[0])]
    if not stretch:
        return False
    renamed, copied, dense = (edit.rng.random() < 0.4 for _ in range(3))
    for steps in stretch:
        edit.occupy(side, [s.key for s in steps])
        if dense and side.steps[side.index(steps[0].key) - 1].type != "Contiguous":
            edit.insert(
                side, side.index(steps[0].key), "Contiguous", steps[0].inputs[0], steps[0].key
            )
        for step in steps:
            step.scope, step.hidden = "Default", True
            if renamed:
                step.type = ON_HOST.get(step.type, step.type)
        if copied:
            _copies(edit, side, steps)
    return True


def _may_fall_back(program: Program, step: Step) -> bool:
    return (
        bool(step.inputs and step.outputs)
        and not program.is_view_or_in_place(step)
        and not any(program.shares_memory(value) for value in step.outputs)
        and step.type not in ("Contiguous", "Cast")
    )


def _copies(edit: Editor, side: Program, steps: list[Step]) -> None:
    """The records a copy between devices leaves, around the stretch."""
    for index, key in ((side.index(steps[-1].key) + 1, "out"), (side.index(steps[0].key), "in")):
        name = f"copy_from:kernel_actor_node:Default/{steps[0].type}-op0_output_index:0"
        step = Step(f"copy/{steps[0].key}/{key}", name, [], [])
        edit.pair.changes.optional.add(step.key)
        side.steps.insert(index, step)


def compile_whole(side: Program, rng: random.Random) -> None:
    """Scoped names throughout, whose layer numbers lie."""
    scope = rng.choice(
        ["Default", "Default/network-Net/layers-CellList/0-Block", "Gradients/Default/Grad"]
    )
    for step in side.steps:
        if not step.noise and not step.type.startswith(("copy_from", "RecordEvent", "WaitEvent")):
            step.scope = scope


def add_noise(side: Program, rng: random.Random, share: float) -> None:
    """Workspaces and bookkeeping between the steps, parameters before them."""
    kinds = [
        "AclWorkspace",
        "AclWorkspace",
        "UpdateOutputDeviceAddress",
        "kernel_graph_0_HostDSActor",
    ]
    steps = [
        Step(f"noise/parameter{number}", f"net.layers.{number}.weight", [], [], noise=True)
        for number in range(rng.randrange(3) if share else 0)
    ]
    for number, step in enumerate(side.steps):
        steps.append(step)
        while rng.random() < share:
            kind = rng.choice(kinds)
            steps.append(Step(f"noise/{number}.{len(steps)}", kind, [], [], noise=True))
    side.steps = steps


def hide_operands(pair: Pair) -> None:
    """Both traces as a stock build prints them."""
    for side in pair.sides():
        for step in side.steps:
            step.hidden = True
