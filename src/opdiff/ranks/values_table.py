"""Ranks against errors: how far the operands of chosen calls are apart, figure by figure.

It is what msprobe's ``merge_result`` puts together from the results of many comparisons; its
configuration file is understood.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import numpy as np

from opdiff.compare import Comparison
from opdiff.errors import OpdiffError
from opdiff.readers.trace_values import read_values
from opdiff.regular_files import read_bounded
from opdiff.trace import Trace
from opdiff.trace.traits import Trait, traits_of
from opdiff.values.estimate import errors
from opdiff.values.measures import Measure
from opdiff.values.operands import OperandPairs, by_position
from opdiff.values.pairing import ValuedTrace

ERROR = "Error"
"""How far two tensors are apart, in one number between 0 and 1."""
_STATISTICS: dict[str, Callable[[Measure], float | None]] = {
    "Max": lambda measure: measure.maximum,
    "Min": lambda measure: measure.minimum,
    "Mean": lambda measure: measure.mean,
    "Norm": lambda measure: measure.norm,
}
FIGURES = (
    ERROR,
    *(f"{name} diff" for name in _STATISTICS),
    *(f"{name}RelativeErr" for name in _STATISTICS),
)
_ALSO = {"L2norm diff": "Norm diff", "L2normRelativeErr": "NormRelativeErr"}
"""Names that msprobe has for the same on other frameworks."""
MOST_CELLS = 100_000
"""Operands of one rank: a bound on what is sent."""
_LARGEST_CONFIG = 1 << 20
_CONFIG_KEYS = ("api", "compare_index")


@dataclass(frozen=True, slots=True)
class ValuesWanted:
    """Which ops, and which figures of them."""

    globs: tuple[str, ...] = ()
    """Op types, or names such as ``Distributed.all_reduce.3.forward``."""
    prefixes: tuple[str, ...] = ()
    """The beginnings of such names, whole words of them, as msprobe's file has them."""
    figures: tuple[str, ...] = FIGURES

    def wants(self, type_: str, name: str) -> bool:
        """Whether a call belongs into the table; communication does where nothing is named."""
        if not self.globs and not self.prefixes:
            return bool(traits_of(type_) & Trait.COMMUNICATION)
        if any(fnmatchcase(type_, glob) or fnmatchcase(name, glob) for glob in self.globs):
            return True
        return any(name == start or name.startswith(start + ".") for start in self.prefixes)


class ValueCell(NamedTuple):
    """One operand of one call on one rank."""

    name: str
    """``AllReduce.3.output.0``."""
    left_line: int
    figures: tuple[float | None, ...]
    """In the order of the figures wanted."""


def figure_named(name: str) -> str | None:
    """Our name for a figure of msprobe; None where statistics cannot tell it."""
    name = _ALSO.get(name, name)
    return name if name in FIGURES else None


def value_cells(comparison: Comparison, wanted: ValuesWanted) -> tuple[ValueCell, ...] | None:
    """The calls asked for, in their order; None where a side has no values."""
    left, right = comparison.left.trace, comparison.right.trace
    partner = comparison.left.partner
    calls = [(row, name) for row, name in _named(left) if wanted.wants(left.type_name(row), name)]
    sides = [read_values(trace, cache=False) for trace in (left, right)]
    if sides[0] is None or sides[1] is None:
        return None
    pairs = [(row, int(partner[row]), name) for row, name in calls if partner[row] >= 0]
    if not pairs:
        return ()
    left_rows = np.array([row for row, _, _ in pairs], np.int32)
    right_rows = np.array([row for _, row, _ in pairs], np.int32)
    both = (ValuedTrace(left, sides[0]), ValuedTrace(right, sides[1]))
    cells: list[tuple[int, ValueCell]] = []
    for outputs in (False, True):
        cells += _cells(both, left_rows, right_rows, [name for *_, name in pairs], wanted, outputs)
    return tuple(cell for _, cell in sorted(cells, key=lambda item: item[0]))


def _cells(
    sides: tuple[ValuedTrace, ValuedTrace],
    left_rows: np.ndarray,
    right_rows: np.ndarray,
    names: Sequence[str],
    wanted: ValuesWanted,
    outputs: bool,
) -> Iterator[tuple[int, ValueCell]]:
    contents = [side.values.side(outputs=outputs) for side in sides]
    operands: OperandPairs = by_position(
        contents[0].start, contents[1].start, left_rows, right_rows
    )
    index = (contents[0].index[operands.left], contents[1].index[operands.right])
    measures = (sides[0].values.measures, sides[1].values.measures)
    apart = errors(measures[0], index[0], measures[1], index[1]).error
    word = "output" if outputs else "input"
    lines = sides[0].trace.columns.line
    for place, pair in enumerate(operands.pair.tolist()):
        mine, other = int(index[0][place]), int(index[1][place])
        if mine < 0 or other < 0:
            continue
        number = int(operands.left[place] - contents[0].start[left_rows[pair]])
        one, two = measures[0].one(mine), measures[1].one(other)
        error = float(apart[place])
        figures = tuple(_figure(name, error, one, two) for name in wanted.figures)
        name = f"{names[pair]}.{word}.{number}"
        yield pair, ValueCell(name, int(lines[left_rows[pair]]), figures)


def _figure(name: str, error: float, left: Measure, right: Measure) -> float | None:
    if name == ERROR:
        return None if math.isnan(error) else error
    statistic, relative = name.removesuffix(" diff"), name.endswith("RelativeErr")
    read = _STATISTICS[name.removesuffix("RelativeErr") if relative else statistic]
    mine, other = read(left), read(right)
    if mine is None or other is None:
        return None
    difference = mine - other
    if not relative:
        return difference
    return abs(difference / other) if other else (0.0 if not difference else None)


def _named(trace: Trace) -> Iterator[tuple[int, str]]:
    """Every op with a name that says which call of its sort it is, as msprobe names them."""
    seen: dict[int, int] = {}
    types = trace.types
    for row, type_ in enumerate(trace.type.tolist()):
        number = seen.get(type_, 0)
        seen[type_] = number + 1
        yield row, _call_name(types[type_], number)


def _call_name(type_: str, number: int) -> str:
    kind, two, api = type_.partition("::")
    if not two:
        return f"{type_}.{number}"
    way = "backward" if api.endswith("_backward") else "forward"
    return f"{kind}.{api.removesuffix('_backward')}.{number}.{way}"


def is_merge_config(text: str) -> bool:
    """Whether a value of ``--values-of`` names such a file rather than ops."""
    return text.endswith((".yaml", ".yml")) and Path(text).is_file()


def read_merge_config(path: str) -> tuple[ValuesWanted, tuple[str, ...]]:
    """What it asks for, and the figures of it that statistics cannot tell; raises OpdiffError."""
    import yaml  # needed by few, and slow to import

    try:
        content = yaml.safe_load(read_bounded(Path(path), _LARGEST_CONFIG))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise OpdiffError(
            "ranks.config-yaml",
            problem=str(getattr(error, "problem", error)),
            path=path,
            line=mark.line + 1 if mark else None,
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise OpdiffError.of_system("reading.unreadable", error, path) from None
    if not isinstance(content, dict):
        raise OpdiffError("ranks.config-shape", path=path)
    unknown = [str(key) for key in content if key not in _CONFIG_KEYS]
    if unknown:
        raise OpdiffError("ranks.config-key", key=unknown[0][:80], path=path)
    apis = _listed(content.get("api"), "api", path)
    if not apis:
        raise OpdiffError("ranks.config-no-api", path=path)
    asked = _listed(content.get("compare_index"), "compare_index", path)
    figures = [(name, figure_named(name)) for name in asked]
    known = tuple(dict.fromkeys(figure for _, figure in figures if figure is not None))
    unseen = tuple(name for name, figure in figures if figure is None)
    if asked and not known:
        names = ", ".join(asked)
        raise OpdiffError("ranks.config-figures", names=names, known=", ".join(FIGURES), path=path)
    return ValuesWanted(prefixes=apis, figures=known or FIGURES), unseen


def _listed(value: object, key: str, path: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise OpdiffError("ranks.config-list", key=key, path=path)
    return tuple(value)
