"""``python -m lab.mindspore_runs FOLDER [GLOB]``: record the runs of the MindSpore networks there.

The tracker writes its trace when a process ends, so each run is a process of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from lab.bugs import Bug, site_key
from lab.records import Record, make_neutral, read_records
from lab.running import record_all

NETWORKS = "encoder speech recommender painter decoder vision cells detector actor".split()
LOSS, NORM, OPTIMIZER = "Neg", "Sqrt", "AdamWeightDecay"
"""Every network's loss ends in the first. Steps end with the last; a network may bring a trainer of
its own, which tells the norm of all gradients: the only op of the second type."""
_TAG = re.compile(r"# (site|at): (.+)$")


class Switches:
    """Tells the cells of a network whether they have the bug."""

    def __init__(self, bug: Bug | None) -> None:
        self._bug = bug

    def broken(self, name: str, place: str | int | None = None) -> bool:
        """Whether the bug of this name is on at this place."""
        return self._bug is not None and self._bug.covers(site_key(name, place))


def record(network: ModuleType, bug: Bug | None, way: str, path: Path) -> dict[str, Any]:
    """Run a step in another process with the tracker on; tell what is known about it."""
    place = path.with_suffix(".tracker")
    environment = {
        **os.environ,
        "MS_ALLOC_CONF": f"memory_tracker:True,memory_tracker_path:{place}",
        "MS_DEV_LAUNCH_BLOCKING": "1",
        "GLOG_v": "4",
    }
    command = [sys.executable, "-m", "lab.mindspore_runs", "--step", network.__name__]
    done = subprocess.run(
        [*command, bug.key if bug else "", way],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{path.stem} failed:\n{done.stdout}\n{done.stderr}")
    shutil.move(place / "tracker_graph.ir", path)
    shutil.rmtree(place)
    records = read_records(path)
    facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    loss_op = max(number for number, one in _forward(records) if one.op == LOSS)
    facts |= {
        "ops": len(records),
        "forward_end": loss_op,
        "loss_op": loss_op,
        "bwd_op": _end_of_backward(network, records),
        "compiled": int(way.startswith("jit")),
        "marks": _marks(network, bug, records),
    }
    make_neutral(path)
    return facts


def _forward(records: Sequence[Record]) -> Iterator[tuple[int, Record]]:
    """Records of the network itself: called by its lines, or in its graph and no gradient."""
    for number, one in enumerate(records, 1):
        by_line = any("mindspore_networks" in file for file, _ in one.frames())
        in_graph = "/" in one.name and not one.name.startswith("Gradients/")
        if by_line or in_graph:
            yield number, one


def _end_of_backward(network: ModuleType, records: Sequence[Record]) -> int:
    """The norm of all gradients, else the last op before the optimizer that computed anything."""
    if hasattr(network, "Trainer"):
        return max(number for number, one in enumerate(records, 1) if one.op == NORM)
    step = next(number for number, one in enumerate(records) if one.op == OPTIMIZER)
    return max(
        number
        for number, one in enumerate(records[:step], 1)
        if one.outputs and one.inputs and one.op != "Contiguous"
    )


def _marks(network: ModuleType, bug: Bug | None, records: Sequence[Record]) -> dict[str, list[int]]:
    """The records of every site: by tags in the lines that called them, else by their type."""
    tags = _tags(Path(str(network.__file__)))
    marks: dict[str, list[int]] = {}
    for number, one in _forward(records):
        found = [tags[frame] for frame in one.frames() if frame in tags]
        places = [words for kind, words in found if kind == "at"]
        for name in {name for kind, words in found if kind == "site" for name in words.split(", ")}:
            key = name if "@" in name or not places else f"{name}@{places[0]}"
            marks.setdefault(key, []).append(number)
        if bug is not None and not found and bug.shows == one.op and "/" in one.name:
            marks.setdefault(bug.key, []).append(number)
    return marks


def _tags(file: Path) -> dict[tuple[str, int], tuple[str, str]]:
    """What the comments of a network say about its lines."""
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    found = ((number, _TAG.search(line)) for number, line in lines)
    return {(str(file), number): (tag[1], tag[2]) for number, tag in found if tag is not None}


# In a process of its own


def step(module: str, key: str, way: str) -> None:
    """One training step; its numbers are printed, its trace is written when the process ends."""
    import mindspore as ms
    from mindspore import Tensor, nn

    from lab.visible_operands import show_operands

    show_operands()
    network = import_module(module)
    switches = Switches(next((bug for bug in network.BUGS if bug.key == key), None))
    cell = network.Network(switches)
    weights = cell.trainable_params()
    for parameter in weights:  # what an op has written has an address that the tracker knows
        parameter.set_data(parameter * 1.0)
    data = [Tensor(values) * 1 for values in network.inputs()]
    own = hasattr(network, "Trainer")
    if own:
        trainer = network.Trainer(switches, weights)
        optimizer, changed = trainer.optimizer, [*weights, *trainer.moments()]
    else:
        optimizer, changed = nn.AdamWeightDecay(weights, 0.01, weight_decay=0.01), weights

    def forward(*inputs: Any) -> Any:
        return cell(*inputs)

    differentiate = ms.value_and_grad(
        ms.jit(forward) if way == "jit_forward" else forward, None, optimizer.parameters
    )

    def whole(*inputs: Any) -> Any:
        loss, gradients = differentiate(*inputs)
        if own:
            return loss, trainer(gradients)
        optimizer(gradients)
        return (loss,)

    loss, *norm = (ms.jit(whole) if way == "jit_step" else whole)(*data)
    # Looking at a gradient may copy it, which would be recorded.
    facts = {"loss": float(loss.asnumpy()), "weights": digest(changed)}
    if norm:
        facts["gradients"] = float(norm[0].asnumpy())
    print(json.dumps(facts), flush=True)


def digest(tensors: Sequence[Any]) -> float:
    """One number that changes when any number in the tensors does, or changes its place."""
    import numpy as np

    total = 0.0
    for place, tensor in enumerate(tensors, 1):
        flat = tensor.asnumpy().astype(np.float64).ravel()
        total += float(flat @ np.linspace(1, 2, flat.size)) * (1 + 0.1 * place)
    return total


if __name__ == "__main__":
    if sys.argv[1] == "--step":
        step(*sys.argv[2:])
    else:
        record_all("ms_", [f"lab.mindspore_networks.{name}" for name in NETWORKS], record)
