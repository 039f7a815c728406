"""What the files that were opened cannot tell, said once: guessed links, no outputs."""

from __future__ import annotations

from opdiff.compare import Side
from opdiff.trace import Trace
from opdiff.ui.choices import FIRST_GRAPH
from opdiff.ui.language import spoken
from opdiff.ui.messages import Notice
from opdiff.ui.store import Store
from opdiff.wording import Sentence

TOPIC = "limits"
_MOST = 4


def tell_limits(store: Store, notice: Notice) -> None:
    """Tell of the limits of the formats of the traces that are open, until the user closes it."""
    limits = limits_of([trace for side in Side if (trace := store.trace(side)) is not None])
    if limits:
        notice.tell(TOPIC, lambda: "\n".join(f"{name}: {spoken(limit)}" for name, limit in limits))
    else:
        notice.end(TOPIC)


def limits_of(traces: list[Trace]) -> list[tuple[str, Sentence]]:
    """The formats and what they do not tell, each once, though both sides may be of one format."""
    found = {
        (trace.source.format, note): None
        for trace in traces
        for note in trace.notes
        if note.code != FIRST_GRAPH  # which graph is read is asked in the banner
    }
    return list(found)[:_MOST]
