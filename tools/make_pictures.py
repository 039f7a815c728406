"""Render the window on the sample pairs, and a user's story in it, into docs/pictures."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage, QImageWriter

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
SIZE = "1440x900"
Ints = NDArray[np.int64]

PAIRS = {
    # name: left, right, and the lines of the anchors
    "rope": ("samples/rope/eager.ir", "samples/rope/jit.ir", (547, 643)),
    "vocab": ("samples/vocab/eager.ir", "samples/vocab/jit.ir", (34, 49)),
    "activation": ("samples/activation/silu.ir", "samples/activation/gelu.ir", (616, 607)),
    "trace-bug": ("samples/real/rope/eager", "samples/real/rope/jit_trace", (604, 787)),
    "compiled-graph": (
        "samples/assign_ir/without_copies.ir",
        "samples/assign_ir/with_copies.ir",
        None,
    ),
}
STORY = ("anchored", "compared", "cause", "source", "exported")
"""The chapters that the documents show."""


def main(names: list[str]) -> int:
    """Render the pairs named, or all of them and the story."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, (left, right, anchors) in PAIRS.items():
        if names and name not in names:
            continue
        question = [left, right, "--compare", "up" if anchors else "whole"]
        if anchors:
            question += ["--left-anchor", str(anchors[0]), "--right-anchor", str(anchors[1])]
        for theme in ("light", "dark"):
            for language in ("en", "zh"):
                picture = PICTURES / f"{name}-{theme}-{language}.png"
                look = ["--theme", theme, "--lang", language, "--size", SIZE]
                command = [sys.executable, "-m", "opdiff", *question, *look]
                subprocess.run([*command, "--screenshot", str(picture)], cwd=ROOT, check=True)
                keep(picture)
    if not names or "story" in names:
        for language in ("en", "zh"):
            tell_the_story(language)
    return 0


def tell_the_story(language: str) -> None:
    """Live the story by mouse, on a display of its own where there can be one."""
    environment, display = dict(os.environ), []
    if shutil.which("xvfb-run"):
        display = ["xvfb-run", "-a", "-s", "-screen 0 1920x1200x24"]
        environment["QT_QPA_PLATFORM"] = "xcb"
    with tempfile.TemporaryDirectory() as folder:
        story = [sys.executable, "-m", "tests.story", "mouse", "--lang", language]
        command = [*display, *story, "--pictures", folder]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        for chapter in STORY:
            name = f"story-{chapter}-light-{language}.png"
            keep(Path(shutil.copyfile(Path(folder, name), PICTURES / name)))


def keep(picture: Path) -> None:
    """Make a picture small, and say so."""
    shrink(picture)
    print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size // 1000} kB")


def shrink(path: Path) -> None:
    """Save the picture again with 256 well-chosen colours: a third of the bytes."""
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    width, height = image.width(), image.height()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(height, width) & 0xFFFFFF
    colours, place, counts = np.unique(pixels, return_inverse=True, return_counts=True)
    table, nearest = palette(colours, counts)
    lines = nearest[place].reshape(height, width).astype(np.uint8)
    indexed = QImage(lines.tobytes(), width, height, width, QImage.Format.Format_Indexed8)
    indexed.setColorTable([0xFF000000 | int(colour) for colour in table])
    writer = QImageWriter(str(path))
    writer.setCompression(100)
    writer.write(indexed)


def palette(colours: Ints, counts: Ints, size: int = 256, rounds: int = 6) -> tuple[Ints, Ints]:
    """The colours to keep, and for every colour which of them stands for it.

    The surfaces of the window are kept exactly; the shades between letters and their background
    are gathered by a few rounds of k-means.
    """
    order = np.argsort(-counts)
    channels = np.stack([(colours >> shift) & 0xFF for shift in (16, 8, 0)], axis=1).astype(float)
    centres = channels[order[:size]].copy()
    exact = size // 4
    nearest = np.zeros(len(colours), np.int64)
    for _ in range(rounds):
        distance = ((channels[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        for centre in range(exact, len(centres)):
            members = nearest == centre
            if members.any():
                centres[centre] = np.average(channels[members], axis=0, weights=counts[members])
    rounded = centres.round().astype(np.int64)
    return (rounded[:, 0] << 16) | (rounded[:, 1] << 8) | rounded[:, 2], nearest


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
