"""The entry point of ``opdiff``: which command it is, and what an error looks like."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence

from opdiff import __version__
from opdiff.cli.options import language_of
from opdiff.errors import OpdiffError
from opdiff.progress import Cancelled
from opdiff.wording import Sentence

COMMANDS = ("compare", "info", "find", "capture")
TROUBLE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141

USAGE = """\
usage: opdiff [LEFT RIGHT] [options]     the window, on two traces or empty
       opdiff compare LEFT RIGHT [...]   compare without a window
       opdiff info TRACE [...]           what a trace holds
       opdiff find TRACE [...]           the lines to choose an anchor from
       opdiff capture [...] -- COMMAND   run a command with the tracker on
       opdiff --version

Each command tells its options with --help; 'opdiff window --help' those of the window.
Exit status: 0 fine, 1 divergences or nothing found, 2 trouble.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; never raises what a user would see."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _print_anything()
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except OpdiffError as error:
        return _trouble(error, arguments)
    except (KeyboardInterrupt, Cancelled):
        return INTERRUPTED
    except BrokenPipeError:
        # Nobody reads on; what is still buffered must not raise at exit either.
        sys.stdout = io.StringIO()
        return BROKEN_PIPE
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception as error:
        # A user meets a message and a way to report it; a developer asks for the traceback.
        if os.environ.get("OPDIFF_TRACEBACK"):
            raise
        return _trouble(_described(error), arguments)
    return status


def _run(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first in ("-h", "--help"):
        print(USAGE, end="")
        return 0
    if first == "--version":
        print(f"opdiff {__version__}")
        return 0
    if first in COMMANDS:
        return _run_command(first, arguments[1:])
    return _run_command("window", arguments[1:] if first == "window" else arguments)


def _run_command(command: str, arguments: list[str]) -> int:
    # Only the module of the command is imported: `info` needs neither Qt nor the engine.
    name = f"opdiff.cli.{command}_command"
    try:
        status: int = importlib.import_module(name).run(arguments)
    except ImportError as error:
        if error.name == name:
            sentence = Sentence.of("cli.no-such-command", command=command)
        elif command == "window":
            sentence = Sentence.of("cli.no-window", reason=str(error))
        else:
            raise
        raise OpdiffError(sentence) from error
    return status


def _print_anything() -> None:
    """Names in a trace may hold what the terminal cannot show: print it escaped, never raise."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _described(error: Exception) -> OpdiffError:
    if isinstance(error, OSError):
        path = error.filename if isinstance(error.filename, str) else None
        reason = error.strerror or str(error)
        return OpdiffError(Sentence.of("cli.system", reason=reason), path=path)
    reason = f"{type(error).__name__}: {error}"
    return OpdiffError(Sentence.of("cli.internal", reason=reason))


def _trouble(error: OpdiffError, arguments: list[str]) -> int:
    print(f"opdiff: {error.text(language_of(arguments))}", file=sys.stderr)
    return TROUBLE
