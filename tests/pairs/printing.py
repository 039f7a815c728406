"""Programs printed as traces: each run has its own memory ids, stamps, counters and noise."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.pairs.program import Program, Step

_ROOT = "/home/user/train"


@dataclass(frozen=True, slots=True)
class Printed:
    """The text of a trace and the line of every step."""

    text: str
    line: dict[str, int]


class _Run:
    """The counters of one run: one clock for ids and stamps, one number a scoped name."""

    def __init__(self, program: Program, rng: random.Random, event_base: int) -> None:
        self.program = program
        self._event_base = event_base
        self._rng = rng
        self._clock = rng.randrange(2, 60)
        self._ids: dict[int, int] = {}
        self._counters: dict[str, int] = {}

    def tick(self) -> int:
        self._clock += self._rng.randrange(1, 5)
        return self._clock

    def memory(self, value: int) -> str:
        block = self.program.block(value)
        if block not in self._ids:
            self._ids[block] = self.tick()
        return f"%{self._ids[block]}"

    def name(self, step: Step) -> str:
        if not step.scope or step.noise:
            return step.type
        full = f"{step.scope}/{step.type}"
        count = self._counters[full] = self._counters.get(full, -1) + 1
        return f"{full}-op{count}"

    def spec(self, value: int) -> str:
        dtype, shape, strides, offset = self.program.values[value].spec
        text = f"{dtype}:[{', '.join(map(str, shape))}]"
        if strides is not None:
            text += f"{{strdes=[{', '.join(map(str, strides))}],offset={offset}}}"
        return text

    def attr(self, key: str, value: str) -> str:
        return (
            str(self._event_base + 64 * int(value))
            if key == "event" and self._event_base
            else value
        )

    def record(self, step: Step, stack: str) -> str:
        inputs = [] if step.hidden else [*step.inputs, *step.constants]
        outputs = [] if step.hidden else step.outputs
        written, read = (", ".join(map(self.memory, values)) for values in (outputs, inputs))
        specs = [", ".join(map(self.spec, values)) for values in (outputs, inputs)]
        attrs = ";".join(f"{key}={self.attr(key, value)}" for key, value in step.attrs.items())
        call = f"({written}) = {self.name(step)}({read})"
        return (
            f"{call}, task_info: {self.tick()}, attrs {{{attrs}}} \n"
            f"    ({specs[0]}) <- ({specs[1]})\n"
            f"    # {stack}\n"
        )


def stack_of(step: Step) -> str:
    """A stack that is the same in every layer, as loops over layers give; none inside a graph."""
    if step.scope or step.noise:
        return ""
    line = 20 + sum(map(ord, step.place)) % 400
    return (
        f"File:{_ROOT}/main.py;Line:212;Function:main|"
        f"File:{_ROOT}/model.py;Line:{line};Function:{step.place.split('/', maxsplit=1)[0]}|"
    )


def print_program(program: Program, rng: random.Random, event_base: int = 0) -> Printed:
    """The trace of one run; with a base, events are printed as pointers, as eager runs do."""
    run = _Run(program, rng, event_base)
    for value in program.values:
        if program.producer(value) is None and rng.random() < 0.5:
            run.memory(value)
    text: list[str] = []
    line: dict[str, int] = {}
    for step in program.steps:
        line[step.key] = 3 * len(text) + 1
        text.append(run.record(step, stack_of(step)))
    return Printed("".join(text), line)
