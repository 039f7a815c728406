from __future__ import annotations

import json
from pathlib import Path

import pytest
from format_files import DATA

from opdiff.cli import main
from opdiff.compare import Request
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.finishing import choose
from opdiff.session import Work, read_session, save_session
from opdiff.trace import Part, Source
from opdiff.ui.sharing import command_line

NAMES = ["Forward graph 0", "Backward graph 0", "AFTER", "a+b", "7"]
LOG = DATA / "fx" / "gpt2l.base.torch_logs.txt.gz"


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        (None, (0,)),
        ("1", (0,)),
        ("2+1", (1, 0)),
        ("Forward graph 0+Backward graph 0", (0, 1)),
        ("*graph*", (0, 1)),
        ("forward*", (0,)),
        ("a+b", (3,)),
        ("7", (4,)),
        ("*", (0, 1, 2, 3, 4)),
        ("1+1+*graph*", (0, 1)),
    ],
)
def test_numbers_names_and_globs(wanted: str | None, places: tuple[int, ...]) -> None:
    assert choose(NAMES, wanted, "file") == places


@pytest.mark.parametrize("wanted", ["0", "6", "-1", "nothing", "", "1+", "9" * 30, "²"])
def test_what_names_none_is_an_error_that_lists_them(wanted: str) -> None:
    with pytest.raises(OpdiffError, match=r"file: .*3: AFTER"):
        choose(NAMES, wanted, "file")


def test_a_source_tells_how_to_choose_the_same_again() -> None:
    def graph(*read: int) -> str | None:
        parts = tuple(Part(name, 1, place in read) for place, name in enumerate(NAMES))
        return Source("x", "fx", parts=parts).graph

    assert graph(0, 1) == "Forward graph 0+Backward graph 0"
    assert graph(0, 3) == "1+4"
    assert Source("x", "fx", parts=(Part("only", 1, True),)).graph is None


def test_sessions_and_command_lines_remember_the_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right = open_trace(LOG, graph="2+3"), open_trace(LOG, graph="2")
    file = tmp_path / "work.opdiff"
    save_session(file, Work(Request()), left, right)
    session = read_session(file)
    assert session.left.graph == "Forward graph 0+Backward graph 0"
    assert session.right.graph == "Forward graph 0"
    assert main(["compare", str(file), "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["left"]["ops"], report["right"]["ops"]) == (len(left), len(right))
    words = command_line(left, right, Work(Request()), None)
    assert "--graph 'Forward graph 0+Backward graph 0' --graph 'Forward graph 0'" in words
    tracker = open_trace(DATA.parents[2] / "samples/vocab/eager.ir")
    assert "--graph 'Forward graph 0' --graph 1" in command_line(right, tracker, Work(), None)
    assert "--graph" not in command_line(tracker, tracker, Work(), None)
