"""First, plain classification: replaced by one module a family of kinds."""

from __future__ import annotations

from opdiff.compare.kinds import Kind
from opdiff.wording import Sentence


def classify(left, right, partner, table, words):
    found = []
    L, R = left.trace, right.trace
    for a in left.rows.tolist():
        b = int(partner[0][a])
        if b < 0:
            found.append(_one(L, a, Kind.ONLY_LEFT))
            continue
        found += _pair(left, right, a, b, table)
    for b in right.rows.tolist():
        if partner[1][b] < 0:
            found.append(_one(R, b, Kind.ONLY_RIGHT))
    return found


def _one(trace, row, kind):
    op = trace.type_name(row)
    side = "left" if kind is Kind.ONLY_LEFT else "right"
    rows = ((row,), ()) if side == "left" else ((), (row,))
    code = f"only-{side}"
    if op == "Contiguous":
        kind, code = Kind.CONTIGUOUS, f"contiguous-{side}"
    return (
        kind,
        *rows,
        Sentence.of(f"divergence.{code}", op=op),
        Sentence.of(f"group.{code}", op=op),
        False,
    )


def _ops(side, row):
    op = side.trace.op(row)
    start = int(side.trace.inputs.start[row])
    ins = [o.spec for k, o in enumerate(op.inputs) if side.kept[start + k]]
    return op, [o.spec for o in op.outputs], ins


def _pair(left, right, a, b, table):
    found = []
    x, xo, xi = _ops(left, a)
    y, yo, yi = _ops(right, b)

    def add(kind, code, known=False, **args):
        found.append(
            (
                kind,
                (a,),
                (b,),
                Sentence.of(f"divergence.{code}", left=x.type, right=y.type, **args),
                Sentence.of(f"group.{code}", left=x.type, right=y.type, **args),
                known,
            )
        )

    if x.type != y.type and table.same_rule(x.type, y.type) is None:
        known = table.may_pair(x.type, y.type)
        add(Kind.OP_TYPE, "op-type-known" if known else "op-type", known)
    if bool(left.bare[a]) != bool(right.bare[b]) and left.has_operands and right.has_operands:
        if x.type != "Contiguous":
            add(Kind.CPU_FALLBACK, "cpu-fallback-right" if right.bare[b] else "cpu-fallback-left")
        return found
    if left.bare[a] or right.bare[b]:
        return found
    if len(xo) != len(yo) or len(xi) != len(yi):
        add(Kind.OPERANDS, "operands")
    both = list(zip(xo, yo)) + list(zip(xi, yi))
    if len(xo) == len(yo) and len(xi) == len(yi):
        if any(p.dtype != q.dtype for p, q in both):
            add(Kind.DTYPE, "dtype")
        if any(p.shape != q.shape for p, q in both):
            add(Kind.SHAPE, "shape")
    missing = [(p, q) for p, q in both if p.is_view != q.is_view]
    if missing:
        side = "right" if missing[0][0].is_view else "left"
        add(Kind.LAYOUT_MISSING, f"layout-missing-{side}")
    if any(
        p.is_view
        and q.is_view
        and (p.strides, p.offset) != (q.strides, q.offset)
        and p.shape == q.shape
        for p, q in both
    ):
        add(Kind.LAYOUT, "layout")
    ax, ay = dict(x.attrs), dict(y.attrs)
    if ax != ay:
        add(Kind.ATTRS, "attrs")
    return found
