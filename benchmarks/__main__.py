"""``python -m benchmarks [reading|comparing|painting …] [--ops 10000,200000,1000000]``."""

from __future__ import annotations

import argparse
import importlib
import importlib.util

NAMES = ("reading", "comparing", "painting", "stalls", "recording")


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
    for name in options.names or NAMES:
        module = f"benchmarks.{name}"
        if importlib.util.find_spec(module) is None:
            continue
        print(f"== {name}")
        importlib.import_module(module).run(ops)


if __name__ == "__main__":
    main()
