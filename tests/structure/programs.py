"""Traces of small training programs, made op by op: all that is in them is known."""

from __future__ import annotations

from dataclasses import dataclass

from opdiff.trace import ColumnsBuilder, Frame, Operand, Source, TensorSpec, Trace

HIDDEN = TensorSpec("Float32", (8, 16))
WEIGHT = TensorSpec("Float32", (16, 16))
_LIBRARY = Frame(
    "/usr/lib/python3/site-packages/torch/autograd/graph.py", 9, "_engine_run_backward"
)
_OPTIMIZER = Frame("/usr/lib/python3/site-packages/torch/optim/adam.py", 5, "step")
_RUN = Frame("/home/a/train.py", 30, "run")
_NET = Frame("/home/a/net.py", 11, "forward")


@dataclass(frozen=True)
class Program:
    """What to run."""

    layers: int = 4
    batches: int = 1
    steps: int = 1
    train: bool = True
    stacks: bool = True
    scopes: bool = False
    odd_layer: int = -1
    """A layer with one op more."""
    sums_in_place: bool = False
    """Gradients are added to memory of their own, and losses to each other."""


class Player:
    """Plays a program; knows the rows of each part."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._builder = ColumnsBuilder()
        self._memory = 1000
        self.rows: dict[tuple[int, int, str, int], list[int]] = {}
        """Rows by step, micro-batch (-1 for none), phase and layer (-1 for none)."""
        self._here: tuple[int, int, str, int] = (0, 0, "forward", -1)
        self._total = 900

    def play(self) -> Trace:
        """The trace of all steps."""
        program = self._program
        for step in range(program.steps):
            grads: dict[int, int] = {}
            for batch in range(program.batches):
                saved = self._forward(step, batch)
                if program.train:
                    self._backward(step, batch, saved, grads)
            if program.train:
                self._update(step, grads)
        return Trace(Source("program.ir", "test"), *self._builder.build())

    def _forward(self, step: int, batch: int) -> dict[int, list[int]]:
        saved = {}
        self._here = (step, batch, "forward", -1)
        hidden = self._op("Gather", [2, self._new()], [_NET], "embedding")
        for layer in range(self._program.layers):
            self._here = (step, batch, "forward", layer)
            kept = [hidden]
            attention = [_NET, Frame("/home/a/attention.py", 40, "forward")]
            rope = [*attention, Frame("/home/a/rope.py", 7, "apply_rotary")]
            mlp = [_NET, Frame("/home/a/mlp.py", 21, "forward")]
            for name, stack, scope, weight in (
                ("RmsNorm", [_NET], "", 0),
                ("MatMul", attention, "attention", 1),
                ("Neg", rope, "attention", None),
                ("Mul", rope, "attention", None),
                ("Softmax", attention, "attention", None),
                ("MatMul", attention, "attention", 2),
                ("Dense", mlp, "mlp", 3),
                ("SiLU", mlp, "mlp", None),
                ("Dense", mlp, "mlp", 4),
            ):
                reads = [kept[-1]] if weight is None else [kept[-1], self._weight(layer, weight)]
                kept.append(self._op(name, reads, stack, f"layers.{layer}/{scope}".rstrip("/")))
                if name == "Softmax" and layer == self._program.odd_layer:
                    kept.append(self._op("Dropout", [kept[-1]], attention, f"layers.{layer}"))
            kept.append(self._op("Add", [hidden, kept[-1]], [_NET], f"layers.{layer}"))
            hidden = kept[-1]
            saved[layer] = kept
        self._here = (step, batch, "forward", -1)
        logits = self._op("LmHead", [hidden, 3], [_NET], "head")
        saved[-1] = [self._op("CrossEntropy", [logits, self._new()], [_NET], "loss"), logits]
        if self._program.sums_in_place:
            self._total = self._op("AddLoss", [self._total, saved[-1][0]], [_NET], "loss")
        return saved

    def _backward(
        self, step: int, batch: int, saved: dict[int, list[int]], grads: dict[int, int]
    ) -> None:
        self._here = (step, batch, "backward", -1)
        stack = [_LIBRARY]
        grad = self._op("CrossEntropyGrad", saved[-1], stack, "")
        self._gather(grads, 3, self._op("LmHeadGrad", [grad, saved[-1][1]], stack, ""))
        for layer in reversed(range(self._program.layers)):
            self._here = (step, batch, "backward", layer)
            kept = saved[layer]
            for place, name in enumerate(
                ("DenseGrad", "SiLUGrad", "DenseGrad", "MatMulGrad", "SoftmaxGrad", "RmsNormGrad")
            ):
                grad = self._op(name, [grad, kept[-2 - place]], stack, "")
                if place in (0, 2, 3, 5):
                    weight = self._weight(layer, place % 5)
                    made = self._op(f"{name}Weight", [grad, weight], stack, "")
                    self._gather(grads, weight, made)

    def _gather(self, grads: dict[int, int], weight: int, grad: int) -> None:
        """Gradients of several micro-batches are added up."""
        if self._program.sums_in_place:
            own = grads[weight] = 5000 + weight
            self._op("InplaceAddExt", [own, grad], [_RUN], "", output=own)
            return
        known = grads.get(weight)
        grads[weight] = grad if known is None else self._op("Add", [known, grad], [_LIBRARY], "")

    def _update(self, step: int, grads: dict[int, int]) -> None:
        for weight, grad in sorted(grads.items()):
            self._here = (step, -1, "optimizer", (weight - 10) // 10 if weight >= 10 else -1)
            self._op("Adam", [weight, grad], [_OPTIMIZER], "", output=weight)

    def _weight(self, layer: int, number: int) -> int:
        return 10 + 10 * layer + number

    def _new(self) -> int:
        self._memory += 1
        return self._memory

    def _op(
        self,
        name: str,
        reads: list[int],
        stack: list[Frame],
        scope: str,
        output: int | None = None,
    ) -> int:
        program = self._program
        made = self._new() if output is None else output
        where = f"Default/network/{scope}/".replace("//", "/") if program.scopes else ""
        backward = _LIBRARY in stack
        row = self._builder.add(
            f"{'Gradients/' if backward and where else ''}{where}{name}",
            [Operand(made, WEIGHT if output else HIDDEN)],
            [Operand(each, WEIGHT if each < 1000 else HIDDEN) for each in reads],
            stack=[_RUN, *stack] if program.stacks else (),
        )
        self.rows.setdefault(self._here, []).append(row)
        return made


def play(program: Program) -> tuple[Trace, dict[tuple[int, int, str, int], list[int]]]:
    """A trace, and the rows of each of its parts."""
    player = Player(program)
    return player.play(), player.rows
