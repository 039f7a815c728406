"""The values of the traces in the window: read with the first comparison, kept for the next."""

from __future__ import annotations

from opdiff.errors import OpdiffError
from opdiff.progress import Progress
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Trace
from opdiff.values import Held
from opdiff.wording import Sentence


class Holding:
    """What the tensors of two traces held; another thread may ask for it, one at a time."""

    def __init__(self) -> None:
        self.choice = ValueChoice()
        """What the user asked for."""
        self.cache = True
        """Whether large files of values that were read before are not read again."""
        self._known: tuple[Trace, Trace, ValueChoice, Held] | None = None

    def of(self, left: Trace, right: Trace, progress: Progress) -> Held:
        """Those of two traces. Values that are refused are told of, and done without."""
        choice, known = self.choice, self._known
        if known is not None and known[:3] == (left, right, choice):
            return known[3]
        try:
            held = choice.held(left, right, progress, cache=self.cache)
        except OpdiffError as error:
            place = error.path or ""
            if error.line is not None:
                place = f"{place}:{error.line}"
            refused = Sentence.of("values.refused", place=place, reason=error.sentence)
            held = Held(notes=(refused,))
        self._known = (left, right, choice, held)
        return held
