"""``python -m benchmarks [reading|comparing|painting …] [--ops 10000,200000,1000000]``."""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys

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
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    ops = [int(size) for size in options.ops.split(",")]
    names = options.names or NAMES
    if len(names) == 1:
        importlib.import_module(f"benchmarks.{names[0]}").run(ops)
        return
    for name in names:
        print(f"== {name}", flush=True)
        # A process of its own: a child's peak of memory starts at that of the one that made it.
        command = [sys.executable, "-m", "benchmarks", name, "--ops", options.ops]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
