"""What is known of ops by their names: which only view, copy, order, allocate, and so on."""

from __future__ import annotations

import re
from enum import IntFlag
from fnmatch import translate
from functools import cache, lru_cache

from opdiff.data import table


class Trait(IntFlag):
    """What an op is known to be; one without any trait computes something."""

    VIEW = 1
    """Hands on the memory of its input, seen in another way."""
    REARRANGE = 2
    """The elements of its input in another arrangement, as a view or as a copy."""
    COPY = 4
    """The same elements in other memory."""
    CAST = 8
    """The same elements in another type."""
    HOST_COPY = 16
    """Brings host memory to the device."""
    STOPS_GRADIENT = 32
    IN_PLACE = 64
    """Writes into the memory of its first input."""
    WORKSPACE = 128
    """Memory that holds nothing yet, or is for the run's own use."""
    BOOKKEEPING = 256
    EVENT = 512
    """Orders streams."""
    TRANSFER = 1024
    """Between host and device."""
    RANDOM = 2048
    COMMUNICATION = 4096
    OPTIMIZER = 8192
    COMMUTATIVE = 16384
    """The order of the inputs does not matter."""
    INSPECTS = 32768
    """Hands a value to the host and writes none."""
    ACCUMULATES = 65536
    """Adds to what there is: in any order, the total is the same."""
    N_ARY = 131072
    """Takes any number of inputs: a single one it hands on."""
    ADDS_UP = 262144
    """Its result is a sum of parts of its inputs: where these cancel, noise is left."""
    AVERAGES = 524288
    """A sum through the number of its parts."""
    GRADIENT = 2097152
    """Proportional to its first input, a gradient."""
    CONSTANT = 4194304
    """The same whatever the elements of its inputs."""
    ZERO = 8388608
    """All elements are zero."""
    LEAPS = 1048576
    """Its result turns over at a point, so that noise may turn an element."""
    TIES = 16777216
    """Tells which numbers are the very same: noise may part all of them."""
    ABSOLUTE = 33554432
    """Hands errors on as they are: relative to a smaller result they are larger."""
    EXPONENTIAL = 67108864
    """Makes an error that is relative to its result of one that is not."""
    LOGARITHM = 134217728
    """Makes an error that is not relative to its result of one that is."""
    COMPARES = 268435456
    """Tells which numbers are larger: among those that are the same noise decides."""
    DIVIDES = 536870912
    """Its first input by its second, element by element."""

    SPREADS = 1073741824
    """The elements of its input, each as often as a larger shape wants."""

    PASSES_ON = VIEW | REARRANGE | COPY | CAST
    """Makes no new value: looked through where values are compared."""


FRAMEWORKS = ("mindspore", "pytorch")
"""The files of traits in the package's data."""


_CALLED = re.compile(r"(?:Tensor|torch|Torch|Functional|operator)::_*(\w+?)_*")
"""A call of Python: ``Tensor::__add__``."""


@lru_cache(maxsize=1 << 18)
def traits_of(name: str) -> Trait:
    """The traits of an op type; every framework's file counts, names do not clash.

    Calls of Python have those of the op that they make, without writing into their inputs: formats
    that print them show what they return.
    """
    exact, patterns = _known()
    called = _CALLED.fullmatch(name)
    if called is not None:
        name = f"aten::{called[1]}"
    found = exact.get(name, Trait(0))
    for pattern, trait in patterns:
        if pattern.match(name):
            found |= trait
    return found


@cache
def _known() -> tuple[dict[str, Trait], tuple[tuple[re.Pattern[str], Trait], ...]]:
    exact: dict[str, Trait] = {}
    globs: dict[Trait, list[str]] = {}
    for framework in FRAMEWORKS:
        for key, rows in table(f"traits/{framework}").items():
            trait = Trait[key.upper().replace("-", "_")]
            for (name,) in rows:
                if "*" in name:
                    globs.setdefault(trait, []).append(translate(name))
                else:
                    exact[name] = exact.get(name, Trait(0)) | trait
    return exact, tuple((re.compile("|".join(some)), trait) for trait, some in globs.items())
