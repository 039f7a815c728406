"""The outcomes of a jit matrix as one table for people."""

from __future__ import annotations

import math
from collections.abc import Sequence

from opdiff.capture.jit_matrix import EAGER, Outcome
from opdiff.wording import Sentence, say
from opdiff.wording.columns import aligned, widths_of

_COLUMNS = ("setting", "result", "count", "prepare", "run", "divergences")
_NUMBERS = (2, 3, 4)
"""The places of those that are aligned to the right."""


def table(outcomes: Sequence[Outcome], language: str = "en") -> str:
    """Header, one line a setting, and a verdict."""
    header = [_word(column, language) for column in _COLUMNS]
    rows = [header, *(_row(outcome, language) for outcome in outcomes)]
    rule = "  ".join("─" * width for width in widths_of(rows))
    first, *others = aligned(rows, _NUMBERS)
    return "\n".join([first, rule, *others, "", verdict(outcomes, language)])


def verdict(outcomes: Sequence[Outcome], language: str = "en") -> str:
    """Which settings compute something else."""
    ran = [outcome for outcome in outcomes if not outcome.error and outcome.setting is not EAGER]
    wrong = [outcome.setting.name for outcome in ran if not outcome.equal]
    if not wrong:
        return say(Sentence.of("capture.matrix-fine"), language)
    names = ", ".join(wrong)
    sentence = Sentence.of(
        "capture.matrix-verdict", count=len(wrong), total=len(ran), settings=names
    )
    return say(sentence, language)


def _word(column: str, language: str) -> str:
    return say(Sentence.of(f"capture.matrix-{column}"), language)


def _row(outcome: Outcome, language: str) -> list[str]:
    name = outcome.setting.name
    if outcome.setting is EAGER:
        name = _word("eager", language)
    return [
        name,
        say(_result(outcome), language),
        "–" if outcome.ops is None else str(outcome.ops),
        _time(outcome.prepare),
        _time(outcome.call),
        _divergences(outcome, language),
    ]


def _result(outcome: Outcome) -> Sentence:
    if outcome.setting is EAGER:
        return Sentence.of("capture.matrix-reference")
    if outcome.error:
        return Sentence.of("capture.matrix-failed", why=_short(outcome.error))
    if outcome.equal:
        return Sentence.of("capture.matrix-equal")
    if outcome.difference is None or math.isinf(outcome.difference):
        return Sentence.of("capture.matrix-shape")
    return Sentence.of("capture.matrix-wrong", difference=f"{outcome.difference:.3g}")


def _short(error: str, length: int = 48) -> str:
    return error if len(error) <= length else error[: length - 1] + "…"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.2f} ms"


def _divergences(outcome: Outcome, language: str) -> str:
    if outcome.setting is EAGER or outcome.error:
        return ""
    if outcome.by_kind is None:
        return _word("no-trace", language)
    if not outcome.by_kind:
        return _word("none", language)
    return ", ".join(f"{kind} {count}" for kind, count in outcome.by_kind.items())
