"""``python -m lab.assemble RUNS``: put recorded runs together as cases, and check each of them.

A case is a good run and another one: with a bug, or in another way of running. What it claims is
checked against the numbers of the runs: a bug changed them, another way of running did not.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from lab.bugs import EAGER, Bug, Variant
from lab.running import run_name

CASES = Path(__file__).parent / "cases"
SETS = ("tuned", "held_out")
MODES = {
    EAGER: "same",
    "aot_eager": "aot_eager",
    "decomposed": "decomposed",
    "core_aten": "decomposed",
    "jit_forward": "mindspore-jit",
    "jit_step": "mindspore-jit",
}
NOISE, CHANGE = 1e-5, 2e-5
"""Relative: what another order of the same sums does, and what a bug must do at least."""

_IDLE = re.compile(
    r"^(?:aten::(?:view|_unsafe_view|t|transpose|permute|expand|unsqueeze|squeeze|slice|select"
    r"|detach|alias)|Contiguous|Reshape|\w*View)$"
)
"""Views, and copies that MindSpore's CPU backend makes; ways of running differ in them anyway."""
_ID = re.compile(r"%\d+")
_NOT_THE_RUN = re.compile(r", task_info: \d+")
_NAME = re.compile(r"\) = (\S+?)\(")


class Run:
    """A recorded run: its trace, three lines a record, and what is known about it."""

    def __init__(self, folder: Path, network: str, bug: str | None, way: str) -> None:
        self.name = run_name(network, bug, way)
        self.text = (folder / f"{self.name}.ir").read_text(encoding="utf-8")
        self.lines = self.text.splitlines()
        self.facts: dict[str, Any] = json.loads((folder / f"{self.name}.json").read_text("utf-8"))

    def marks(self, belongs: Callable[[str], bool], *, idle: bool) -> list[int]:
        """The header lines of sites; without *idle* ones where others are left."""
        numbers = sorted({n for key, ns in self.facts["marks"].items() if belongs(key) for n in ns})
        lines = [line_of(number) for number in numbers]
        busy = [line for line in lines if not _IDLE.match(self.op_at(line))]
        return lines if idle or not busy else busy

    def op_at(self, line: int) -> str:
        """The name of the op whose header stands there."""
        found = _NAME.search(self.lines[line - 1])
        assert found is not None, (self.name, line)
        return re.sub(r"-op\d+$", "", found[1].rsplit("/", 1)[-1])

    def has(self, op: str) -> bool:
        """Whether the forward of a graph executes ops of this type."""
        forward = rf"(?m)^\([^)]*\) = (?!Gradients/)(?:\S+/){re.escape(op)}-op\d+\("
        return bool(op) and re.search(forward, self.text) is not None

    def ordered(self, last: int) -> list[str]:
        """The records up to one, without what says nothing about the program."""
        ids: dict[str, str] = {}
        return [
            _ID.sub(
                lambda found: ids.setdefault(found[0], f"%{len(ids)}"), _NOT_THE_RUN.sub("", line)
            )
            for number, line in enumerate(self.lines[: 3 * last])
            if number % 3 != 2
        ]

    def differs(self, other: Run) -> float:
        """How far apart the numbers of two runs are, relative to the larger."""
        pairs = [
            (self.facts[key], other.facts[key])
            for key in ("loss", "gradients", "weights")
            if key in self.facts
        ]
        return max(abs(one - two) / max(abs(one), abs(two)) for one, two in pairs)

    def truth(self, marks: list[int]) -> dict[str, Any]:
        """What a case says about one side."""
        keys = ("loss", "gradients", "weights", "ops", "loss_op", "bwd_op", "compiled")
        return {key: self.facts[key] for key in keys if key in self.facts} | {"marks": marks}


def line_of(number: int) -> int:
    """The header line of a record counted from 1."""
    return 3 * (number - 1) + 1


class Network:
    """The runs of one network, and the cases that they make."""

    def __init__(self, folder: Path, file: Path) -> None:
        self._folder = folder
        about = json.loads(file.read_text(encoding="utf-8"))
        self.name: str = about["name"]
        self._held_out: bool = about["held_out"]
        self._bugs = [Bug(**{**bug, "ways": tuple(bug["ways"])}) for bug in about["bugs"]]
        self._variants = [Variant(**variant) for variant in about["variants"]]

    def run(self, bug: Bug | None, way: str) -> Run:
        """One of the runs."""
        return Run(self._folder, self.name, bug.key if bug else None, way)

    def cases(self) -> Iterator[tuple[str, dict[str, Any], tuple[Run, Run]]]:
        """The set of every case, the case, and its runs."""
        good = self.run(None, EAGER)
        for bug in self._bugs:
            for way in (EAGER, *bug.ways):
                wrong = self.run(bug, way)
                case = self._wrong(bug, way, good, wrong)
                yield SETS[self._held_out or bug.held_out], case, (good, wrong)
        for variant in self._variants:
            other = self.run(None, variant.way)
            case = self._equal(variant, good, other)
            yield SETS[self._held_out or variant.held_out], case, (good, other)

    def _wrong(self, bug: Bug, way: str, good: Run, wrong: Run) -> dict[str, Any]:
        _require(good.differs(wrong) > CHANGE, f"{wrong.name} changes no number")
        same = way == EAGER
        marks = good.marks(bug.may_cover, idle=same), wrong.marks(bug.covers, idle=same)
        _require(any(marks), f"{wrong.name}: the bug executes nothing")
        suffix = "" if same else f"-{way}"
        truth: dict[str, Any] = {
            "sort": bug.sort,
            "left": good.truth(marks[0]),
            "right": wrong.truth(marks[1]),
        }
        like = good if same else self.run(None, way)
        _require(same or not like.has(bug.shows), f"{like.name} has {bug.shows} too")
        unseen = list(self._unseen(like, wrong))
        if unseen:
            truth["unseen_from"] = unseen
        if bug.note:
            truth["note"] = bug.note
        name = f"{self.name}-{bug.key.replace('@', '_at_')}{suffix}"
        return _case(name, MODES[way], good, wrong, truth)

    def _equal(self, variant: Variant, good: Run, other: Run) -> dict[str, Any]:
        _require(good.differs(other) < NOISE, f"{other.name} changes numbers")
        truth = {"left": good.truth([]), "right": other.truth([])}
        case = _case(f"{self.name}-{variant.way}", "equal", good, other, truth)
        return {**case, "equal": True}

    @staticmethod
    def _unseen(good: Run, wrong: Run) -> Iterator[str]:
        """The starts from which both runs have the same records."""
        ends = {"whole": "ops", "backward": "bwd_op", "loss": "loss_op"}
        for start, key in ends.items():
            if good.ordered(good.facts[key]) == wrong.ordered(wrong.facts[key]):
                yield start


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(f"lab: {otherwise}")


def _case(name: str, mode: str, left: Run, right: Run, truth: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "mode": mode,
        "left": digest(left.text),
        "right": digest(right.text),
        "truth": truth,
    }


def digest(text: str) -> str:
    """What a trace is called: by its content, so that equal ones are kept once."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def write_cases(found: Iterable[tuple[str, dict[str, Any], tuple[Run, Run]]], folder: Path) -> None:
    """Replace all cases by these."""
    sets: dict[str, list[dict[str, Any]]] = {name: [] for name in SETS}
    traces = folder / "traces"
    if traces.exists():
        shutil.rmtree(traces)
    traces.mkdir(parents=True)
    for which, case, runs in found:
        sets[which].append(case)
        for run in runs:
            path = traces / f"{digest(run.text)}.ir.gz"
            if not path.exists():
                path.write_bytes(gzip.compress(run.text.encode(), mtime=0))
    for name, cases in sets.items():
        lines = ",\n".join(json.dumps(case) for case in cases)
        (folder / f"{name}.json").write_text(f"[{lines}]\n", encoding="utf-8")
        print(f"{name}: {len(cases)} cases")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{len(list(traces.iterdir()))} traces, {size / 1e6:.1f} MB")


def main() -> None:
    """Put the cases together."""
    runs = Path(sys.argv[1])
    networks = [Network(runs, file) for file in sorted(runs.glob("*.network.json"))]
    write_cases((case for network in networks for case in network.cases()), CASES)


if __name__ == "__main__":
    main()
