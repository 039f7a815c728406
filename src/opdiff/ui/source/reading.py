"""Source files read and coloured on another thread: a disk may be far away."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer

from opdiff.errors import OpdiffError
from opdiff.report.source_text import Excerpt, SourceText, is_remote, read_source
from opdiff.ui.source.highlighting import Span, highlighted
from opdiff.wording import Sentence

_LOOK_MS = 10
_MOST_KEPT = 32


@dataclass(frozen=True, slots=True)
class Passage:
    """Some lines of a source in colours, or why there are none."""

    excerpt: Excerpt | None = None
    spans: tuple[tuple[Span, ...], ...] = ()
    error: OpdiffError | None = None


Answer = Callable[[Passage], None]
_Wish = tuple[str, int, bool]


class SourceReader(QObject):
    """Answers on the main thread, one wish a slot: a newer wish makes an older one void."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._texts = _Texts()
        self._waiting: dict[object, tuple[list[Passage], Answer]] = {}
        # Looked at from here: a signal from a thread would have to outlive what it is sent to.
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._deliver)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return bool(self._waiting)

    def read(self, slot: object, path: str, line: int, answer: Answer, *, mapped: bool) -> None:
        """Read the lines around a line; the answer comes later."""
        box: list[Passage] = []
        self._waiting[slot] = (box, answer)
        wish = (path, line, mapped)
        # A daemon: a disk that never answers must not keep the program from ending.
        threading.Thread(
            target=lambda: box.append(self._texts.passage(wish)), name="source", daemon=True
        ).start()
        self._look.start()

    def forget(self, slot: object) -> None:
        """Nobody waits for this any more."""
        self._waiting.pop(slot, None)

    def _deliver(self) -> None:
        ready = [slot for slot, (box, _) in self._waiting.items() if box]
        for slot in ready:
            box, answer = self._waiting.pop(slot)
            answer(box[0])
        if not self._waiting:
            self._look.stop()


class _Texts:
    """The files read lately, as long as they do not change."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[tuple[int, int], SourceText]] = OrderedDict()
        self._lock = threading.Lock()

    def passage(self, wish: _Wish) -> Passage:
        path, line, mapped = wish
        try:
            text = self._text(path, mapped)
            excerpt = text.around(line)
            if excerpt is None:
                sentence = Sentence.of("source.no-such-line", count=len(text.lines), line=line)
                return Passage(error=OpdiffError(sentence, path=text.path))
            last = excerpt.first + len(excerpt.lines) - 1
            spans = highlighted(text.lines, excerpt.first, last)
            return Passage(excerpt, tuple(map(tuple, spans)))
        except OpdiffError as error:
            return Passage(error=error)
        except Exception as error:  # noqa: BLE001 # somebody waits for an answer, whatever it is
            sentence = Sentence.of("source.unreadable", reason=type(error).__name__)
            return Passage(error=OpdiffError(sentence, path=path))

    def _text(self, path: str, mapped: bool) -> SourceText:
        mark = None if is_remote(path) and not mapped else _mark(path)
        if mark is None:
            return read_source(path, named_by_user=mapped)  # which says why
        with self._lock:
            kept = self._kept.get(path)
        if kept is not None and kept[0] == mark:
            return kept[1]
        text = read_source(path, named_by_user=mapped)
        with self._lock:
            self._kept[path] = (mark, text)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return text


def _mark(path: str) -> tuple[int, int] | None:
    """What changes with a file; None where there is none."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return state.st_mtime_ns, state.st_size
