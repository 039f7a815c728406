"""Large files of every format that frameworks write: a chain of layers, over and over."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

_KINDS = ("mul", "add", "rsqrt", "addmm", "view", "transpose", "softmax", "relu")


def _calls(ops: int) -> Iterator[tuple[int, str]]:
    for number in range(ops):
        yield number, _KINDS[number % len(_KINDS)]


def _tensor(number: int) -> dict[str, Any]:
    held = {"Max": number * 0.5, "Min": -number * 0.25, "Mean": 0.1, "Norm": number + 0.1}
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 16, 32], **held}


def _msprobe(ops: int) -> Iterator[str]:
    yield '{\n "task": "statistics",\n "level": "L1",\n "framework": "pytorch",\n "data": {\n'
    for number, kind in _calls(ops):
        inputs = [_tensor(number), _tensor(number - 1), {"type": "float", "value": 1e-05}]
        entry = {"input_args": inputs, "input_kwargs": {}, "output": [_tensor(number + 1)]}
        comma = "," if number + 1 < ops else ""
        text = json.dumps(entry, indent=1).replace("\n", "\n  ")
        yield f'  "Tensor.{kind}.{number}.forward": {text}{comma}\n'
    yield " }\n}\n"


def _execution_trace(ops: int) -> Iterator[str]:
    yield '{\n  "schema": "1.1.1-chakra.0.0.4", "pid": 1,\n  "nodes": [\n'
    for number, kind in _calls(ops):
        values = [[number, number, 0, 1024, 4, "cpu"], 1e-05]
        side = {"shapes": [[2, 16, 32], []], "types": ["Tensor(float)", "Double"]}
        side["strides"] = [[512, 32, 1], []]
        made = {"values": [[number + 1, number + 1, 0, 1024, 4, "cpu"]], "shapes": [[2, 16, 32]]}
        schema = {"name": "op_schema", "type": "string", "value": f"aten::{kind}(Tensor self)"}
        node = {
            "id": number + 3,
            "name": f"aten::{kind}",
            "ctrl_deps": 2,
            "inputs": {"values": values, **side},
            "outputs": {**made, "types": ["Tensor(float)"], "strides": [[512, 32, 1]]},
            "attrs": [schema, {"name": "tid", "type": "uint64", "value": 1}],
        }
        yield f"      {json.dumps(node)}{',' if number + 1 < ops else ''}\n"
    yield "  ]\n}\n"


def _chrome_trace(ops: int) -> Iterator[str]:
    yield '{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [\n'
    for number, kind in _calls(ops):
        inputs = {"Input Dims": [[2, 16, 32], []], "Input type": ["float", "Scalar"]}
        inputs |= {"Input Strides": [[512, 32, 1], []], "Concrete Inputs": ["", "1e-05"]}
        place = {"pid": 1, "tid": 1, "ts": 10 * number, "dur": 9.5}
        event = {"ph": "X", "cat": "cpu_op", "name": f"aten::{kind}", **place, "args": inputs}
        frame = {"ph": "X", "cat": "python_function", "name": "net.py(3): f", **place}
        comma = "," if number + 1 < ops else ""
        yield f"  {json.dumps(frame)},\n  {json.dumps(event)}{comma}\n"
    yield "]}\n"


def _address(number: int) -> int:
    """Where a tensor lies: an allocator gives the same memory again and again."""
    return 0x12C0C0000000 + 4096 * (number % 5000)


def _npu_log(ops: int) -> Iterator[str]:
    tensor = "Tensor size: [2, 16, 32], stride: [512, 32, 1], offset: 0, dtype: float, device ID: 0"
    for number, kind in _calls(ops):
        head = f"I0821 14:44:20.123000 42] [rank:0] aclnn{kind.title()} EXEC_NPU_CMD stream_id=2, "
        yield head + "aic_num=24 aiv_num=48 with task_queue = 1\n"
        yield f"self: {tensor}, data_ptr: {_address(number):#x}\n"
        yield "alpha: Scalar: 1, type: Long\n"
        yield f"out: {tensor}, data_ptr: {_address(number + 1):#x}\n\n"


def _fx(ops: int) -> Iterator[str]:
    yield 'class GraphModule(torch.nn.Module):\n    def forward(self, v0: "f32[2, 16, 32]"):\n'
    for number, kind in _calls(ops):
        if number % 4 == 0:
            yield f"        # File: /home/user/net.py:{number % 500} in f, code: x = f(x)\n"
        yield f'        v{number + 1}: "f32[2, 16, 32][512, 32, 1]cpu" = '
        yield f"torch.ops.aten.{kind}.Tensor(v{number}, 1e-05);  v{number} = None\n"
    yield f"        return (v{ops},)\n"


def _debugmode(ops: int) -> Iterator[str]:
    for number, kind in _calls(ops):
        if number % 8 == 0:
            yield f"    [nn.Mod] GPT.blocks.{number // 8}\n"
        yield f"      aten::{kind}.Tensor(t${number}: f32[2, 16, 32], 1e-05)  ->  "
        yield f"t${number + 1}: f32[2, 16, 32]  # {{'input_hash': (({number}.5, None), {{}}), "
        yield f"'hash': {number + 1}.5}}\n"


def _execute_order(ops: int) -> Iterator[str]:
    yield "index,node_name,logic_id,stream_id,node_info,event_id,group\n"
    for number, kind in _calls(ops):
        node = f"@kernel_graph0:CNode_{number + 1}{{[0]: ValueNode<Primitive> PrimFunc_{kind}, "
        node += f"[1]: CNode_{number}, [2]: ValueNode<BoolImm> false}}"
        yield f'"{number}","Default/net/{kind}-op{number}","1","0","{node}","",""\n'


def _torchair(ops: int) -> Iterator[str]:
    yield 'name: "graph_1"\n'
    meta = "Tensor(dtype=torch.float32, shape=torch.Size([2, 16, 32])"
    for number, kind in _calls(ops):
        yield f'op {{\n  name: "{kind}_{number + 1}"\n  type: "{kind.title()}"\n'
        if number:
            yield f'  input: "{_KINDS[(number - 1) % len(_KINDS)]}_{number}:0"\n'
        yield '  attr {\n    key: "axis"\n    value {\n      i: 1\n    }\n  }\n'
        yield '  output_desc {\n    name: "y"\n    attr {\n      key: "_meta"\n      value {\n'
        yield f'        s: "{meta}"\n      }}\n    }}\n  }}\n}}\n'


def _text(pieces: Callable[[int], Iterator[str]]) -> Callable[[Path, int], Path]:
    def write(folder: Path, ops: int) -> Path:
        path = folder / pieces.__name__
        with path.open("w", encoding="utf-8") as file:
            file.writelines(pieces(ops))
        return path

    return write


def _dump(folder: Path, ops: int) -> Path:
    """Of a folder of files there are only some thousand."""
    inside = folder / "dump"
    inside.mkdir()
    for number, kind in _calls(min(ops, 2000)):
        for slot, side in enumerate(("input", "output")):
            name = f"{kind.title()}.Default_net_{kind.title()}-op{number}.0.0.{2 * number + slot}"
            values = np.arange(1024, dtype=np.float32) + number + slot
            np.save(inside / f"{name}.{side}.0.DefaultFormat.Float32.npy", values)
    return inside


FILES: dict[str, Callable[[Path, int], Path]] = {
    "msprobe": _text(_msprobe),
    "pytorch-et": _text(_execution_trace),
    "torch-profiler": _text(_chrome_trace),
    "torch-npu-log": _text(_npu_log),
    "fx": _text(_fx),
    "torch-debugmode": _text(_debugmode),
    "torchair": _text(_torchair),
    "mindspore-execute-order": _text(_execute_order),
    "mindspore-dump": _dump,
}
"""For each format: writes a file, or a folder, of so many ops."""

JSON = frozenset({"msprobe", "pytorch-et", "torch-profiler"})
