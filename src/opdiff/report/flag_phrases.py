"""What another tool flagged, in words."""

from __future__ import annotations

from collections.abc import Iterator

from opdiff.compare import Divergence, Side
from opdiff.report.flags import SIGN, Flag, Flags
from opdiff.report.phrases import Phrases
from opdiff.wording import Sentence
from opdiff.wording.printable import printable, thousands

_SHOWN = 10


def flag_sentence(flag: Flag) -> Sentence:
    """``msprobe: error, input.1: …``."""
    verdict = Sentence.of(f"flags.{flag.verdict}")
    if not flag.operand:
        return Sentence.of("flags.whole", verdict=verdict, message=flag.message)
    operand, message = flag.operand, flag.message
    return Sentence.of("flags.one", verdict=verdict, operand=operand, message=message)


def flags_at(phrases: Phrases, divergence: Divergence) -> list[str]:
    """What was flagged of the ops of a divergence."""
    flags = phrases.listing.options.flags
    return [f"{SIGN} {phrases.sentence(flag_sentence(flag))}" for flag in flags.of(divergence)]


def flag_lines(phrases: Phrases) -> Iterator[str]:
    """How much was flagged, and what of it stands at ops that do not differ here."""
    listing = phrases.listing
    flags: Flags = listing.options.flags
    if not flags:
        return
    elsewhere = flags.elsewhere(listing.comparison)
    yield phrases.say(
        "flags.counts",
        flags=thousands(len(flags.flags)),
        path=flags.path,
        elsewhere=thousands(len(elsewhere)),
    )
    if flags.unfound:
        yield phrases.say("flags.unfound", count=thousands(flags.unfound))
    shown = elsewhere if listing.options.everything else elsewhere[:_SHOWN]
    for flag in shown:
        yield f"{SIGN} {_place(phrases, flag)}: {phrases.sentence(flag_sentence(flag))}"
    if len(shown) < len(elsewhere):
        yield phrases.say("report.more", count=len(elsewhere) - len(shown))


def _place(phrases: Phrases, flag: Flag) -> str:
    comparison = phrases.listing.comparison
    places = []
    for side in Side:
        row = flag.row(side)
        if row is not None:
            trace = comparison.side(side).trace
            name = f"{phrases.side_name(side)} {trace.line_of(row)} {trace.type_name(row)}"
            places.append(printable(name))
    return " ↔ ".join(places)
