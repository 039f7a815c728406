"""Any words on the command line: an answer or a message, and no terminal code in either."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
from pathlib import Path

from tests.soak.samples import ROOT

from opdiff.cli import main

_TRACES = ["samples/rope/eager.ir", "samples/rope/jit.ir", "samples/assign_ir/with_copies.ir"]
_WORDS = [
    "", "-", "--", "---", "x", "0", "-1", "1", "127", "9" * 40, "9" * 5000, "1:1", "118:112", "1:",
    ":", "٣:1", "*", "?", "[", "Mul*", "nowhere.ir", ".", "/", "/dev/null", "/dev/zero", "a\nb",
    "\x1b[2J", "\u202e", "注", "\udcff", "en", "zh", "json", "csv", "markdown", "html", "text",
    "up", "down", "whole", "1440x900", "1x1", "99999x99999", "--format", "--lang", "~", "~nobody/x",
]  # fmt: skip
_OPTIONS = {
    "info": "--rank --format --lang --help".split(),
    "find": "--rank --op --function --scope --nth --first --last --format --lang".split(),
    "compare": (
        "--left-anchor --right-anchor --pin --ancestors --rank --direction --rules --ignore "
        "--no-default-rules --format --first --all --pairs --lang"
    ).split(),
}
_STATUSES = {0, 1, 2, 141}
_DRIVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def one_round(chance: random.Random, scratch: Path) -> None:
    """Run a command with some options of its own and some words that are none."""
    command = chance.choice(sorted(_OPTIONS))
    words = [command]
    count = 2 if command == "compare" and chance.random() < 0.9 else 1
    words += [str(ROOT / chance.choice(_TRACES)) for _ in range(count)]
    for _ in range(chance.randint(0, 5)):
        option, word = chance.choice(_OPTIONS[command]), chance.choice(_WORDS)
        words += chance.choice(([option, word], [f"{option}={word}"], [option], [word]))
    (scratch / "words.txt").write_text(repr(words))
    status, said, complained = _run(words, scratch)
    assert status in _STATUSES, status
    assert not _DRIVING.search(said.replace("\r\n", "\n")), "a terminal code in what is printed"
    assert not _DRIVING.search(complained), "a terminal code in a message"
    assert status != 2 or complained


def _run(words: list[str], scratch: Path) -> tuple[int, str, str]:
    said, complained = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", errors="strict") for _ in range(2)
    )
    before = Path.cwd()
    os.chdir(scratch)
    os.environ["OPDIFF_TRACEBACK"] = "1"  # what is unforeseen is raised here
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            status = main(words)
    finally:
        os.chdir(before)
        del os.environ["OPDIFF_TRACEBACK"]
    texts = []
    for stream in (said, complained):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return status, texts[0], texts[1]
