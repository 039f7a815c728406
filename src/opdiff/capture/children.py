"""Commands that run for us: who asks us to end means them too."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from opdiff.interrupts import forget_interrupt

_ASKED_TO_END = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Children:
    """The commands that run now; the threads of a matrix start several at once."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._starting: list[object] = []
        """One entry a command that is being started, which nobody can ask to end yet."""
        self._asked: int | None = None

    def run(
        self,
        command: Sequence[str],
        *,
        output: IO[bytes] | None = None,
        directory: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> int:
        """The exit status of a command; OSError where it cannot be started."""
        self._leave_if_asked()
        self._starting.append(command)
        try:
            process = subprocess.Popen(
                command, cwd=directory, env=environment, stdout=output, stderr=output
            )
            self._running.add(process)
        finally:
            self._starting.pop()
        try:
            if self._asked is not None:  # meanwhile
                process.send_signal(self._asked)
            return _wait(process)
        finally:
            self._running.discard(process)

    @contextlib.contextmanager
    def end_with_us(self) -> Iterator[None]:
        """Pass SIGTERM and SIGHUP on to the commands, and go on when they have ended.

        What the tracker wrote by then is still brought home.
        """
        self._asked = None
        before = {number: signal.getsignal(number) for number in _ASKED_TO_END}
        heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
        for number in heard:
            signal.signal(number, self._pass_on)
        try:
            yield
        finally:
            for number in heard:
                signal.signal(number, before[number])

    def _pass_on(self, number: int, _: object) -> None:
        again, self._asked = self._asked is not None, number
        for process in list(self._running):
            if again:  # it was asked in vain
                process.kill()
            else:
                process.send_signal(number)
        if not self._running and not self._starting:
            self._leave_if_asked()

    def _leave_if_asked(self) -> None:
        if self._asked is not None:
            raise SystemExit(128 + self._asked)


CHILDREN = Children()


def _wait(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait()
    except KeyboardInterrupt:
        # The command got the same Ctrl-C, and the tracker still writes while it ends.
        forget_interrupt()
        return _wait(process)
