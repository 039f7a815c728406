"""Big traces: a transformer's training steps, layer after layer, some 830 bytes an op.

Also pairs, whose right side runs part of every layer compiled: what repeats a thousand times in a
long trace, and what a comparison has to see through.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

_ROOT = "/home/user/largelm"
_LIBRARY = "/usr/lib/python3.10/site-packages/mindspore"
_OUTER = (
    ("pretrain.py", 231, "<module>"),
    ("pretrain.py", 224, "main"),
    ("training/loop.py", 418, "train"),
    ("training/loop.py", 377, "train_step"),
    ("pipeline/schedules.py", 262, "forward_backward"),
)
_FILES = ("attention", "rotary_embedding", "rms_norm", "tensor_parallel/linear", "gated_mlp")
_NAMES = (
    "RmsNorm MatMulExt AddExt Reshape Transpose Slice Mul Neg Concat Cast BatchMatMul Softmax "
    "Muls SiLU SumExt InplaceAddExt FlashAttentionScore SplitTensorView"
).split()
_DTYPES = ("BFloat16", "BFloat16", "BFloat16", "Float32")
OPS_A_LAYER = 96
_COMPILED = range(30, 45)
_GRAPH_NAMES = {"Slice": "StridedSlice", "AddExt": "Add", "SplitTensorView": "Split"}


def _stacks(random_: random.Random, count: int) -> list[str]:
    """Distinct call stacks, of as many frames as real programs have."""
    stacks = []
    for number in range(count):
        file = _FILES[number % len(_FILES)]
        frames = [*_OUTER, ("model/transformer.py", 140 + number % 7, "construct")]
        frames.append((f"model/{file}.py", 20 + number, f"construct_{number % 11}"))
        text = "".join(f"File:{_ROOT}/{f};Line:{line};Function:{name}|" for f, line, name in frames)
        line = random_.randrange(100, 30000)
        text += f"File:{_LIBRARY}/ops/auto_generate/gen_ops_prim.py;Line:{line};Function:__call__|"
        stacks.append(text)
    return stacks


def _specs(random_: random.Random) -> list[str]:
    """Tensors of one model, some of them views."""
    specs = []
    for shape in ((4096, 1, 4096), (4096, 1, 32, 128), (4096, 4096), (4096,), (1, 32, 4096, 128)):
        for dtype in _DTYPES:
            text = f"{dtype}:[{', '.join(map(str, shape))}]"
            specs.append(text)
            offset = random_.randrange(0, 4096, 64)
            strides = ", ".join(str(4096 >> axis) for axis in range(len(shape)))
            specs.append(f"{text}{{strdes=[{strides}],offset={offset}}}")
    return specs


def records(ops: int, *, compiled: bool = False, seed: int = 1) -> Iterator[str]:
    """The records of a trace of so many ops."""
    random_ = random.Random(seed)
    specs = _specs(random_)
    stacks = _stacks(random_, OPS_A_LAYER)
    plan = [
        (random_.choice(_NAMES), random_.choice(specs), random_.choices(specs, k=1 + n % 3))
        for n in range(OPS_A_LAYER)
    ]
    stamp, recent = 10, [1, 2, 3]
    for number in range(ops):
        place = number % OPS_A_LAYER
        name, output, inputs = plan[place]
        stack = stacks[place]
        read = [recent[-1 - (place + k) % len(recent)] for k in range(len(inputs))]
        if compiled and place == _COMPILED.start:
            stamp += 2
            yield _record(stamp, "Contiguous", inputs[0].partition("{")[0], read[:1], inputs[:1])
            inputs, read = [inputs[0].partition("{")[0], *inputs[1:]], [stamp, *read[1:]]
        if compiled and place in _COMPILED:
            graph_name = _GRAPH_NAMES.get(name, name)
            name, stack = f"Default/{graph_name}-op{place - _COMPILED.start}", ""
            output = output.partition("{")[0]
        stamp += 1
        yield _record(stamp, name, output, read, inputs, stack)
        recent = [*recent[-7:], stamp]
        stamp += 2 + compiled


def _record(
    stamp: int, name: str, output: str, read: list[int], inputs: list[str], stack: str = ""
) -> str:
    return (
        f"(%{stamp}) = {name}({', '.join(f'%{i}' for i in read)}), task_info: {stamp + 1}, "
        f"attrs {{stream_id=0}} \n    ({output}) <- ({', '.join(inputs)})\n    # {stack}\n"
    )


def write_trace(path: Path, ops: int, *, compiled: bool = False, seed: int = 1) -> None:
    """Write a trace of so many ops."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(records(ops, compiled=compiled, seed=seed))


def write_pair(folder: Path, ops: int) -> tuple[Path, Path]:
    """Write an eager trace and one with part of every layer compiled; returns their paths."""
    left, right = folder / f"eager-{ops}.ir", folder / f"compiled-{ops}.ir"
    write_trace(left, ops)
    write_trace(right, ops, compiled=True)
    return left, right
