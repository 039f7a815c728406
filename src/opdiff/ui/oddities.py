"""What is odd about the traces, or cannot be seen in them: one line that can be closed."""

from __future__ import annotations

from PySide6.QtCore import QObject

from opdiff.compare import Comparison
from opdiff.compare.comparison import What
from opdiff.trace import Trace
from opdiff.ui.desk import Desk
from opdiff.ui.language import spoken
from opdiff.ui.plain_text import tip
from opdiff.ui.work.notice import Notice
from opdiff.wording import Sentence

TOPIC = "oddities"
_OFFERED_ELSEWHERE = frozenset({"anchor-hint", "format"})
_MOST_SAID = 2


class Oddities(QObject):
    """Says what a comparison notes, once for each pair of traces."""

    def __init__(self, desk: Desk, notice: Notice) -> None:
        super().__init__(notice)
        self._desk, self._notice = desk, notice
        self._said: tuple[tuple[Trace, Trace] | None, frozenset[Sentence]] = (None, frozenset())
        desk.comparisonChanged.connect(self._tell)
        desk.traceChanged.connect(lambda _: notice.end(TOPIC))

    def _tell(self, comparison: Comparison | None) -> None:
        if comparison is None:
            return
        notes = _oddities(comparison)
        codes = frozenset(notes)
        both = (comparison.left.trace, comparison.right.trace)
        traces, known = self._said
        if traces == both and codes <= known:
            return  # told and perhaps closed before
        self._said = (both, codes)
        if not notes:
            self._notice.end(TOPIC)
            return

        def words() -> str:
            said = [spoken(note) for note in notes]
            self._notice.setToolTip(tip("\n".join(said)))
            rest = len(said) - _MOST_SAID
            more = " " + self.tr("(%n more)", "", rest) if rest > 0 else ""
            return " · ".join(said[:_MOST_SAID]) + more

        self._notice.tell(TOPIC, words)


def _oddities(comparison: Comparison) -> list[Sentence]:
    """What the comparison notes, and what runs once more on one side."""
    notes = [note.sentence for note in comparison.notes if note.code not in _OFFERED_ELSEWHERE]
    groups = [group for group in comparison.groups if group.region is not None]
    again = [g.title for g in groups if g.region is not None and g.region.what is What.AGAIN]
    return [*notes, *again]
