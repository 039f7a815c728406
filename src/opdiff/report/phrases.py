"""Short pieces that several reports say alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from opdiff.compare import Divergence, Side
from opdiff.compare.judging.notes import told_once
from opdiff.report.flags import SIGN, Flag
from opdiff.report.listing import Listing
from opdiff.report.verdict import VerdictKind, verdict_of
from opdiff.wording import Sentence, say
from opdiff.wording.printable import in_runs, printable, thousands

if TYPE_CHECKING:
    from opdiff.values.measures import Measure

_MOST_OPS = 4
_MOST_FLAGS = 10
_NOTHING_WRONG = {
    VerdictKind.HARMLESS: ("verdict.harmless", "verdict.harmless-values"),
    VerdictKind.SAME: ("verdict.same", "verdict.same-values"),
}
"""What is said without values, and with them."""


class Speaker:
    """Says things in one language, with nothing in it that a trace could misuse."""

    def __init__(self, language: str) -> None:
        self.language = language

    def say(self, code: str, **args: str | int | Sentence) -> str:
        """A sentence of the catalogue by its code."""
        return say(Sentence.of(code, **args), self.language)

    def sentence(self, sentence: Sentence) -> str:
        """A sentence about the traces."""
        return printable(say(sentence, self.language))


class Phrases(Speaker):
    """Says the parts of a listing."""

    def __init__(self, listing: Listing) -> None:
        super().__init__(listing.options.language)
        self.listing = listing

    def side_name(self, side: Side) -> str:
        """``left`` or ``right``."""
        return self.say(f"report.{side.name.lower()}")

    def path(self, side: Side) -> str:
        """Where a side's trace came from."""
        return printable(self.listing.comparison.side(side).trace.source.path)

    def ops(self, side: Side) -> str:
        """How many ops a side's trace has."""
        count = len(self.listing.comparison.side(side).trace)
        return say(_counted("ops", "op", count), self.language)

    def anchor(self, side: Side) -> str:
        """Where a side's anchor is."""
        result = self.listing.comparison.side(side)
        if result.anchor is None:
            return self.say("report.no-anchor")
        op = printable(result.trace.type_name(result.anchor))
        return self.say("report.anchor", line=int(result.trace.line_of(result.anchor)), op=op)

    def direction(self) -> str:
        """Which part was compared."""
        request = self.listing.comparison.request
        direction = self.say(f"report.{request.direction}")
        if request.ancestors:
            return self.say("report.ancestors", direction=direction)
        return direction

    def verdict(self) -> str:
        """What the comparison comes to, in one sentence."""
        verdict = verdict_of(self.listing)
        if verdict.outcome is VerdictKind.UNRELATED:
            (note,) = [each for each in self.listing.comparison.notes if each.code == "unrelated"]
            return self.sentence(note.sentence)
        total = len(self.listing.comparison.divergences)
        if verdict.outcome is VerdictKind.SAME and total:
            differences = _counted("differences", "difference", total)
            return self.say("verdict.none-listed", differences=differences)
        if verdict.outcome is VerdictKind.SAME and not verdict.by_values and self._swallowed():
            return self.say("verdict.rules-left-none", count=thousands(self._swallowed()))
        if verdict.first is None:
            code, with_values = _NOTHING_WRONG[verdict.outcome]
            return self.say(with_values if verdict.by_values else code)
        place = self.place(verdict.first)
        if verdict.outcome is VerdictKind.VALUES:
            return self.say("verdict.values", place=place)
        listed = len(self.listing.indices)
        code = "verdict.suspect"
        if verdict.suspects == listed == total:
            code = "verdict.suspect-one" if listed == 1 else "verdict.suspect-all"
        differences = _counted("differences", "difference", listed)
        count = thousands(verdict.suspects)
        return self.say(code, count=count, differences=differences, place=place)

    def _swallowed(self) -> int:
        """How many ops the rules leave out."""
        swallowed = self.listing.comparison.swallowed
        return sum(len(each.left_rows) + len(each.right_rows) for each in swallowed)

    def counts(self) -> str:
        """How much matches and how much does not."""
        comparison = self.listing.comparison
        matched = _counted("matched", "matched", comparison.matched)
        if not comparison.divergences:
            return self.say("report.no-divergence", matched=matched)
        return self.say(
            "report.counts",
            matched=matched,
            differences=_counted("differences", "difference", len(comparison.divergences)),
            groups=_counted("groups", "group", len(comparison.groups)),
        )

    def _noise(self, side: Side) -> int:
        """How many ops of a side were in reach and are not compared."""
        here = self.listing.comparison.side(side)
        return int(np.count_nonzero(here.noise & here.compared))

    def asides(self) -> list[str]:
        """What the reader should know besides: what cannot be seen, what is not listed."""
        listing = self.listing
        # The verdict says the one, and the title of a group the other.
        said_above = {group.group.title for group in listing.groups}
        said = [
            self.sentence(note.sentence)
            for note in told_once(listing.comparison.notes)
            if note.code != "unrelated" and note.sentence not in said_above
        ]
        total = len(listing.comparison.divergences)
        # Nothing differs, and yet fewer match than there are: a reader looks for the others.
        if not total and (noise := [self._noise(side) for side in Side]) != [0, 0]:
            left, right = map(thousands, noise)
            said.append(self.say("report.noise", left=left, right=right))
        if len(listing.indices) < total:
            listed = thousands(len(listing.indices))
            said.append(self.say("report.listed-only", listed=listed, total=thousands(total)))
        gone = self._swallowed()
        if gone:
            said.append(self.say("report.rules-swallowed", count=thousands(gone)))
        unordered = [s for s in Side if not listing.comparison.side(s).trace.source.execution_order]
        return said + [self.say("graph-ir.order", side=self.side_name(s)) for s in unordered]

    def by_kind(self) -> str:
        """``op-type 12 · contiguous 61``, the commonest first."""
        counts = sorted(self.listing.by_kind.items(), key=lambda item: -item[1])
        return " · ".join(f"{kind} {thousands(count)}" for kind, count in counts)

    def lines(self, divergence: Divergence, side: Side) -> str:
        """The lines of one side, long lists shortened."""
        return self._some([str(line) for line in self.listing.lines(divergence, side)])

    def op_types(self, divergence: Divergence, side: Side) -> str:
        """The op types of one side, long lists shortened."""
        types = self.listing.op_types(divergence, side)
        return printable(self._some(list(in_runs(types)), len(types)))

    def _some(self, words: Sequence[str], ops: int | None = None) -> str:
        if len(words) <= _MOST_OPS:
            return ", ".join(words)
        count = len(words) if ops is None else ops
        return ", ".join(words[: _MOST_OPS - 1]) + " " + self.say("report.more-ops", count=count)

    def place(self, divergence: Divergence) -> str:
        """``left 118 Slice ↔ right 112 StridedSlice``; one side alone where the other is absent."""
        return " ↔ ".join(
            self._one_side(divergence, side) for side in Side if divergence.rows(side)
        )

    def _one_side(self, divergence: Divergence, side: Side) -> str:
        lines, types = self.lines(divergence, side), self.op_types(divergence, side)
        source = self.source(divergence, side)
        return f"{self.side_name(side)} {lines} {types}" + (f" ({source})" if source else "")

    def source(self, divergence: Divergence, side: Side) -> str:
        """The user's own line of code behind a divergence on one side, or nothing."""
        rows = divergence.rows(side)
        frame = self.listing.comparison.side(side).trace.user_frame(rows[0]) if rows else None
        return "" if frame is None else printable(str(frame))

    def where(self, divergence: Divergence, side: Side) -> str:
        """The layer and function of a divergence on one side, or nothing."""
        place = self.listing.places.of(divergence, side)
        return "" if place is None else self.sentence(place)

    def anywhere(self, divergence: Divergence) -> str:
        """The layer and function of a divergence: on the left, else on the right, else nothing."""
        return self.where(divergence, Side.LEFT) or self.where(divergence, Side.RIGHT)

    def where_all(self, members: Sequence[int]) -> str:
        """The layers and functions of several divergences in few words, or nothing."""
        place = self.listing.places.of_members(members)
        return "" if place is None else self.sentence(place)

    def lost_links(self, divergence: Divergence) -> str:
        """Who reads what nobody wrote, since the op ran on the host; else empty."""
        if not divergence.lost_links:
            return ""
        places = []
        for link in divergence.lost_links:
            trace = self.listing.comparison.side(link.side).trace
            line, op = trace.line_of(link.consumer_row), trace.type_name(link.consumer_row)
            number = self.say("operand.input", number=link.number)
            places.append(f"{self.side_name(link.side)} {line} {op} {number}")
        return self.say("report.lost", places=printable(self._some(places)))

    def hidden_cause(self, divergence: Divergence) -> str:
        """What explains a divergence, where that is not listed; else empty."""
        cause = self.listing.hidden_cause(divergence)
        if cause is None:
            return ""
        return self.say("report.cause", kind=str(cause.kind), place=self.place(cause))

    # What values tell

    def values_line(self) -> str:
        """How many pairs were compared by values, and how many causes; empty without values."""
        told = self.listing.comparison.values
        if told is None:
            return ""
        compared = thousands(len(told))
        if not told.differ:
            return self.say("values.same", compared=compared)
        count = len(told.roots())
        codes = {0: "values.no-cause", 1: "values.one-cause"}
        causes = Sentence.of(codes.get(count, "values.causes"), count=count)
        return self.say(
            "values.summary", compared=compared, differ=thousands(told.differ), causes=causes
        )

    def value_details(self, divergence: Divergence) -> list[str]:
        """Both statistics of a cause, and the figures of whole tensors; nothing for others."""
        told = self.listing.comparison.values
        pair = divergence.value_pair
        if told is None or pair is None or not told.causes.cause[pair]:
            return []
        fact = told.fact(pair)
        code = "operand.output" if fact.operand.is_output else "operand.input"
        said = []
        left, right = statistics(fact.left), statistics(fact.right)
        if left or right:
            operand = Sentence.of(code, number=fact.operand.left)
            sides = {"left": left or "–", "right": right or "–"}
            said.append(self.say("values.statistics", operand=operand, **sides))
        if fact.figures is not None:
            said.append(
                self.say(
                    "values.figures",
                    cosine=f"{fact.figures.cosine:.6f}",
                    absolute=f"{fact.figures.max_absolute:.3g}",
                    relative=f"{fact.figures.max_relative:.3g}",
                    one=f"{100 * fact.figures.within_one_thousandth:.1f} %",
                    five=f"{100 * fact.figures.within_five_thousandths:.1f} %",
                )
            )
        return said

    # What another tool flagged

    def flags_at(self, divergence: Divergence) -> list[str]:
        """What was flagged of the ops of a divergence."""
        flags = self.listing.options.flags.of(divergence)
        return [f"{SIGN} {self.sentence(flag.sentence())}" for flag in flags]

    def flag_lines(self) -> Iterator[str]:
        """How much was flagged, and what of it stands at ops that do not differ here."""
        flags = self.listing.options.flags
        if not flags:
            return
        elsewhere = flags.elsewhere(self.listing.comparison)
        yield self.say(
            "flags.counts",
            flags=thousands(len(flags.flags)),
            path=flags.path,
            elsewhere=thousands(len(elsewhere)),
        )
        if flags.unfound:
            yield self.say("flags.unfound", count=thousands(flags.unfound))
        shown = elsewhere if self.listing.options.everything else elsewhere[:_MOST_FLAGS]
        for flag in shown:
            yield f"{SIGN} {self._flagged_place(flag)}: {self.sentence(flag.sentence())}"
        if len(shown) < len(elsewhere):
            yield self.say("report.more", count=len(elsewhere) - len(shown))

    def _flagged_place(self, flag: Flag) -> str:
        places = []
        for side in Side:
            row = flag.row(side)
            if row is not None:
                trace = self.listing.comparison.side(side).trace
                name = f"{self.side_name(side)} {trace.line_of(row)} {trace.type_name(row)}"
                places.append(printable(name))
        return " ↔ ".join(places)


def statistics(measure: Measure | None) -> str:
    """What is known of a tensor: ``norm 7.93, min -0.2, max 3.1``."""
    if measure is None:
        return ""
    numbers = (
        ("norm", measure.norm),
        ("min", measure.minimum),
        ("max", measure.maximum),
        ("mean", measure.mean),
    )
    said = [f"{name} {number:.6g}" for name, number in numbers if number is not None]
    if measure.nonfinite:
        said.append(f"nonfinite {measure.nonfinite}")
    if measure.digest is not None and not said:
        said.append(f"hash {measure.digest}")
    return ", ".join(said)


def _counted(many: str, one: str, count: int) -> Sentence:
    """So many of something, or one."""
    if count == 1:
        return Sentence.of(f"report.one-{one}")
    return Sentence.of(f"report.{many}", count=thousands(count))
