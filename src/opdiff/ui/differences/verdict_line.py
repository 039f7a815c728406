"""What the comparison comes to, above the list: the first that a reader wants to know."""

from __future__ import annotations

from opdiff.compare import Comparison
from opdiff.report.listing import Listing
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.verdict import VerdictKind, verdict_of
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.store import Store
from opdiff.ui.translations import language


class VerdictLine(Retranslating, PlainLabel):
    """The same verdict as in reports, but for the first place, which the list names just below."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.setObjectName("verdictLine")
        self.setWordWrap(True)
        self.setContentsMargins(14, 6, 14, 4)
        self._store = store
        store.visibleChanged.connect(self._say)
        self._say()

    def _say(self) -> None:
        comparison = self._store.comparison
        text = "" if comparison is None else self._verdict(comparison)
        self.setText(text)
        self.setVisible(bool(text))

    retranslate = _say

    def _verdict(self, comparison: Comparison) -> str:
        # Nearest first is how they lie there: no group has to be sorted for it.
        listing = Listing(comparison, ReportOptions(language=language(), nearest=True))
        verdict = verdict_of(listing)
        if verdict.outcome is VerdictKind.SAME:
            return ""  # an empty list speaks for itself
        if verdict.outcome is not VerdictKind.SUSPECT:
            return Phrases(listing).verdict()
        shown, total = len(self._store.visible), len(comparison.divergences)
        may = self.tr("{count} of {total} differences may change a value.")
        if verdict.suspects == total:
            may = self.tr("All {total} differences may change a value.")
        if total == 1:
            may = self.tr("The one difference may change a value.")
        count = suspects = verdict.suspects
        if shown < total:
            may = self.tr(
                "{count} of the {shown} shown may change a value ({suspects} of all {total})."
            )
            count = int(comparison.suspect[self._store.visible].sum())
        return may.format(
            count=f"{count:,}", shown=f"{shown:,}", suspects=f"{suspects:,}", total=f"{total:,}"
        )
