"""Keep some of the recorded runs, for ``make accuracy``: ``python -m lab.values.keep FOLDER``.

Two mistakes of each sort, and the run without any: enough to see that nothing got worse.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sys
from pathlib import Path

from lab.records import ROOT
from lab.values.score import CASES, KEPT

_PACKAGES = re.compile(rb"(File:| from )[^;|\n]*?/site-packages/")
_LIBRARY = re.compile(rb"(File:| from )[^;|\n]*?/lib/python3\.[0-9]+/")

MISTAKES = (
    *("norm_eps", "softmax_axis"),
    *("value_of_key", "rotate_sign"),
    *("no_mask", "last_norm_left_out"),
    *("key_other", "merge_bias"),
    *("mm_scaled", "softmax_row"),
)


def keep(folder: Path) -> None:
    """Copy the chosen runs, without the paths of the machine that recorded them."""
    for variant in KEPT:
        target = CASES / variant
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        truth = json.loads((folder / variant / "truth.json").read_text(encoding="utf-8"))
        chosen = {name: truth[name] for name in MISTAKES if name in truth}
        for name in ("base", "clean", *chosen):
            trace = folder / variant / f"{name}.ir.gz"
            _write(target / trace.name, _neutral(gzip.decompress(trace.read_bytes())))
            values = f"{name}.values.csv.gz"
            _write(target / values, gzip.decompress((folder / variant / values).read_bytes()))
        text = json.dumps(chosen, indent=1) + "\n"
        (target / "truth.json").write_text(text, encoding="utf-8")


def _neutral(content: bytes) -> bytes:
    """Without the folders of the environment, whichever one recorded it."""
    content = _PACKAGES.sub(rb"\1/env/site-packages/", content)
    content = _LIBRARY.sub(rb"\1/env/python/", content)
    return content.replace(str(ROOT / "lab").encode() + b"/", b"/lab/")


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content, 9, mtime=0))


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
