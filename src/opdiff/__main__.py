"""``opdiff`` and ``python -m opdiff``: the program, which is quiet however it ends."""

import gc
import sys
import warnings


def program() -> int:
    """Run the command line; Ctrl-C ends it without a traceback from here on."""
    # Before all the rest is imported: that takes longest, and people are impatient.
    try:
        from opdiff.interrupts import end_at_once_when_interrupted

        end_at_once_when_interrupted()
    except KeyboardInterrupt:
        return 130
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # of libraries: lines for programmers, not for users
    from opdiff.cli import main
    from opdiff.cli.output import occupy_closed_streams

    occupy_closed_streams()
    status = main()
    if "PySide6" not in sys.modules:
        gc.freeze()  # the process ends: going through all that it holds once more helps nobody
    return status


if __name__ == "__main__":
    sys.exit(program())
