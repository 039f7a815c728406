"""``python -m tests.soak [NAME …] [--minutes 30] [--seed 1]``: try to break it, for long.

Each name has a process of its own and an equal share of the time. What failed is told with its
seed, and its files are kept in ``out/soak``; ``--seed SEED --rounds 1 NAME`` does it again.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

NAMES = ("readers", "comparing", "sessions", "options", "killing", "window")
KEPT = Path("out/soak").resolve()
_LONGEST_ROUND = 300
"""Seconds; what takes longer hangs, and ends with the stacks of all threads."""
_MOST_FAILURES = 10


def main() -> int:
    """Soak; the exit status tells whether anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--minutes", type=float, default=30, help="for all of them together")
    parser.add_argument("--rounds", type=int, help="so many of each instead")
    parser.add_argument(
        "--seed", type=int, default=int(time.time()), help="that of the first round"
    )
    options = parser.parse_args()
    names = options.names or list(NAMES)
    if unknown := set(names) - set(NAMES):
        parser.error(f"there is no soak {', '.join(sorted(unknown))}")
    if len(names) == 1:
        return soak(names[0], options.minutes, options.rounds, options.seed)
    rounds = [] if options.rounds is None else ["--rounds", str(options.rounds)]
    failed = []
    for name in names:
        share = ["--minutes", str(options.minutes / len(names)), "--seed", str(options.seed)]
        command = [sys.executable, "-m", "tests.soak", name, *share, *rounds]
        if subprocess.run(command, check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "nothing failed")
    return bool(failed)


def soak(name: str, minutes: float, rounds: int | None, seed: int) -> int:
    """Round after round until the time is over, or as many as are wanted."""
    one_round = importlib.import_module(f"tests.soak.{name}").one_round
    end = time.monotonic() + 60 * minutes
    home, done, failures = Path.cwd(), 0, 0
    while failures < _MOST_FAILURES and (
        done < rounds if rounds is not None else time.monotonic() < end
    ):
        faulthandler.dump_traceback_later(_LONGEST_ROUND, exit=True)
        scratch = Path(tempfile.mkdtemp(prefix="soak-"))
        os.chdir(scratch)  # a monkey that types "%12" into a dialog writes a file of that name
        try:
            one_round(random.Random(seed), scratch)
        except Exception:  # noqa: BLE001 # kept, with its seed
            failures += 1
            kept = _keep(scratch, KEPT / f"{name}-{seed}")
            print(
                f"{name}: seed {seed} failed, kept in {kept}\n{traceback.format_exc()}", flush=True
            )
        finally:
            os.chdir(home)
            shutil.rmtree(scratch, ignore_errors=True)
        done, seed = done + 1, seed + 1
    faulthandler.cancel_dump_traceback_later()
    print(f"{name}: {done:,} rounds, {failures} failed", flush=True)
    return bool(failures)


def _keep(scratch: Path, kept: Path) -> Path:
    shutil.rmtree(kept, ignore_errors=True)
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(scratch, kept, symlinks=True)
    return kept


if __name__ == "__main__":
    sys.exit(main())
