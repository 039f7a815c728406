"""Render the window on the sample pairs into docs/pictures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QImageWriter

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
SIZE = "1440x900"

PAIRS = {
    "rope": ("samples/rope/eager.ir", "samples/rope/jit.ir", "samples/rope/anchors"),
    "vocab": ("samples/vocab/eager.ir", "samples/vocab/jit.ir", "samples/vocab/anchors"),
    "activation": (
        "samples/activation/silu.ir",
        "samples/activation/gelu.ir",
        "samples/activation/anchors",
    ),
    "trace-bug": (
        "samples/real/rope/eager",
        "samples/real/rope/jit_trace",
        "samples/real/rope/anchors-jit_trace",
    ),
    "compiled-graph": (
        "samples/assign_ir/without_copies.ir",
        "samples/assign_ir/with_copies.ir",
        None,
    ),
}


def main(names: list[str]) -> int:
    """Render the pairs named, or all of them."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, (left, right, anchors) in PAIRS.items():
        if names and name not in names:
            continue
        place = (ROOT / anchors).read_text(encoding="utf-8").split() if anchors else []
        question = [left, right, *place, "--compare", "up" if anchors else "whole"]
        for theme in ("light", "dark"):
            for language in ("en", "zh"):
                picture = PICTURES / f"{name}-{theme}-{language}.png"
                look = ["--theme", theme, "--lang", language, "--size", SIZE]
                command = [sys.executable, "-m", "opdiff", *question, *look]
                subprocess.run([*command, "--screenshot", str(picture)], cwd=ROOT, check=True)
                shrink(picture)
                print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size // 1000} kB")
    return 0


def shrink(path: Path) -> None:
    """256 colours are more than the window uses, and make a quarter of the file."""
    flags = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    indexed = QImage(str(path)).convertToFormat(QImage.Format.Format_Indexed8, flags)
    writer = QImageWriter(str(path))
    writer.setCompression(100)
    writer.write(indexed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
