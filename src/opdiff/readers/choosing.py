"""Which of several graphs, or levels of detail, in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase

from opdiff.errors import OpdiffError
from opdiff.wording import Sentence


def choose(
    names: Sequence[str], wanted: str | None, usual: Sequence[int], path: str
) -> tuple[int, ...]:
    """The places of the parts that the user wants: numbers, names or globs, joined by ``+``.

    Raises OpdiffError, listing the parts, for what names none.
    """
    if wanted is None:
        return tuple(usual)
    found: dict[int, None] = {}
    for one in _split(wanted, names):
        hits = _named(one, names)
        if not hits:
            listed = "; ".join(f"{place}: {name}" for place, name in enumerate(names, 1))
            sentence = Sentence.of("reading.no-such-graph", graph=one, graphs=listed or "–")
            raise OpdiffError(sentence, path=path)
        found.update(dict.fromkeys(hits))
    return tuple(found)


def told_apart(names: Sequence[str]) -> list[str]:
    """Names with numbers where several are alike."""
    total, seen = Counter(names), Counter[str]()
    found: list[str] = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} #{seen[name]}" if total[name] > 1 else name)
    return found


def _split(wanted: str, names: Sequence[str]) -> list[str]:
    return [wanted] if wanted in names else [one.strip() for one in wanted.split("+")]


def _named(one: str, names: Sequence[str]) -> list[int]:
    if one in names:
        return [names.index(one)]
    if one.isascii() and one.isdigit() and len(one) < 10:
        return [int(one) - 1] if 0 < int(one) <= len(names) else []
    folded = one.casefold()
    return [place for place, name in enumerate(names) if fnmatchcase(name.casefold(), folded)]
