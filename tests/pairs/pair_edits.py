"""Changes that leave every op its counterpart: names, specs, operands, attributes, wiring."""

from __future__ import annotations

from tests.pairs.contract import LOOKED_THROUGH
from tests.pairs.editing import Editor, reread
from tests.pairs.program import Program, Step, Value

KNOWN = {
    "AddExt": "Add",
    "SubScalar": "Sub",
    "Muls": "Mul",
    "MatMulExt": "MatMul",
    "BatchMatMulExt": "BatchMatMul",
    "SumExt": "ReduceSum",
    "MeanExt": "ReduceMean",
    "BitwiseOrTensor": "BitwiseOr",
    "Slice": "StridedSlice",
    "SplitTensorView": "SplitV",
    "Transpose": "TransposeView",
    "InplaceAddExt": "Add",
    "NonZero": "NonZeroExt",
    "ReluGrad": "ThresholdGrad",
}
UNKNOWN = {
    "SiLU": ("GeLU", "Mish"),
    "GeLU": ("ReLU", "FastGeLU"),
    "ReLU": ("GeLU", "Elu"),
    "ReluGrad": ("GeLUGrad",),
    "Tanh": ("Erf", "HSwish"),
    "Sigmoid": ("HSigmoid", "Erf"),
    "Exp": ("Expm1",),
    "RmsNorm": ("LayerNorm",),
    "Softmax": ("LogSoftmax",),
    "Add": ("Maximum", "Hypot"),
    "Mul": ("Atan2", "Minimum"),
    "AllReduce": ("ReduceScatter",),
    "MaxPool": ("AvgPool",),
    "Abs": ("Sinh", "Ceil"),
    "Square": ("Cosh", "Floor"),
}
_OTHER_ATTRS = {"group": "pp-0-3", "comm_rank": "0 2"}


def _types_near(program: Program, key: str, reach: int = 3) -> set[str]:
    at = program.index(key)
    return {step.type for step in program.steps[max(0, at - reach) : at + reach + 1]}


def rename(edit: Editor, names: dict[str, tuple[str, ...]]) -> bool:
    """Other names for the same place."""
    side = edit.either_side()
    keys = edit.pick(side, lambda program, step: step.type in names)
    if not keys:
        return False
    name = edit.rng.choice(names[side.step(keys[0]).type])
    if any(name in _types_near(side, key) for key in keys):
        return False
    for key in keys:
        side.step(key).type = name
    return True


def known_name(edit: Editor) -> bool:
    return rename(edit, {name: (other,) for name, other in KNOWN.items()})


def all_known_names(edit: Editor) -> bool:
    """Eager names on one side, graph names on the other, all through the trace."""
    side = edit.either_side()
    found = edit.places(side, lambda program, step: step.type in KNOWN)
    for keys in found:
        for key in keys:
            side.step(key).type = KNOWN[side.step(key).type]
    for keys in found:
        edit.occupy(side, keys, reach=0)
    return bool(found)


def unknown_name(edit: Editor) -> bool:
    return rename(edit, UNKNOWN)


def _own_output(program: Program, step: Step) -> bool:
    """One output in memory of its own that nothing else is a piece of."""
    if len(step.outputs) != 1 or step.type in LOOKED_THROUGH:
        return False
    value = step.outputs[0]
    return (
        program.values[value].strides is None
        and not program.shares_memory(value)
        and value not in program.source.values()
        and bool(program.values[value].shape)
    )


def _output(program: Program, key: str) -> Value:
    return program.values[program.step(key).outputs[0]]


def dtype(edit: Editor) -> bool:
    side = edit.either_side()
    keys = edit.pick(side, _own_output)
    for key in keys:
        value = _output(side, key)
        value.dtype = "Float16" if value.dtype != "Float16" else "Float32"
    return bool(keys)


def shape(edit: Editor) -> bool:
    side = edit.either_side()
    keys = edit.pick(side, _own_output)
    for key in keys:
        value = _output(side, key)
        value.shape = (value.shape[0] + 1, *value.shape[1:])
    return bool(keys)


def layout(edit: Editor) -> bool:
    """Other strides, or another offset, of a view that no further view is taken of."""

    def accept(program: Program, step: Step) -> bool:
        return all(
            program.values[value].strides is not None
            and all(other.memory_of != value for other in program.values.values())
            for value in step.outputs
        ) and bool(step.outputs)

    side = edit.either_side()
    keys = edit.pick(side, accept)
    moved = edit.rng.random() < 0.5
    for key in keys:
        for number in side.step(key).outputs:
            value = side.values[number]
            if moved:
                value.offset += 4096
            else:
                value.strides = (2 * (value.strides or (1,))[0], *(value.strides or (1,))[1:])
    return bool(keys)


def operands(edit: Editor) -> bool:
    """One input more, one less, or one output more."""
    side = edit.either_side()
    fate = edit.rng.choice(["more", "less", "output"])

    def accept(program: Program, step: Step) -> bool:
        if not step.inputs or program.is_view_or_in_place(step):
            return False
        return fate != "less" or len({*step.inputs}) > 1

    keys = edit.pick(side, accept)
    for key in keys:
        step = side.step(key)
        if fate == "more":
            step.inputs.append(side.new_value("Bool", (7, 5)))
        elif fate == "less":
            step.inputs.pop()
        else:
            step.outputs.append(side.new_value("Float32", (7, 5)))
    return bool(keys)


def attrs(edit: Editor) -> bool:
    """Another stream, group, event or set of ranks."""
    side = edit.either_side()
    keys = edit.pick(side, lambda program, step: True)
    if not keys:
        return False
    name = edit.rng.choice(sorted(side.step(keys[0]).attrs))
    for key in keys:
        known = side.step(key).attrs
        known[name] = _OTHER_ATTRS.get(name) or str(int(known[name]) + 7)
    return True


def rewire(edit: Editor) -> bool:
    """An input taken from another step of the same layer that gives the like."""
    side = edit.either_side()
    options = [
        (keys, slot, other)
        for keys in edit.places(side, lambda program, step: bool(step.inputs))
        for slot in range(len(side.step(keys[0]).inputs))
        for other in edit.shared()
        if edit.free(other)
    ]
    edit.rng.shuffle(options)
    fitting = (option for option in options if _rewirable(side, *option))
    keys, slot, other = next(fitting, ([], 0, ""))
    if not keys:
        return False
    chosen = edit.some_layers(keys)
    edit.occupy(side, chosen)
    for key in chosen:
        step = side.step(key)
        step.inputs[slot] = side.step(_sibling(key, other)).outputs[0]
        edit.occupy(side, [_sibling(key, other)])
    return True


def _sibling(key: str, place: str) -> str:
    """The key of a place in the layer of another key."""
    head = key.partition("/")[0]
    return f"{head}/{place}" if head.startswith("layer") else place


def _rewirable(side: Program, keys: list[str], slot: int, other: str) -> bool:
    known = side.order()
    for key in keys:
        source = _sibling(key, other)
        if source not in known or known.index(source) >= known.index(key):
            return False
        step, giver = side.step(key), side.step(source)
        old = step.inputs[slot]
        taker = side.producer(old)
        if taker is None or len(giver.outputs) != 1 or giver.outputs[0] in step.inputs:
            return False
        if {taker.type, giver.type} & LOOKED_THROUGH or taker.key not in known:
            return False
        # Reading a sibling of the same type looks as if the two had changed places.
        if taker.type == giver.type:
            return False
        new = giver.outputs[0]
        if side.values[old].spec != side.values[new].spec:
            return False
        if side.shares_memory(old) or side.shares_memory(new):
            return False
    return True


def contiguous(edit: Editor) -> bool:
    """A dense copy before a step, with or without operands, as at the border of a graph."""

    def accept(program: Program, step: Step) -> bool:
        if not step.inputs or step.type == "Contiguous":
            return False
        writer = program.producer(step.inputs[0])
        at = program.index(step.key)
        return (
            writer is not None
            and writer.type != "Contiguous"
            and not (step.outputs and program.is_view_or_in_place(step))
            and program.steps[at - 1].type != "Contiguous"
        )

    side = edit.either_side()
    keys = edit.pick(side, accept)
    hidden = edit.rng.random() < 0.3
    for key in keys:
        step = side.step(key)
        old = step.inputs[0]
        added, out = edit.insert(side, side.index(key), "Contiguous", old, key)
        added.hidden = hidden
        reread([step], old, out)
    return bool(keys)


def contiguous_gone(edit: Editor) -> bool:
    """A copy that one side does without: its readers see the view."""
    side = edit.either_side()
    keys = edit.pick(side, lambda program, step: step.type == "Contiguous")
    for key in keys:
        step = side.step(key)
        for reader in side.consumers(step.outputs[0]):
            reread([reader], step.outputs[0], step.inputs[0])
        side.steps.remove(step)
    return bool(keys)


def in_place(edit: Editor) -> bool:
    """A sum that is written over its first term."""

    def accept(program: Program, step: Step) -> bool:
        if step.type not in ("Add", "AddExt") or not _own_output(program, step):
            return False
        term = step.inputs[0]
        return (
            program.producer(term) is not None
            and not program.shares_memory(term)
            and program.consumers(term) == [step]
            and program.values[term].spec == program.values[step.outputs[0]].spec
        )

    side = edit.either_side()
    keys = edit.pick(side, accept)
    for key in keys:
        step = side.step(key)
        step.type = "InplaceAddExt"
        side.values[step.outputs[0]].memory_of = step.inputs[0]
    return bool(keys)
