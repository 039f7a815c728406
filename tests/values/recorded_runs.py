"""Runs of a tiny network in numpy, written as a trace with values beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from opdiff.values.building import measure_all

Array = NDArray[np.float32]


class Tensor:
    """Some elements, and the number of the memory they lie in."""

    def __init__(self, array: Array, memory: int) -> None:
        self.array, self.memory = array, memory


class Run:
    """Records ops with what they read and wrote."""

    def __init__(self, *, noise: float = 0.0, seed: int = 0) -> None:
        self._lines: list[str] = []
        self._rows: list[str] = []
        self._memory = 0
        self._noise = noise
        self._random = np.random.default_rng(seed)

    def outside(self, array: Array) -> Tensor:
        """A tensor that no op wrote."""
        self._memory += 1
        return Tensor(array.astype(np.float32), self._memory)

    def op(
        self,
        name: str,
        read: Sequence[Tensor],
        work: Callable[..., Array],
        args: str = "",
        *,
        view: bool = False,
    ) -> Tensor:
        """Run an op and record it; a view stays in the memory of what it reads."""
        made = work(*(tensor.array for tensor in read)).astype(np.float32)
        if self._noise and name != "aten::view":
            made = (made * (1 + self._noise * self._random.choice([-1, 1], made.shape))).astype(
                np.float32
            )
        self._memory += 1
        written = Tensor(made, read[0].memory if view else self._memory)
        number = len(self._lines)
        ins = ", ".join(f"%{tensor.memory}" for tensor in read)
        attrs = f"stream_id=0, args=({args})" if args else "stream_id=0"
        specs = ", ".join(_spec(tensor) for tensor in read)
        self._lines.append(
            f"(%{written.memory}) = {name}({ins}), task_info: {number}, attrs {{{attrs}}} \n"
            f"    ({_spec(written)}) <- ({specs})\n"
            f"    # File:/net.py;Line:{number + 1};Function:step|\n"
        )
        for side, tensors in (("in", read), ("out", [written])):
            for place, tensor in enumerate(tensors):
                self._rows.append(f"{number},{side},{place},{_row(tensor.array)}")
        return written

    def dropped(self, array: Array) -> Array:
        """The elements times random numbers."""
        return array * self._random.random(array.shape)

    def write(self, folder: Path, name: str, *, values: bool = True) -> Path:
        """Both files; the path of the trace."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.ir"
        path.write_text("".join(self._lines), encoding="utf-8")
        if values:
            text = "# opdiff-values 1; sketch=count16 seed=1 hash=blake2b\n"
            text += "op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch\n"
            text += "".join(f"{row}\n" for row in self._rows)
            (folder / f"{name}.values.csv").write_text(text, encoding="utf-8")
        return path


def _spec(tensor: Tensor) -> str:
    return f"Float32:[{', '.join(map(str, tensor.array.shape))}]"


def _row(array: Array) -> str:
    told = measure_all(array, "Float32")
    sums = " ".join(f"{number:.9g}" for number in told.sketch)
    numbers = (told.minimum, told.maximum, told.mean, told.norm)
    stats = ",".join(f"{number:.9g}" for number in numbers)
    return f"{told.count},{told.nonfinite},{stats},{told.digest},{sums}"


def network(
    *,
    layers: int = 4,
    eps: float = 1e-6,
    wrong: str = "",
    noise: float = 0.0,
    seed: int = 0,
    step: int = 0,
) -> Run:
    """A few layers of products, additions and squashing, with one mistake in the third."""
    run = Run(noise=noise, seed=seed)
    made = np.random.default_rng(7 + step)
    x = run.outside(made.normal(size=(8, 16)))
    for layer in range(layers):
        here = wrong if layer == 2 else ""
        weights = [run.outside(made.normal(size=(16, 16)) / 4) for _ in range(2)]
        if here == "weight":
            weights[0] = run.outside(weights[0].array * 1.02)
        first, second = weights[::-1] if here == "swapped" else weights
        q = run.op("aten::mm", [x, first], lambda a, b: a @ b)
        k = run.op("aten::mm", [x, second], lambda a, b: a @ b)
        mixed = run.op("aten::mul", [q, q if here == "wiring" else k], lambda a, b: a * b)
        if here == "view":
            mixed = run.op("aten::view", [mixed], lambda a: a, "_, [8, 16]")
        number = 1e-2 if here == "scalar" else eps
        moved = run.op("aten::add", [mixed], lambda a, n=number: a + n, f"_, {number}")
        if here != "missing":
            moved = run.op("aten::tanh", [moved], np.tanh)
        if here == "random":
            moved = run.op("aten::native_dropout", [moved], run.dropped)
        factor = 1.5 if here == "kernel" else 1.0
        x = run.op("aten::add", [x, moved], lambda a, b, f=factor: (a + b) * f)
    return run


def trained(*, detached: bool = False, keeping: bool = False) -> Run:
    """A step of ``(exp(x a) * (x b)).sum()``, with gradients for *a* and *b*.

    The weights may be *detached*; *keeping* is what compiled graphs do: they stop the gradients of
    all that they keep, too.
    """
    run, random = Run(), np.random.default_rng(3)
    x, a, b = (run.outside(random.normal(size=(6, 6)) / 2) for _ in range(3))

    def kept(tensor: Tensor) -> Tensor:
        return run.op("aten::alias", [tensor], np.array, view=True) if keeping else tensor

    scores = run.op("aten::mm", [kept(x), kept(a)], np.matmul)
    weights = kept(run.op("aten::exp", [kept(scores)], np.exp))
    if detached:
        stop = "aten::alias" if keeping else "aten::detach"
        weights = run.op(stop, [weights], np.array, view=True)
    values = run.op("aten::mm", [x, kept(b)], np.matmul)
    mixed = run.op("aten::mul", [weights, values], np.multiply)
    loss = run.op("aten::sum", [kept(mixed)], lambda m: m.sum(keepdims=True))
    given = run.op("aten::ones_like", [loss], np.ones_like)
    grad = run.op("aten::expand", [given], lambda g: np.broadcast_to(g, (6, 6)))
    to_values = run.op("aten::mul_backward", [grad, weights], np.multiply)
    to_b = run.op("aten::mm", [x, to_values], lambda m, g: m.T @ g)
    if detached:
        to_a = run.op("aten::zeros_like", [a], np.zeros_like)
    else:
        to_weights = run.op("aten::mul_backward", [grad, values], np.multiply)
        to_scores = run.op("aten::exp_backward", [to_weights, weights], np.multiply)
        to_a = run.op("aten::mm", [x, to_scores], lambda m, g: m.T @ g)
    run.op("aten::stack", [to_a, to_b], lambda m, n: np.stack([m, n]))
    return run


def stepped(*, detached: bool = False) -> Run:
    """The same with a step for both weights, and an average of *a* that follows it.

    Where the weights are *detached*, *a* has no gradient and no step. What the backward saved is
    detached as well, as PyTorch does it.
    """
    run, random = Run(), np.random.default_rng(3)
    x, a, b, mean = (run.outside(random.normal(size=(6, 6)) / 2) for _ in range(4))
    scores = run.op("aten::mm", [x, a], np.matmul)
    weights = run.op("aten::exp", [scores], np.exp)
    if detached:
        weights = run.op("aten::detach", [weights], np.array, view=True)
    values = run.op("aten::mm", [x, b], np.matmul)
    mixed = run.op("aten::mul", [weights, values], np.multiply)
    loss = run.op("aten::sum", [mixed], lambda m: m.sum(keepdims=True))
    given = run.op("aten::ones_like", [loss], np.ones_like)
    grad = run.op("aten::expand", [given], lambda g: np.broadcast_to(g, (6, 6)))
    to_values = run.op("aten::mul_backward", [grad, weights], np.multiply)
    to_b = run.op("aten::mm", [x, to_values], lambda m, g: m.T @ g)
    further = grad
    for _ in range(20):  # a backward that is long enough to be told from the forward
        further = run.op("aten::tanh_backward", [further, values], np.multiply)
    if not detached:
        to_weights = run.op("aten::mul_backward", [grad, values], np.multiply)
        saved = run.op("aten::detach", [weights], np.array, view=True)
        to_scores = run.op("aten::exp_backward", [to_weights, saved], np.multiply)
        to_a = run.op("aten::mm", [x, to_scores], lambda m, g: m.T @ g)
    for _ in range(20):
        further = run.op("aten::tanh_backward", [further, values], np.multiply)
    if not detached:
        a = run.op("aten::_fused_sgd", [a, to_a], lambda w, g: w - 0.1 * g)
    run.op("aten::_fused_sgd", [b, to_b], lambda w, g: w - 0.1 * g)
    run.op("aten::lerp", [mean, a], lambda m, w: m + 0.1 * (w - m))
    return run
