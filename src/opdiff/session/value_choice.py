"""Which values of two traces are compared, and what of them is noise: what the user asks for."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from opdiff.compare import Comparison, Request, compare
from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Cancelled, Progress
from opdiff.readers import open_trace
from opdiff.readers.together import can_read_elsewhere, together
from opdiff.readers.trace_values import read_values
from opdiff.session.files import path_for, path_from
from opdiff.session.json_fields import Field
from opdiff.trace import Trace
from opdiff.values.floors import NO_FLOORS, Floors, Precision, parse_jump
from opdiff.values.question import Held, ValueOptions
from opdiff.values.sources import sidecar_beside
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from concurrent.futures import Future

    from opdiff.values.table import Values

_LOOK_EVERY = 0.1
"""Seconds."""


@dataclass(frozen=True, slots=True)
class ValueChoice:
    """Where values come from, and how they are compared."""

    left: str | None = None
    """A file or folder with the values of the left trace; None for those beside it."""
    right: str | None = None
    off: bool = False
    """Whether values are not looked at."""
    options: ValueOptions = field(default_factory=ValueOptions)
    noise_run: str | None = None
    """A run that should equal the left one: what differs between them is noise."""
    floors: tuple[str, ...] = ()
    """Floors that were given by hand: they count also where noise was measured."""

    @classmethod
    def of(
        cls,
        *,
        left: str | None = None,
        right: str | None = None,
        off: bool = False,
        bitwise: bool = False,
        floors: Sequence[str] = (),
        jump: str | None = None,
        noise_run: str | None = None,
    ) -> ValueChoice:
        """What options say; raises OpdiffError if a floor or the jump is none."""
        options = ValueOptions(Floors().with_options(floors), bitwise=bitwise)
        if jump is not None:
            options = replace(options, jump=parse_jump(jump))
        return cls(left, right, off, options, noise_run, tuple(floors))

    def words(self) -> list[str]:
        """The options of the command line that ask for the same."""
        words: list[str] = []
        named = (("left-values", self.left), ("right-values", self.right))
        for option, path in (*named, ("noise-run", self.noise_run)):
            words += [f"--{option}", path] if path is not None else []
        for floor in self.floors:
            words += ["--value-floor", floor]
        if self.options.jump != ValueOptions().jump:
            words += ["--value-jump", f"{self.options.jump:g}"]
        words += ["--bitwise"] if self.options.bitwise else []
        return [*words, "--no-values"] if self.off else words

    def as_json(self, document: Path) -> dict[str, object]:
        """What a document keeps of it; nothing where all is as usual."""
        if self == ValueChoice():
            return {}
        named = {"left": self.left, "right": self.right, "noise_run": self.noise_run}
        usual = self.options.jump == ValueOptions().jump
        return {
            **{key: path and path_for(path, document) for key, path in named.items()},
            "off": self.off,
            "bitwise": self.options.bitwise,
            "floors": list(self.floors),
            "jump": None if usual else f"{self.options.jump:g}",
        }

    @classmethod
    def from_json(cls, stored: Field, document: Path) -> ValueChoice:
        """What a document kept; raises OpdiffError where somebody put something else there."""

        def path(key: str) -> str | None:
            named = stored[key].text_if_any()
            return None if named is None else path_from(named, document)

        return cls.of(
            left=path("left"),
            right=path("right"),
            off=stored["off"].flag(default=False),
            bitwise=stored["bitwise"].flag(default=False),
            floors=[floor.text() for floor in stored["floors"]],
            jump=stored["jump"].text_if_any(),
            noise_run=path("noise_run"),
        )

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were named."""
        named = (self.left, self.right, self.noise_run)
        return tuple(path for path in named if path is not None)

    def held(
        self,
        left: Trace,
        right: Trace,
        progress: Progress = SILENT,
        rank: int | None = None,
        cache: bool = True,
        apart: bool = False,
    ) -> Held:
        """The values of both traces, read, with noise measured where that was asked for.

        With *apart*, other processes read both sides: this one has other work. Raises OpdiffError
        if values cannot be read or are another trace's, and if what was asked needs values that
        are not there.
        """
        if self.off:
            return Held()
        wanted = ((left, self.left, apart), (right, self.right, True))
        works = [partial(_read, *each, cache) for each in wanted]
        found = together(works, progress, [path or trace.source.path for trace, path, _ in wanted])
        held = Held(found[0], found[1], self.options)
        self._check(held)
        if self.noise_run is None or held.left is None:
            return held
        third = open_trace(self.noise_run, rank=rank, progress=progress, cache=cache)
        other = read_values(third, progress=progress, cache=cache)
        if other is None:
            raise OpdiffError("values.noise-run-without", path=third.source.path)
        known = compare(
            left, third, Request(), progress, Held(held.left, other, ValueOptions(NO_FLOORS))
        )
        return self._with_noise(held, known)

    def _check(self, held: Held) -> None:
        """Refuse a question that values cannot answer: 'no difference' would be a lie."""
        asked = "--bitwise" if self.options.bitwise else "--noise-run" if self.noise_run else None
        if asked is None:
            return
        if held.both is None:
            raise OpdiffError("values.needed", option=asked)
        if self.options.bitwise and not _hashes_compare(*held.both):
            raise OpdiffError("values.no-hashes")

    def _with_noise(self, held: Held, known: Comparison) -> Held:
        """*known* compares the left run with one that should equal it."""
        from opdiff.compare.values.value_phrases import error_text
        from opdiff.values.pairing import measured_floors

        assert known.values is not None  # both have values
        floors = measured_floors(known.values.compared, known.values.left, known.values.right)
        floors = floors.with_options(self.floors)
        listed = ", ".join(
            f"{precision.word} {error_text(floors.floors[precision])}"
            for precision in Precision
            if floors.floors[precision] != Floors().floors[precision]
        )
        third = known.values.right
        run = third.trace.source
        note = Sentence.of("values.noise-measured", run=run.path, floors=listed or "–")
        return replace(
            held,
            options=replace(held.options, floors=floors),
            notes=(note,),
            noise_files=(*run.files, *third.values.files),
        )


def _read(
    trace: Trace, path: str | None, elsewhere: bool, cache: bool, progress: Progress
) -> Values | None:
    return read_values(trace, path, progress=progress, cache=cache, elsewhere=elsewhere)


def _hashes_compare(left: Values, right: Values) -> bool:
    both = left.measures.has_digest.any() and right.measures.has_digest.any()
    return bool(both) and left.measures.digest_kind == right.measures.digest_kind


@contextlib.contextmanager
def values_ahead(
    choice: ValueChoice,
    left: Trace,
    right: Trace,
    progress: Progress = SILENT,
    rank: int | None = None,
    cache: bool = True,
) -> Iterator[Callable[[], Held]]:
    """What gives the values when they are needed; large ones are read from now on.

    Other processes read them while the ops are paired: that needs no values, and the text of large
    ones takes longer to read than the traces. It raises as :meth:`ValueChoice.held` does.
    """
    read = partial(choice.held, left, right, rank=rank, cache=cache)
    if not _pays(choice, left, right):
        yield functools.cache(partial(read, progress))
        return
    meanwhile = _Meanwhile()
    from concurrent.futures import ThreadPoolExecutor  # takes a while

    with ThreadPoolExecutor(1, thread_name_prefix="values") as thread:
        future = thread.submit(read, meanwhile, apart=True)
        try:
            yield functools.cache(partial(_waited_for, future, meanwhile, progress))
        finally:
            meanwhile.stopped = True


def _pays(choice: ValueChoice, left: Trace, right: Trace) -> bool:
    """Whether both have large files that other processes can read; noise is measured here."""
    if choice.off or choice.noise_run is not None:
        return False
    wanted = ((left, choice.left), (right, choice.right))
    files = [Path(path) if path else sidecar_beside(trace.source.path) for trace, path in wanted]
    with contextlib.suppress(OSError):  # reading says what is wrong
        return all(file and file.is_file() and can_read_elsewhere(file) for file in files)
    return False


class _Meanwhile(Progress):
    """How far the reading is, for whom it concerns; stopped, it goes no further."""

    def __init__(self) -> None:
        self.stopped = False
        self.latest = ("values", 0, 1)

    def report(self, stage: str, done: int, total: int) -> None:
        """Keep it."""
        if self.stopped:
            raise Cancelled
        self.latest = (stage, done, total)


def _waited_for(future: Future[Held], meanwhile: _Meanwhile, progress: Progress) -> Held:
    from concurrent.futures import wait

    while not future.done():
        progress.report(*meanwhile.latest)
        wait([future], _LOOK_EVERY)
    return future.result()
