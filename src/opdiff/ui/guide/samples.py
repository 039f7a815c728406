"""The pairs of traces that come with the program, to try it on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import opdiff
from opdiff.session.source_map import SourceMap

_PAIRS = (
    ("rope", "rope/eager.ir", "rope/jit.ir", "rope/anchors"),
    ("vocab", "vocab/eager.ir", "vocab/jit.ir", "vocab/anchors"),
    ("activation", "activation/silu.ir", "activation/gelu.ir", "activation/anchors"),
    ("identical", "identical/first.ir", "identical/second.ir", "identical/anchors"),
    ("real rope", "real/rope/eager", "real/rope/jit_trace", "real/rope/anchors-jit_trace"),
    ("real cnn", "real/cnn/relu", "real/cnn/gelu", "real/cnn/anchors"),
    ("real loss", "real/training/right", "real/training/wrong", None),
)
"""Their names, both sides, and the anchors; where there are none all of it is compared."""


_HOME = "/home/user"
RECORDED_AT = f"{_HOME}/tinylm"
"""Where the synthesised traces say that their program is; it lies beside the samples."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A pair that shows something, with the lines of its anchors, if it needs any."""

    name: str
    left: Path
    right: Path
    lines: tuple[int, int] | None


def sample_folder() -> Path | None:
    """Inside the package where it is installed, beside the sources in a checkout."""
    package = Path(opdiff.__file__).parent
    for folder in (package / "samples", package.parents[1] / "samples"):
        if folder.is_dir():
            return folder
    return None


def sample_sources() -> SourceMap:
    """Where the sources of the samples are."""
    folder = sample_folder()
    if folder is None:
        return SourceMap()
    training = "torch_training.py"
    return SourceMap(
        (
            (RECORDED_AT, str(folder / "tinylm")),
            (f"{_HOME}/{training}", str(folder / "scripts" / training)),
        )
    )


def samples() -> list[Sample]:
    """The samples that are there."""
    folder = sample_folder()
    if folder is None:
        return []
    found = []
    for name, left, right, anchors in _PAIRS:
        if all((folder / part).exists() for part in filter(None, (left, right, anchors))):
            text = (folder / anchors).read_text(encoding="utf-8") if anchors else None
            lines = None if text is None else _lines(text)
            found.append(Sample(name, folder / left, folder / right, lines))
    return found


def _lines(options: str) -> tuple[int, int]:
    """The anchors as the command line is given them: ``--left-anchor N --right-anchor N``."""
    words = options.split()
    given = dict(zip(words[::2], words[1::2], strict=True))
    return int(given["--left-anchor"]), int(given["--right-anchor"])
