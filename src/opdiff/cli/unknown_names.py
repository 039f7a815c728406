"""``opdiff info --names``: the names that the vocabulary does not know."""

from __future__ import annotations

from opdiff.compare.known_names import unknown_names
from opdiff.trace import Trace
from opdiff.wording import Sentence, say


def unknown_as_json(trace: Trace) -> list[dict[str, object]]:
    """The names with how often they occur, commonest first."""
    return [{"name": name, "count": count} for name, count in unknown_names(trace).items()]


def unknown_rows(trace: Trace, language: str) -> list[tuple[str, str]]:
    """The same as rows of a table, all of them: that is what was asked for."""
    found = unknown_names(trace)
    label = say(Sentence.of("cli.info.unknown-names"), language)
    if not found:
        return [(label, say(Sentence.of("cli.info.none"), language))]
    width = len(f"{max(found.values()):,}")
    texts = [f"{count:>{width},}  {name}" for name, count in found.items()]
    texts.append(say(Sentence.of("cli.info.unknown-hint"), language))
    return [(label if place == 0 else "", text) for place, text in enumerate(texts)]
