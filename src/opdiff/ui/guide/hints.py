"""Three words for whoever starts: each goes away for good once it was followed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from opdiff.compare import Side
from opdiff.ui.anchors.suggesting import LEAST_TAKEN, Suggesting
from opdiff.ui.frame.messages import Notice
from opdiff.ui.settings import Settings
from opdiff.ui.store import Store

_SETTING = "hintsDone"
_ALL = "anchor compare walk"


class Hints(QObject):
    """Says the next step in a line of its own, as long as it was never taken."""

    def __init__(
        self, store: Store, notice: Notice, settings: Settings, suggesting: Suggesting
    ) -> None:
        super().__init__(notice)
        self._store, self._notice, self._settings = store, notice, settings
        self._suggesting = suggesting
        self._arrived = False
        for signal in (
            store.traceChanged,
            store.workChanged,
            store.comparisonChanged,
            suggesting.offered,
        ):
            signal.connect(self._refresh)
        store.comparisonChanged.connect(self._depart)
        store.currentChanged.connect(self._walked)

    @property
    def done(self) -> frozenset[str]:
        """What was followed, or is not wanted."""
        return frozenset(self._settings.text(_SETTING, "").split())

    def arrive(self) -> None:
        """The comparison is shown: what is gone to from now on, the user goes to."""
        self._arrived = True

    def stop(self) -> None:
        """No more hints."""
        self._finish(*_ALL.split())

    def _finish(self, *names: str) -> None:
        if not self.done.issuperset(names):
            self._settings.put(_SETTING, " ".join(sorted(self.done.union(names))))
        for name in names:
            self._notice.end(f"hint-{name}")

    def _refresh(self, *_: object) -> None:
        store = self._store
        if store.both() is None:
            return
        anchored = all(store.work.anchor(side) is not None for side in Side)
        offer = next(filter(None, map(self._suggesting.offer, Side)), None)
        if anchored or offer is not None:
            self._finish("anchor")
        anchored = anchored or (offer is not None and offer.score >= LEAST_TAKEN)
        if store.comparison is not None:
            self._finish("anchor", "compare")
        step = "walk" if store.comparison is not None else "compare" if anchored else "anchor"
        for other in {*_ALL.split()} - {step}:
            self._notice.end(f"hint-{other}")
        if step in self.done or self._notice.topic == f"hint-{step}":
            return
        if step == "walk" and store.comparison is not None and not store.comparison.divergences:
            return  # there is nothing to go to
        self._notice.tell(
            f"hint-{step}", self._words(step), lambda: self.tr("No more hints"), self.stop
        )

    def _walked(self, index: int) -> None:
        if self._arrived and index >= 0:
            self._finish("walk")

    def _depart(self) -> None:
        self._arrived = False

    def _words(self, step: str) -> Callable[[], str]:
        return {
            "anchor": lambda: self.tr(
                "Select the same op on both sides and press A on each: comparing starts there."
            ),
            "compare": lambda: self.tr(
                "F5 compares upward from the anchors, also from one that is only offered."
            ),
            "walk": lambda: self.tr(
                "N goes to the next difference, B to its cause, Alt+← back; Ctrl+P finds the rest."
            ),
        }[step]
