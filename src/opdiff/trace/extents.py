"""Which elements of a block of memory a tensor covers: whether two of them share any."""

from __future__ import annotations

from opdiff.trace.values import TensorSpec


def apart(one: TensorSpec, other: TensorSpec) -> bool:
    """Whether two views of a block surely have no element in common, as two chunks of it have not.

    They have none if they are apart from end to end, or within every row of some length.
    """
    if not (_is_told(one) and _is_told(other)):
        return False
    lengths = {stride for spec in (one, other) for stride in spec.strides or ()} - {0, 1}
    return any(_apart_in_rows(one, other, length) for length in (None, *sorted(lengths)))


def _is_told(spec: TensorSpec) -> bool:
    """Whether strides and offset say where every element is."""
    if spec.strides is None or spec.offset is None or len(spec.strides) != len(spec.shape):
        return False
    return min((*spec.shape, *spec.strides), default=0) >= 0


def _apart_in_rows(one: TensorSpec, other: TensorSpec, length: int | None) -> bool:
    """The same in rows of a *length*; without one, the whole block is a row."""
    first, last = _reach(one, length)
    other_first, other_last = _reach(other, length)
    if length is not None and max(last, other_last) >= length:
        return False
    return last < other_first or other_last < first


def _reach(spec: TensorSpec, length: int | None) -> tuple[int, int]:
    """The first and the last element of a row that a tensor covers."""
    offset = spec.offset or 0
    first = offset if length is None else offset % length
    steps = zip(spec.shape, spec.strides or (), strict=True)
    inside = (
        (size - 1) * stride
        for size, stride in steps
        if size > 1 and (length is None or stride % length)
    )
    return first, first + sum(inside)
