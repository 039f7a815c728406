"""How much noise ops may make of noise, by their nature.

A difference of almost equal numbers is little but noise, a sum of numbers that cancel too: their
relative error is as many times that of what went in as the norm is smaller. The sine of a large
number has all of its error, and so have powers and logarithms in their way. Signs, roundings and
comparisons turn over at a point, and so does an optimizer that divides a gradient by its size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from opdiff.trace import Trace
from opdiff.trace.columns import Flags, Floats, Ints, Longs, marked
from opdiff.trace.sorting import fresh, owners_and_places
from opdiff.trace.traits import Trait
from opdiff.values.floors import Precision
from opdiff.values.measures import Measures
from opdiff.values.table import Contents, Values, precisions

_SUMS = Trait.ADDS_UP | Trait.ACCUMULATES
_CURVED = Trait.ABSOLUTE | Trait.EXPONENTIAL | Trait.LOGARITHM
_LARGEST_EXPONENT = 100.0
"""Numbers that are larger than most exponents are masks, not what is raised to a power."""
ROOT = 0.5
"""Where noise turns its share of the elements, the error of the whole is the root of that."""


_ALIKE = 0.1
"""How far norms of a gradient and of its size are apart at most, as something is added to it."""


class Conditions(NamedTuple):
    """Of each compared output how much it may enlarge errors, and how it turns over."""

    condition: Floats
    turns: Floats
    """The power of the noise that the error may be, as elements turn over; NaN where none do."""


class Norms(NamedTuple):
    """Norms and sizes of compared operands, and the pair of each."""

    pair: Ints
    norm: Floats
    """0 for whole numbers: they count or point at something, and are no parts of a sum."""
    size: Floats


def norms(
    pair: Ints, left: tuple[Measures, Contents, Longs], right: tuple[Measures, Contents, Longs]
) -> Norms:
    """The larger norm and size of both sides: measures, contents and places in these."""
    norm = np.full(len(pair), np.nan)
    size = np.full(len(pair), np.nan)
    for measures, contents, places in (left, right):
        index = contents.index[places]
        known = index >= 0
        norm = np.fmax(norm, np.where(known, measures.norm[index], np.nan))
        counted = known & (measures.count[index] >= 0)
        size = np.fmax(size, np.where(counted, measures.count[index], np.nan))
    return Norms(pair, norm, size)


def conditions(trace: Trace, rows: Ints, inputs: Norms, outputs: Norms) -> Conditions:
    """Those of the outputs of pairs whose ops on one side are these rows."""
    traits = trace.traits[rows]
    sums, means, gradients, leaps, ties = (
        (traits & trait) > 0
        for trait in (_SUMS, Trait.AVERAGES, Trait.GRADIENT, Trait.LEAPS, Trait.TIES)
    )
    condition = np.ones(len(outputs.pair))
    here = np.flatnonzero((sums | gradients)[outputs.pair])
    if len(here):
        of_gradient = gradients[inputs.pair]
        added = np.where(of_gradient, fresh(inputs.pair), sums[inputs.pair])
        parts = Norms(inputs.pair[added], inputs.norm[added], inputs.size[added])
        condition[here] = _cancelled(parts, outputs, here, means)
    curved = traits & _CURVED
    here = np.flatnonzero(curved[outputs.pair])
    if len(here):
        condition[here] = _bent(curved[outputs.pair[here]], inputs, outputs, here)
    ties |= ((traits & Trait.COMPARES) > 0) & _as_large(inputs, len(rows))
    turns = np.where(ties, 0.0, np.where(leaps, ROOT, np.nan))[outputs.pair]
    divides = (traits & Trait.DIVIDES) > 0
    turns[divides[outputs.pair] & _by_own_size(inputs, outputs)] = ROOT
    return Conditions(condition, turns)


def largest_parts(trace: Trace, values: Values, rows: Ints) -> Floats:
    """Of some rows of a side that are sums the norm of their largest part; 0 for all others."""
    found = np.zeros(len(trace))
    inputs, outputs = (_norms_of_rows(trace, values, rows, outputs=side) for side in (False, True))
    if len(outputs.pair):
        condition = conditions(trace, rows, inputs, outputs).condition
        parts = np.where(condition > 1.0, np.nan_to_num(condition * outputs.norm), 0.0)
        np.maximum.at(found, rows[outputs.pair], parts)
    return found


def _norms_of_rows(trace: Trace, values: Values, rows: Ints, *, outputs: bool) -> Norms:
    contents, measures = values.side(outputs=outputs), values.measures
    pair, within = owners_and_places(contents.start[rows + 1] - contents.start[rows])
    places = contents.start[rows][pair] + within
    found = norms(pair, *[(measures, contents, places)] * 2)
    whole = precisions(trace, values, outputs=outputs)[places] == Precision.WHOLE
    return found._replace(norm=np.where(whole, 0.0, found.norm))


def _by_own_size(inputs: Norms, outputs: Norms) -> Flags:
    """Which outputs are quotients of two like norms, their elements as large as 1 throughout.

    So the first step of an optimizer divides a gradient by its size: what is left are signs.
    """
    found = np.zeros(len(outputs.pair), np.bool_)
    first = np.flatnonzero(fresh(inputs.pair)[:-1] & (inputs.pair[1:] == inputs.pair[:-1]))
    place = np.searchsorted(inputs.pair[first], outputs.pair)
    known = np.flatnonzero(place < len(first))
    known = known[inputs.pair[first[place[known]]] == outputs.pair[known]]
    above = first[place[known]]
    below, size = above + 1, outputs.size[known]
    found[known] = (
        (size > 1)
        & (inputs.size[above] == size)
        & (inputs.size[below] == size)
        & np.isclose(inputs.norm[above], inputs.norm[below], rtol=_ALIKE, atol=0.0)
        & np.isclose(outputs.norm[known], np.sqrt(size), rtol=_ALIKE, atol=0.0)
    )
    return found


def _as_large(inputs: Norms, count: int) -> Flags:
    """Which pairs read two tensors of one size, of which many elements may be the same.

    Whole numbers have no noise that could part these.
    """
    second = np.flatnonzero(~fresh(inputs.pair) & (inputs.norm > 0.0))
    second = second[(inputs.norm[second - 1] > 0.0) & (inputs.size[second] > 1)]
    return marked(count, inputs.pair[second[inputs.size[second] == inputs.size[second - 1]]])


def _cancelled(inputs: Norms, outputs: Norms, here: Longs, means: Flags) -> Floats:
    """How many times larger than each of these outputs the inputs are that it is a sum of."""
    owner = outputs.pair[here]
    condition = np.ones(len(here))
    for place in range(int(_place(outputs.pair[here]).max()) + 1):
        # One output of each op at a time: they differ in size.
        some = np.flatnonzero(_place(owner) == place)
        written = np.zeros(len(means))
        written[owner[some]] = outputs.size[here[some]]
        ratio = written[inputs.pair] / np.maximum(inputs.size, 1.0)
        # What is spread over a larger output counts as often; of a mean each part counts little.
        spread = np.where(ratio > 1.0, np.sqrt(ratio), np.where(means[inputs.pair], ratio, 1.0))
        largest = np.zeros(len(means))
        np.maximum.at(largest, inputs.pair, np.nan_to_num(inputs.norm * spread))
        with np.errstate(all="ignore"):
            times = largest[owner[some]] / outputs.norm[here[some]]
        condition[some] = np.where(np.isfinite(times), np.maximum(times, 1.0), 1.0)
    return condition


def _bent(curved: Ints, inputs: Norms, outputs: Norms, here: Longs) -> Floats:
    """How many times functions that do not keep relative errors enlarge them at these outputs."""
    first = fresh(inputs.pair)
    norm, size = (np.full(int(outputs.pair[here].max()) + 1, np.nan) for _ in range(2))
    asked = first & (inputs.pair < len(norm))
    norm[inputs.pair[asked]], size[inputs.pair[asked]] = inputs.norm[asked], inputs.size[asked]
    read, count = norm[outputs.pair[here]], size[outputs.pair[here]]
    written = outputs.norm[here]
    with np.errstate(all="ignore"):
        exponent = np.minimum(read / np.sqrt(count), _LARGEST_EXPONENT)
        inverse = np.sqrt(outputs.size[here]) / written
        times = np.where(curved & Trait.EXPONENTIAL, exponent, inverse)
        times = np.where(curved & Trait.ABSOLUTE, read / written, times)
    return np.where(np.isfinite(times), np.maximum(times, 1.0), 1.0)


def _place(owner: Ints) -> Longs:
    """The place of each of these operands among those of its owner, which stand together."""
    number = np.arange(len(owner))
    first = np.where(fresh(owner), number, 0)
    return number - np.maximum.accumulate(first)
