"""First, plain alignment: replaced by the windowed one."""

from __future__ import annotations

from difflib import SequenceMatcher

from opdiff.compare.sides import Ready, codes_of
from opdiff.compare.table import Table

Pairs = list[tuple[int, int]]


def align(
    left: Ready,
    right: Ready,
    decreed: tuple[tuple[int, int], ...],
    table: Table,
    types: tuple[str, ...],
) -> Pairs:
    a, b = codes_of(left, right)
    pairs: Pairs = []
    ls, rs = left.rows.tolist(), right.rows.tolist()
    li = ri = 0
    decreed_l = [d[0] for d in decreed] + [None]
    for d in [*decreed, None]:
        le = next((k for k in range(li, len(ls)) if ls[k] >= d[0]), len(ls)) if d else len(ls)
        re = next((k for k in range(ri, len(rs)) if rs[k] >= d[1]), len(rs)) if d else len(rs)
        pairs += _segment(ls[li:le], rs[ri:re], a, b, left, right, table, types)
        if d:
            pairs.append(d)
        li = le + (1 if d and le < len(ls) and ls[le] == d[0] else 0)
        ri = re + (1 if d and re < len(rs) and rs[re] == d[1] else 0)
    return pairs


def _segment(ls, rs, a, b, left, right, table, types):
    matcher = SequenceMatcher(
        None, [int(a[r]) for r in reversed(ls)], [int(b[r]) for r in reversed(rs)], autojunk=False
    )
    pairs = []
    n, m = len(ls), len(rs)
    for tag, i0, i1, j0, j1 in matcher.get_opcodes():
        i0, i1, j0, j1 = n - i1, n - i0, m - j1, m - j0
        if tag == "equal":
            pairs += list(zip(ls[i0:i1], rs[j0:j1]))
        elif tag == "replace":
            pairs += _gap(ls[i0:i1], rs[j0:j1], left, right, table, types)
    return sorted(pairs)


def _gap(ls, rs, left, right, table, types):
    n, m = len(ls), len(rs)
    if n * m > 250000:
        return []
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    move = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            x, y = ls[i], rs[j]
            s = _score(x, y, left, right, table, types)
            options = [(best[i + 1][j], 1), (best[i][j + 1], 2)]
            if s > 0:
                options.append((best[i + 1][j + 1] + s, 3))
            best[i][j], move[i][j] = max(options)
    out, i, j = [], 0, 0
    while i < n and j < m:
        k = move[i][j]
        if k == 3:
            out.append((ls[i], rs[j]))
            i += 1
            j += 1
        elif k == 1:
            i += 1
        else:
            j += 1
    return out


def _score(x, y, left, right, table, types):
    tx, ty = types[left.type[x]], types[right.type[y]]
    outs = left.outputs[x] == right.outputs[y]
    ins = left.inputs[x] == right.inputs[y]
    bare = left.bare[x] or right.bare[y]
    if tx == ty:
        return 10 + 3 * outs + 3 * ins
    if table.may_pair(tx, ty):
        return 8 + 3 * outs + 3 * ins + 4 * bare
    if outs and ins and not bare:
        return 4
    return 0
