"""Details in words: the sentence and the group title of each sort of divergence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from math import prod

from opdiff.compare.comparison import What
from opdiff.compare.kinds import Kind
from opdiff.compare.records.attributes import Changes
from opdiff.compare.records.differences import Difference, Spot
from opdiff.compare.records.findings import Detail, Named
from opdiff.trace import TensorSpec
from opdiff.wording import Sentence
from opdiff.wording.printable import in_runs

SIDE_NAMES = ("left", "right")
_MOST_NAMES = 4
_INDICES = frozenset(("Int8", "Int16", "Int32", "Int64"))
_ORDERING = frozenset({"stream_id", "event"})
"""Attributes that tell when an op runs, not what it does."""


def op_type(left: str, right: str, known: bool, differences: tuple[Difference, ...]) -> Named:
    """Two ops of different type; a copy in place of a view is said so."""
    missing = next((d for d in differences if d.kind is Kind.LAYOUT_MISSING), None)
    code = "known" if known else "other"
    if missing and missing.missing != "both" and any(not spot.is_input for spot in missing.spots):
        code = f"copy-{missing.missing}"
    elif left.startswith("Inplace") != right.startswith("Inplace"):
        code = f"inplace-{'left' if left.startswith('Inplace') else 'right'}"
    # Only a gradient changes with the op it belongs to; otherwise a name is its own reason.
    both = f"{left} {right}"
    gradient = "Grad" in both or "Backward" in both
    return Named(
        Kind.OP_TYPE,
        (("left", left), ("right", right)),
        f"op-type-{code}",
        known=known,
        from_inputs=gradient,
        harmless=known,
    )


def alone(kind: Kind, name: str, readers: int | None) -> Named:
    """An op without counterpart and how often it is read; None where it prints no operands."""
    count = readers or 0
    shown = "-unlinked" if readers is None else ("-unread", "-once", "-read")[min(count, 2)]
    return Named(kind, (("op", name),), kind.value + shown, count)


def operands(
    left: str, right: str, difference: Difference, *, known: bool = False, same_read: bool = False
) -> Detail:
    """A pair whose printed operands differ; *known* names of one job may print them otherwise.

    *same_read*: both read tensors of the same types and sizes, in whatever order.
    """
    name = _both(left, right)
    kind = difference.kind
    if kind is Kind.OPERANDS:
        outs, ins, other_outs, other_ins = difference.counts
        code = "operands-outputs" if ins == other_ins else "operands-inputs"
        if outs != other_outs and ins != other_ins:
            code = "operands-both"
        sentence = Sentence.of(
            f"divergence.{code}",
            op=name,
            ins=ins,
            other_ins=other_ins,
            outs=outs,
            other_outs=other_outs,
        )
        title = Sentence.of("group.operands", op=name)
        return Detail(kind, title, sentence, from_inputs=True, harmless=known)
    spot = difference.spots[0]
    code = {
        Kind.LAYOUT_MISSING: f"layout-missing-{difference.missing}",
    }.get(kind, kind.value)
    shown = spot
    if kind is Kind.LAYOUT_MISSING and difference.missing == "both":
        shown = next(s for s in difference.spots if s.left.is_view)
    sentence = Sentence.of(
        f"divergence.{code}",
        op=name,
        operand=_operand(shown),
        more=_more(len(difference.spots)),
        **_values(kind, shown),
    )
    rearranged = kind is Kind.SHAPE and all(_as_many(spot) for spot in difference.spots)
    if known and kind in (Kind.SHAPE, Kind.DTYPE) and _make_alike(difference.spots):
        rearranged |= same_read or _reordered(difference.spots)
    return Detail(
        kind,
        Sentence.of(f"group.{code}", op=name),
        sentence,
        from_inputs=difference.from_inputs,
        harmless=kind in (Kind.LAYOUT, Kind.LAYOUT_MISSING) or rearranged,
    )


def _reordered(spots: Sequence[Spot]) -> bool:
    """Whether two names of one job take the same tensors in another order, or folded otherwise."""
    inputs = [spot for spot in spots if spot.is_input]
    return as_sizes(spot.left for spot in inputs) == as_sizes(spot.right for spot in inputs)


def as_sizes(specs: Iterable[TensorSpec]) -> Counter[tuple[str, int]]:
    """How many tensors of each type and size there are."""
    return Counter((each.dtype, prod(each.shape)) for each in specs)


def _make_alike(spots: Sequence[Spot]) -> bool:
    """Whether results differ in their arrangement only, or in how wide their whole numbers are.

    What indices a pool keeps for its gradient is its own affair.
    """
    return all(
        _as_many(spot)
        and (spot.left.dtype == spot.right.dtype or {spot.left.dtype, spot.right.dtype} <= _INDICES)
        for spot in spots
        if not spot.is_input
    )


def _as_many(spot: Spot) -> bool:
    """Whether two shapes hold equally many elements: the same ones, arranged otherwise."""
    return prod(spot.left.shape) == prod(spot.right.shape)


def _values(kind: Kind, spot: Spot) -> dict[str, str]:
    if kind is Kind.DTYPE:
        return {"left": spot.left.dtype, "right": spot.right.dtype}
    if kind is Kind.SHAPE:
        return {"left": str(list(spot.left.shape)), "right": str(list(spot.right.shape))}
    return {"left": spot.left.layout_text, "right": spot.right.layout_text}


def _operand(spot: Spot) -> Sentence:
    return Sentence.of("operand.input" if spot.is_input else "operand.output", number=spot.place)


def _more(count: int) -> Sentence:
    return (
        Sentence.of("operand.more", count=count - 1) if count > 1 else Sentence.of("operand.none")
    )


def _both(left: str, right: str) -> str:
    return left if left == right else f"{left} / {right}"


def attrs(left: str, right: str, changes: Changes) -> Detail:
    """A pair whose attributes differ."""
    name = _both(left, right)
    keys = ", ".join(key for key, _, _ in changes)
    key, mine, other = changes[0]
    return Detail(
        Kind.ATTRS,
        Sentence.of("group.attrs", op=name, keys=keys),
        Sentence.of(
            "divergence.attrs" if len(changes) == 1 else "divergence.attrs-several",
            op=name,
            key=key,
            left=mine or "—",
            right=other or "—",
            keys=keys,
        ),
        harmless=all(key in _ORDERING for key, _, _ in changes),
    )


def on_host(left: str, right: str, side: int, lost: int, known_to: int) -> Detail:
    """A pair one side of which ran on the host."""
    name = (left, right)[side]
    code = "divergence.cpu-fallback-lost" if lost else "divergence.cpu-fallback-chain"
    return Detail(
        Kind.CPU_FALLBACK,
        Sentence.of(f"group.cpu-fallback-{SIDE_NAMES[side]}", op=name),
        Sentence.of(code, op=name, side=side_name(side), lost=lost, consumers=known_to),
        from_inputs=True,
    )


def dataflow(
    left: str,
    right: str,
    operand: int,
    source: Sentence,
    other_source: Sentence,
    results: tuple[int, int] | None,
) -> Detail:
    """A pair that reads from another producer, or another of its *results*."""
    name, title = _both(left, right), "group.dataflow"
    if results is not None:
        title = "group.dataflow-result"
        source = Sentence.of("source.result", number=results[0], source=source)
        other_source = Sentence.of("source.result", number=results[1], source=other_source)
    return Detail(
        Kind.DATAFLOW,
        Sentence.of(title, op=name),
        Sentence.of(
            "divergence.dataflow", op=name, number=operand, left=source, right=other_source
        ),
        from_inputs=True,
    )


def moved(left: str, right: str, distance: int, *, linked: bool, overtaken: bool) -> Named:
    """A pair that ran at another place; *distance* is positive where the right runs it later.

    *overtaken*: it writes over what is read before it on one side and after it on the other.
    """
    how = "-overtaken" if overtaken else "" if linked else "-by-name"
    code = ("moved-later" if distance > 0 else "moved-earlier") + how
    names = (("op", _both(left, right)),)
    return Named(Kind.MOVED, names, code, abs(distance), harmless=not overtaken)


@lru_cache(4096)
def fused(left: tuple[str, ...], right: tuple[str, ...]) -> Detail:
    """Several ops that do the work of one, or of the same ones in another order."""
    if sorted(left) == sorted(right):
        ops = ", ".join(in_runs(left))
        return Detail(
            Kind.FUSED,
            Sentence.of("group.reordered", ops=ops),
            Sentence.of("divergence.reordered", ops=ops),
            harmless=True,
        )
    side = "right" if len(left) > len(right) else "left"
    many, one = (left, right) if side == "right" else (right, left)
    titles = (" + ".join(in_runs(names)) for names in (left, right))
    return Detail(
        Kind.FUSED,
        Sentence.of("group.fused", **dict(zip(SIDE_NAMES, titles, strict=True))),
        Sentence.of(
            f"divergence.fused-{side}",
            count=len(many),
            many=", ".join(in_runs(many)),
            one=", ".join(in_runs(one)),
        ),
        harmless=True,
    )


def stops_gradient(name: str, side: int) -> Detail:
    """An op without counterpart that cuts the backward off."""
    return Detail(
        Kind.ONLY_LEFT if side == 0 else Kind.ONLY_RIGHT,
        Sentence.of("group.stops-gradient", op=name, side=side_name(side)),
        Sentence.of("divergence.stops-gradient", op=name, side=side_name(side)),
        from_inputs=True,
    )


def contiguous(side: int, where: str) -> Detail:
    """A dense copy on one side only: *where* is ``entry``, ``exit``, ``hidden`` or ``copy``."""
    return Detail(
        Kind.CONTIGUOUS,
        Sentence.of(f"group.contiguous-{SIDE_NAMES[side]}"),
        Sentence.of(f"divergence.contiguous-{where}", side=side_name(side)),
        from_inputs=True,
        harmless=True,
    )


def region(
    what: What | None,
    kernels: tuple[tuple[str, ...], ...],
    every: tuple[tuple[str, ...], ...],
    of: int | None,
    phase: int,
) -> Sentence:
    """What the ops of a region are together."""
    if what is What.REPLACED:
        return Sentence.of(
            "group.replaced", left=_listed(kernels[0] or every[0]), right=_listed(kernels[1])
        )
    side = SIDE_NAMES[0 if every[0] else 1]
    names = every[0] or every[1]
    shown = _listed(kernels[0] or kernels[1] or names)
    code = "region" if what is None else what.value
    if code == "again" and len(names) == 1:
        code = "one-again"
    return Sentence.of(f"group.{code}-{side}", count=len(names), ops=shown, of=of or 0)


def uneven(parts: str, counts: tuple[int, int], ops: int) -> Sentence:
    """More training steps or micro-batches on one side."""
    code = f"group.{'one-' if counts[0] == 1 else ''}{parts}"
    return Sentence.of(code, left=counts[0], right=counts[1], count=ops)


def hosted(function: str, side: int) -> Sentence:
    """A function that ran on the host."""
    return Sentence.of(f"group.host-{SIDE_NAMES[side]}", function=function)


def schedule() -> Sentence:
    """Ops of several sorts that ran in another order."""
    return Sentence.of("group.schedule")


def _listed(names: tuple[str, ...]) -> str:
    """The first and the last of several names, all of a few; the same one in a row once."""
    runs = [name for name, _ in groupby(names)]
    if len(runs) <= _MOST_NAMES:
        return ", ".join(runs)
    return f"{runs[0]}, {runs[1]} … {runs[-1]}"


def side_name(side: int) -> Sentence:
    """The word for a side."""
    return Sentence.of(f"side.{SIDE_NAMES[side]}")


def source(name: str, line: int) -> Sentence:
    """A producer by its op and line."""
    return Sentence.of("source.op", op=name, line=line)


def outside_source(memory: int, line: int) -> Sentence:
    """Memory from outside, known by who reads it first."""
    return Sentence.of("source.outside", memory=memory, line=line)


def no_source() -> Sentence:
    """Memory that nobody wrote."""
    return Sentence.of("source.none")
