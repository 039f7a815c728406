"""Reading lines of source that a trace names: text, of files that are sources, and no more."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opdiff.errors import OpdiffError
from opdiff.report.source_text import MOST_BYTES, MOST_LETTERS, read_source


def refusal(path: Path | str) -> str:
    with pytest.raises(OpdiffError) as refused:
        read_source(path)
    return refused.value.sentence.code


def test_lines_around_a_line(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("".join(f"line {n}\n" for n in range(1, 31)))
    text = read_source(file)
    excerpt = text.around(20)
    assert excerpt is not None
    assert (excerpt.first, excerpt.lines[0], excerpt.lines[-1]) == (15, "line 15", "line 25")
    top = text.around(2)
    assert top is not None
    assert (top.first, len(top.lines)) == (1, 7)
    assert text.around(31) is None
    assert text.around(0) is None


def test_only_regular_source_files_of_a_bounded_size_are_read(tmp_path: Path) -> None:
    secret = tmp_path / "id_rsa"
    secret.write_text("secret")
    assert refusal(secret) == "source.not-source"
    link = tmp_path / "link.py"
    link.symlink_to(secret)
    assert refusal(link) == "source.not-source"
    folder = tmp_path / "folder.py"
    folder.mkdir()
    assert refusal(folder) == "file.not-regular"
    os.mkfifo(tmp_path / "pipe.py")
    assert refusal(tmp_path / "pipe.py") == "file.not-regular"
    large = tmp_path / "large.py"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert refusal(large) == "file.too-large"
    binary = tmp_path / "binary.py"
    binary.write_bytes(b"\x00\x01")
    assert refusal(binary) == "source.not-text"
    assert refusal(tmp_path / "nowhere.py") == "source.not-there"
    assert refusal("bad\0name.py") == "source.unreadable"


def test_another_machine_is_not_called_because_a_trace_says_so() -> None:
    assert refusal("\\\\host\\share\\model.py") == "source.remote"
    assert refusal("//host/share/model.py") == "source.remote"


def test_what_is_read_is_harmless_to_show(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_bytes(b"\xef\xbb\xbfa = '\x1b[31m'\t# \xe2\x80\xae\n" + b"x" * (MOST_LETTERS + 9))
    first, second = read_source(file).lines
    assert first == "a = '\\x1b[31m' # \\u202e"
    assert second == "x" * MOST_LETTERS + "…"


def test_chinese_sources_of_either_encoding(tmp_path: Path) -> None:
    for encoding in ("utf-8", "gb18030"):
        file = tmp_path / f"{encoding}.py"
        file.write_bytes("# 旋转位置编码".encode(encoding))
        assert read_source(file).lines == ("# 旋转位置编码",)
