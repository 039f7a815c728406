"""Ctrl-C at any moment: a quiet end with status 130, and never a traceback.

While modules are imported nothing is lost by ending at once, and raising KeyboardInterrupt there is
not safe: the import system and C extensions swallow it, or report it as something else. While a
command works it is raised, so that files half written are removed.

Imports next to nothing: it is there to be imported first.
"""

from __future__ import annotations

import os
import signal
import sys

STATUS = 130

_interrupted = [False]


def was_interrupted() -> bool:
    """Whether the command that runs, or ran last, was interrupted."""
    return _interrupted[0]


def forget_interrupt() -> None:
    """What was interrupted has dealt with it, and work goes on."""
    _interrupted[0] = False


def end_at_once(*_: object) -> None:
    """Leave without a word."""
    os._exit(STATUS)


def end_at_once_when_interrupted() -> None:
    """From now on; unless whoever started the program has it ignore interrupts."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, end_at_once)


class Interruptible:
    """Lets Ctrl-C be raised within, where the program has it end at once otherwise."""

    def __enter__(self) -> None:
        forget_interrupt()
        self._in_charge = signal.getsignal(signal.SIGINT) is end_at_once
        self._hook = sys.unraisablehook
        if self._in_charge:
            sys.unraisablehook = _unraisable
            signal.signal(signal.SIGINT, _raise)

    def __exit__(self, *_: object) -> None:
        if self._in_charge:
            signal.signal(signal.SIGINT, end_at_once)
            sys.unraisablehook = self._hook


def _raise(*_: object) -> None:
    _interrupted[0] = True
    raise KeyboardInterrupt


def _unraisable(found: sys.UnraisableHookArgs) -> None:
    """An interrupt where nothing can be raised, as in a destructor, would be lost."""
    if issubclass(found.exc_type, KeyboardInterrupt):
        end_at_once()
    sys.__unraisablehook__(found)
