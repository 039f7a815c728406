"""``python -m benchmarks [reading|comparing|painting …] [--ops 10000,200000,1000000]``."""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from pathlib import Path

from benchmarks.pages import put

NAMES = (
    "reading",
    "memory",
    "structure",
    "comparing",
    "patterns",
    "values",
    "painting",
    "opening",
    "stalls",
    "recording",
    "ranks",
)


def main() -> None:
    """Run the benchmarks asked for, each a module with ``run(ops)``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--ops", default="10000,200000,1000000", help="sizes of the traces")
    parser.add_argument(
        "--pair", nargs=2, type=Path, metavar="TRACE", help="compare two traces of your own"
    )
    parser.add_argument("--write", action="store_true", help="also put the tables into docs/")
    options = parser.parse_args()
    if options.pair:
        importlib.import_module("benchmarks.comparing").run_pair(*options.pair)
        return
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    ops = [int(size) for size in options.ops.split(",")]
    names = options.names or NAMES
    if len(names) == 1 and not options.write:
        importlib.import_module(f"benchmarks.{names[0]}").run(ops)
        return
    for name in names:
        print(f"== {name}", flush=True)
        # A process of its own: a child's peak of memory starts at that of the one that made it.
        command = [sys.executable, "-m", "benchmarks", name, "--ops", options.ops]
        printed = ""
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                print(line, end="", flush=True)
                printed += line
        if process.returncode:
            sys.exit(process.returncode)
        if options.write:
            put(name, printed)


if __name__ == "__main__":
    main()
