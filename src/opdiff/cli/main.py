"""The entry point of ``opdiff``: which command it is, and what an error looks like."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence

from opdiff import __version__
from opdiff.cli.options import HelpAsked, language_of, with_language_later
from opdiff.cli.output import guarded_output, tell
from opdiff.errors import OpdiffError
from opdiff.interrupts import STATUS as INTERRUPTED
from opdiff.interrupts import Interruptible, was_interrupted
from opdiff.progress import Cancelled
from opdiff.uncollected import uncollected
from opdiff.wording import Sentence

COMMANDS = ("compare", "info", "find", "capture", "ranks")
TROUBLE, BROKEN_PIPE = 2, 141
_DASHES_AS_VALUE = re.compile(r"(--[^=]+)=--|(-[A-Za-z])=?--")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; never raises what a user would see."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    with guarded_output():
        status = _status_of(arguments)
    _let_go_of_output()
    return status


def _status_of(arguments: list[str]) -> int:
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except OpdiffError as error:
        return _trouble(error, arguments)
    except (KeyboardInterrupt, Cancelled):
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception as error:
        if was_interrupted():  # in a library that takes it for a failure of its own
            return INTERRUPTED
        # A user meets a message and a way to report it; a developer asks for the traceback.
        if os.environ.get("OPDIFF_TRACEBACK"):
            raise
        return _trouble(_described(error), arguments)
    return status


def _let_go_of_output() -> None:
    """What nobody reads, or no disk holds, has been told: it must not raise at exit again."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        sys.stdout = io.StringIO()


def _run(arguments: list[str]) -> int:
    arguments = with_language_later(arguments)
    first = arguments[0] if arguments else ""
    if first in ("-h", "--help") or (first == "help" and not os.path.exists(first)):
        from opdiff.cli.help_text import overview

        print(overview(language_of(arguments)), end="")
        return 0
    if first == "--version":
        print(f"opdiff {__version__}")
        return 0
    if first in COMMANDS:
        return _run_command(first, arguments[1:])
    _refuse_misspelt(first)
    return _run_command("window", arguments[1:] if first == "window" else arguments)


def _refuse_misspelt(word: str) -> None:
    """``comapre a b``: a word that is no file is not taken for a trace."""
    if not word.isalpha() or word == "window" or os.path.exists(word):
        return
    import difflib  # takes a while

    meant = difflib.get_close_matches(word, COMMANDS, n=1, cutoff=0.7)
    if meant:
        raise OpdiffError("cli.misspelt", word=word, command=meant[0])
    raise OpdiffError("cli.neither", word=word, commands=", ".join(COMMANDS))


def _run_command(command: str, arguments: list[str]) -> int:
    _refuse_dashes_as_values(arguments)
    # Only the module of the command is imported: `info` needs neither Qt nor the engine.
    name = f"opdiff.cli.{command}_command"
    try:
        with uncollected(), _one_thread():
            command_module = importlib.import_module(name)
        with Interruptible():
            status: int = command_module.run(arguments)
    except HelpAsked as asked:
        from opdiff.cli.help_text import help_of

        print(help_of(asked.parser, language_of(arguments)), end="")
        return 0
    except ImportError as error:
        if error.name == name:
            sentence = Sentence.of("cli.no-such-command", command=command)
        elif command == "window":
            sentence = Sentence.of("cli.no-window", reason=str(error))
        else:
            raise
        raise OpdiffError(sentence) from error
    return status


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """NumPy's threads look for work that does not come, for a tenth of a second: none are begun.

    It reads this when it is imported. What a command runs has an environment of its own.
    """
    key = "OPENBLAS_NUM_THREADS"
    if key in os.environ:
        yield
        return
    os.environ[key] = "1"
    try:
        yield
    finally:
        del os.environ[key]


def _refuse_dashes_as_values(arguments: list[str]) -> None:
    """``--option=--``: Python's parser takes the value for the end of options and fails itself."""
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    for argument in own:
        match = _DASHES_AS_VALUE.fullmatch(argument)
        if match:
            raise OpdiffError("cli.no-value", option=match[1] or match[2])


def _described(error: Exception) -> OpdiffError:
    if isinstance(error, OSError):
        path = error.filename if isinstance(error.filename, str) else None
        reason = error.strerror or str(error)
        return OpdiffError("cli.system", reason=reason, path=path)
    reason = f"{type(error).__name__}: {error}"
    return OpdiffError("cli.internal", reason=reason)


def _trouble(error: OpdiffError, arguments: list[str]) -> int:
    with contextlib.suppress(OSError):  # nobody listens
        tell(error.text(language_of(arguments)))
    return TROUBLE
