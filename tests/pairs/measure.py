"""Measure the engine on many pairs: ``python -m tests.pairs.measure --seeds 200``."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from tests.pairs.generate import ALONE, KnownPair, generate
from tests.pairs.running import ask, read_text, records_of
from tests.pairs.truth import Score, score, truth_text


def measure(pair: KnownPair) -> tuple[Score, int]:
    """The score of a pair, and how many groups it has more than distinct differences."""
    comparison = ask(read_text(pair.left), read_text(pair.right), pair.truth)
    records = records_of(comparison)
    expected = pair.truth.neutral
    counted = [
        group
        for group in comparison.groups
        if any(
            records[index] not in expected and pair.truth.counts(records[index])
            for index in group.members
        )
    ]
    return score(pair.truth, records), max(0, len(counted) - pair.truth.max_groups)


def save(pair: KnownPair, folder: Path) -> None:
    """The pair as files, to look into."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "left.ir").write_text(pair.left, encoding="utf-8", newline="\n")
    (folder / "right.ir").write_text(pair.right, encoding="utf-8", newline="\n")
    (folder / "truth.json").write_text(truth_text(pair.truth), encoding="utf-8")


def table(total: Score) -> str:
    """Precision, recall and f1 of every kind, and overall."""
    missed = Counter(record.kind for record in total.missed)
    invented = Counter(record.kind for record in total.invented)
    lines = [
        f"{'kind':<16}{'found':>7}{'missed':>8}{'invented':>10}{'precision':>11}{'recall':>8}{'f1':>8}"
    ]
    for kind in [*total.kinds(), None]:
        numbers = (
            [counts[kind] for counts in (total.found, missed, invented)]
            if kind
            else [sum(counts.values()) for counts in (total.found, missed, invented)]
        )
        figures = total.figures(kind)
        lines.append(
            f"{kind or 'all':<16}{numbers[0]:>7}{numbers[1]:>8}{numbers[2]:>10}"
            f"{figures[0]:>11.4f}{figures[1]:>8.4f}{figures[2]:>8.4f}"
        )
    return "\n".join(lines)


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.pairs.measure", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many pairs")
    parser.add_argument("--first", type=int, default=1000, help="the first seed")
    parser.add_argument("--only", choices=sorted(ALONE), help="one kind of change alone")
    parser.add_argument("--layers", type=int, help="how many layers, else two to six")
    parser.add_argument("--changes", type=int, help="how many kinds of change, else one to four")
    parser.add_argument("--failures", type=int, default=5, help="how many inexact pairs to name")
    parser.add_argument("--save", type=Path, help="write the inexact pairs into this folder")
    args = parser.parse_args()
    total, inexact, crowded = Score(), [], 0
    for seed in range(args.first, args.first + args.seeds):
        pair = generate(seed, args.only, args.layers, args.changes)
        result, surplus = measure(pair)
        total.add(result)
        crowded += bool(surplus)
        if not result.exact or surplus:
            inexact.append((pair, result, surplus))
    print(table(total))
    print(f"{args.seeds - len(inexact)} of {args.seeds} pairs exact; {crowded} with surplus groups")
    for pair, result, surplus in inexact[: args.failures]:
        print(f"\n{pair.name} (surplus groups: {surplus})")
        for word, records in (("missed", result.missed), ("invented", result.invented)):
            for record in records[:8]:
                print(f"  {word:<9}{record.kind:<16}{record.left} {record.right}")
        if args.save:
            save(pair, args.save / str(pair.name.partition(":")[0]))


if __name__ == "__main__":
    main()
