"""``python -m tests.story {mouse,keyboard} [--pictures FOLDER] [--lang zh] [--theme dark]``.

Lives the story in a window of the system that there is (or off screen, where Qt is told so), and
takes pictures of its chapters.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from tests.story.story import ByKeyboard, ByMouse, lay_out

from opdiff.ui import MainWindow
from opdiff.ui.translations import install_language

HANDS = {"mouse": ByMouse, "keyboard": ByKeyboard}
SIZE = (1366, 768)


def main() -> int:
    """Live the story once."""
    parser = argparse.ArgumentParser(prog="python -m tests.story", description=__doc__)
    parser.add_argument("hand", choices=HANDS)
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="of each chapter")
    parser.add_argument("--lang", default="en", choices=("en", "zh"))
    parser.add_argument("--theme", default="light", choices=("light", "dark"))
    options = parser.parse_args()
    pictures = None if options.pictures is None else options.pictures.absolute()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "runs")
        folder.mkdir()
        live(options.hand, folder, pictures, options.lang, options.theme)
    return 0


def live(hand: str, folder: Path, pictures: Path | None, language: str, theme: str) -> None:
    """The story in a folder of its own."""
    lay_out(folder)
    os.chdir(folder)
    application = QApplication.instance() or QApplication(sys.argv[:1])
    store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    for key, value in (
        ("language", language),
        ("theme", theme),
        ("hintsDone", "anchor compare walk"),
    ):
        store.setValue(key, value)
    window = MainWindow(store)
    window.resize(*SIZE)
    window.show()
    window.activateWindow()

    def camera(chapter: str) -> None:
        if pictures is not None:
            window.grab().save(str(pictures / f"story-{chapter}-{theme}-{language}.png"))
        print(f"{hand}: {chapter}", flush=True)

    HANDS[hand](window, folder, camera).tell()
    window.close()
    install_language(application, "en")


if __name__ == "__main__":
    sys.exit(main())
