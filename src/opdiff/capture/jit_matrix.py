"""One function under every setting of mindspore.jit, each in its own process, against eager."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.capture import collecting, jit_runner
from opdiff.capture.children import CHILDREN
from opdiff.capture.running import CaptureRequest, run_and_collect
from opdiff.compare import Direction, Kind, Request, compare
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.trace import Role, Trace
from opdiff.wording import Sentence, say
from opdiff.wording.columns import aligned, widths_of

RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-4, 1e-5
Arrays = dict[str, NDArray[np.generic]]
_COLUMNS = ("setting", "result", "count", "prepare", "run", "divergences")
_NUMBERS = (2, 3, 4)
"""The places of those that are aligned to the right."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run the function."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    """The arguments of ``mindspore.jit``; none for eager."""


EAGER = Setting("eager")


def settings() -> tuple[Setting, ...]:
    """Eager, then capture modes × levels; fullgraph where a capture can leave parts out."""
    found = [EAGER]
    for fullgraph in (False, True):
        for mode in ("ast", "bytecode", "trace"):
            if fullgraph and mode == "trace":
                continue  # what was traced is the whole graph by nature
            for level in ("O0", "O1"):
                options: dict[str, object] = {"capture_mode": mode, "jit_level": level}
                if fullgraph:
                    options["fullgraph"] = True
                words = [mode, level, *(["fullgraph"] if fullgraph else [])]
                found.append(Setting(" ".join(words), options))
    return tuple(found)


def chosen_settings(globs: Sequence[str]) -> tuple[Setting, ...]:
    """Eager and the settings whose names match one of the globs; all without any."""
    every = settings()
    if not globs:
        return every
    found = [s for s in every[1:] if any(fnmatchcase(s.name, glob) for glob in globs)]
    if not found:
        names = ", ".join(setting.name for setting in every[1:])
        raise OpdiffError("capture.matrix-no-setting", globs=" ".join(globs), names=names)
    return (EAGER, *found)


class Target(NamedTuple):
    """The function to run, and what runs it."""

    script: Path
    function: str
    python: str
    inputs: str = "example_inputs"
    """The function of the script that returns the arguments."""
    repeat: int = 100

    @classmethod
    def parse(cls, text: str, python: str, *, inputs: str, repeat: int) -> Target:
        """``SCRIPT:FUNCTION``; the script must exist."""
        script, colon, function = text.rpartition(":")
        if not colon or not script or not function:
            raise OpdiffError("capture.matrix-target", target=text)
        if not Path(script).is_file():
            raise OpdiffError("capture.matrix-no-script", path=script)
        return cls(Path(script).resolve(), function, python, inputs, repeat)


class SettingOutcome(NamedTuple):
    """What one setting did."""

    setting: Setting
    error: str = ""
    """The last line of what it said before it failed; empty if it ran."""
    difference: float | None = None
    """The largest absolute difference from the eager results; infinite for other shapes."""
    equal: bool = False
    ops: int | None = None
    """How many ops the compared call ran; None without a trace."""
    by_kind: Mapping[Kind, int] | None = None
    prepare: float | None = None
    """Seconds of the first call, without the tracker."""
    call: float | None = None
    """Seconds of a later call, without the tracker."""


Announce = Callable[[str, Setting, int, int], None]
"""Called before each run: ``ops`` or ``times``, the setting, its number and how many there are."""


def jit_matrix(
    target: Target, home: Path, announce: Announce, chosen: Sequence[Setting]
) -> tuple[SettingOutcome, ...]:
    """Run every setting twice, with the tracker for its ops and without for its times.

    *chosen* begins with eager, which the others are compared with.
    """

    def tracked(numbered: tuple[int, Setting]) -> str:
        number, setting = numbered
        announce("ops", setting, number, len(chosen))
        return _run(target, setting, _folder(home, setting), 0)

    errors = [tracked((1, chosen[0]))]
    if errors[0]:
        log = str(_folder(home, chosen[0]) / "log.txt")
        raise OpdiffError("capture.matrix-eager-failed", why=errors[0], log=log)
    # Runs that are not timed may run side by side; the timed ones have the machine to themselves.
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        errors += pool.map(tracked, list(enumerate(chosen, 1))[1:])
    for index, setting in enumerate(chosen):
        if not errors[index]:
            announce("times", setting, index + 1, len(chosen))
            errors[index] = _run(target, setting, _folder(home, setting) / "timed", target.repeat)
    outcomes = _outcomes(chosen, errors, home)
    _write(home / "matrix.json", outcomes)
    return outcomes


def _folder(home: Path, setting: Setting) -> Path:
    return home / setting.name.replace(" ", "_")


def _run(target: Target, setting: Setting, folder: Path, repeat: int) -> str:
    """One run, with the tracker unless calls are repeated; what went wrong, or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    request = folder / "request.json"
    content = {
        "script": str(target.script),
        "function": target.function,
        "inputs": target.inputs,
        "options": dict(setting.options),
        "repeat": repeat,
    }
    request.write_text(json.dumps(content), encoding="utf-8")
    result = folder / "result.npz"
    result.unlink(missing_ok=True)
    command = (target.python, str(Path(jit_runner.__file__).resolve()), str(request.resolve()))
    log = folder / "log.txt"
    if repeat:
        with log.open("wb") as output:
            status = CHILDREN.run(command, output=output)
    else:
        # An empty working directory, so that no run finds the trace of another.
        scratch = folder / "scratch"
        scratch.mkdir(exist_ok=True)
        capture = CaptureRequest(command, folder, directory=scratch, log=log, probe=False)
        run = run_and_collect(capture)
        status = run.status
        if run.kept_earlier and not status:
            # Results and trace of one folder are of one run.
            collecting.remove(folder, collecting.FILES)
    return "" if result.exists() and not status else _last_words(log) or f"status {status}"


def _last_words(log: Path) -> str:
    """The line that names the error: the last exception, else the last line that is no warning."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    said = [line.strip() for line in lines if line.strip() and not line.startswith("[WARNING]")]
    errors = [line for line in said if line.partition(":")[0].endswith(("Error", "Exception"))]
    return (errors or said or [""])[-1][:160]


def _load(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _open(folder: Path) -> Trace | None:
    try:
        return open_trace(folder)
    except OpdiffError:
        return None


def _outcomes(
    chosen: Sequence[Setting], errors: Sequence[str], home: Path
) -> tuple[SettingOutcome, ...]:
    reference = _load(_folder(home, chosen[0]) / "result.npz")
    eager = _open(_folder(home, chosen[0]))
    return tuple(
        SettingOutcome(setting, error=error)
        if error
        else _outcome(setting, _folder(home, setting), reference, eager)
        for setting, error in zip(chosen, errors, strict=True)
    )


def _outcome(
    setting: Setting, folder: Path, reference: Arrays, eager: Trace | None
) -> SettingOutcome:
    difference, equal = compare_results(_load(folder / "result.npz"), reference)
    times = json.loads((folder / "timed" / "times.json").read_text(encoding="utf-8"))
    trace = _open(folder)
    start = marker_row(trace) if trace else None
    eager_start = marker_row(eager) if eager else None
    by_kind: Mapping[Kind, int] | None = None
    if trace and eager and start is not None and eager_start is not None:
        request = Request(Direction.DOWN, left_anchor=eager_start, right_anchor=start)
        by_kind = compare(eager, trace, request).by_kind
    ops = int((trace.role[start + 1 :] == Role.OP).sum()) if trace and start is not None else None
    return SettingOutcome(
        setting,
        difference=difference,
        equal=equal,
        ops=ops,
        by_kind=by_kind,
        prepare=times["prepare"],
        call=times["call"],
    )


def compare_results(arrays: Arrays, reference: Arrays) -> tuple[float, bool]:
    """The largest absolute difference, and whether all values agree within the tolerance."""
    if {n: a.shape for n, a in arrays.items()} != {n: a.shape for n, a in reference.items()}:
        return float("inf"), False
    worst, equal = 0.0, True
    for name, expected in reference.items():
        there, here = expected.astype(np.complex128), arrays[name].astype(np.complex128)
        if there.size:
            worst = max(worst, float(np.nanmax(np.abs(there - here), initial=0.0)))
        equal &= bool(
            np.allclose(here, there, RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE, equal_nan=True)
        )
    return worst, equal


def marker_row(trace: Trace) -> int | None:
    """The last op of the marker that the runner put before the call to compare."""
    marks = trace.rows_of(jit_runner.MARKER_OP)
    length = jit_runner.MARKER_LENGTH
    for last in range(len(marks) - 1, length - 2, -1):
        if marks[last] - marks[last - length + 1] == length - 1:
            return int(marks[last])
    return None


def _write(path: Path, outcomes: Sequence[SettingOutcome]) -> None:
    rows: list[dict[str, object]] = [
        {
            "setting": outcome.setting.name,
            "options": dict(outcome.setting.options),
            "error": outcome.error or None,
            "equal": None if outcome.error else outcome.equal,
            "difference": None if outcome.error else str(outcome.difference),
            "ops": outcome.ops,
            "by_kind": outcome.by_kind and {str(k): n for k, n in outcome.by_kind.items()},
            "prepare_seconds": outcome.prepare,
            "call_seconds": outcome.call,
        }
        for outcome in outcomes
    ]
    path.write_text(json.dumps(rows, indent=1) + os.linesep, encoding="utf-8")


def table(outcomes: Sequence[SettingOutcome], language: str = "en") -> str:
    """Header, one line a setting, and a verdict."""
    header = [_word(column, language) for column in _COLUMNS]
    rows = [header, *(_row(outcome, language) for outcome in outcomes)]
    rule = "  ".join("─" * width for width in widths_of(rows))
    first, *others = aligned(rows, _NUMBERS)
    return "\n".join([first, rule, *others, "", verdict(outcomes, language)])


def verdict(outcomes: Sequence[SettingOutcome], language: str = "en") -> str:
    """Which settings compute something else."""
    ran = [outcome for outcome in outcomes if not outcome.error and outcome.setting is not EAGER]
    wrong = [outcome.setting.name for outcome in ran if not outcome.equal]
    if not wrong:
        return say(Sentence.of("capture.matrix-fine"), language)
    names = ", ".join(wrong)
    sentence = Sentence.of(
        "capture.matrix-verdict", count=len(wrong), total=len(ran), settings=names
    )
    return say(sentence, language)


def _word(column: str, language: str) -> str:
    return say(Sentence.of(f"capture.matrix-{column}"), language)


def _row(outcome: SettingOutcome, language: str) -> list[str]:
    name = outcome.setting.name
    if outcome.setting is EAGER:
        name = _word("eager", language)
    return [
        name,
        say(_result(outcome), language),
        "–" if outcome.ops is None else str(outcome.ops),
        _time(outcome.prepare),
        _time(outcome.call),
        _divergences(outcome, language),
    ]


def _result(outcome: SettingOutcome) -> Sentence:
    if outcome.setting is EAGER:
        return Sentence.of("capture.matrix-reference")
    if outcome.error:
        return Sentence.of("capture.matrix-failed", why=_short(outcome.error))
    if outcome.equal:
        return Sentence.of("capture.matrix-equal")
    if outcome.difference is None or math.isinf(outcome.difference):
        return Sentence.of("capture.matrix-shape")
    return Sentence.of("capture.matrix-wrong", difference=f"{outcome.difference:.3g}")


def _short(error: str, length: int = 48) -> str:
    return error if len(error) <= length else error[: length - 1] + "…"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.2f} ms"


def _divergences(outcome: SettingOutcome, language: str) -> str:
    if outcome.setting is EAGER or outcome.error:
        return ""
    if outcome.by_kind is None:
        return _word("no-trace", language)
    if not outcome.by_kind:
        return _word("none", language)
    return ", ".join(f"{kind} {count}" for kind, count in outcome.by_kind.items())
