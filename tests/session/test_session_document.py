from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from written_traces import layers, write_trace

from opdiff.compare import Direction, Kind, Request
from opdiff.errors import OpdiffError
from opdiff.session import (
    DivergenceKey,
    GroupKey,
    UserNote,
    Work,
    is_session,
    read_session,
    save_session,
)
from opdiff.session.coding import as_said
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Trace
from opdiff.wording import Sentence, say, sentence

RENAMED = Sentence.of("group.op-type", left="Slice", right="StridedSlice")


@pytest.fixture
def traces(tmp_path: Path) -> tuple[Trace, Trace]:
    left = write_trace(tmp_path / "left.ir", layers(3))
    return left, write_trace(tmp_path / "right.ir", ["Cast", *layers(3)])


FULL = replace(
    Work(
        Request(
            direction=Direction.DOWN,
            left_anchor=3,
            right_anchor=4,
            pins=((5, 6), (8, 9)),
            alone_left=frozenset({7}),
            alone_right=frozenset({0}),
            ignored_left=frozenset({10, 11}),
            ignored_right=frozenset({12}),
            equivalent_here=(((12, 13), (13, 14)),),
            ancestors=True,
        ),
        hidden_kinds=frozenset({Kind.MOVED}),
        known_hidden=True,
        known_kinds=frozenset({Kind.ATTRS}),
        known_groups=frozenset({GroupKey(Kind.OP_TYPE, RENAMED)}),
        notes=(
            UserNote(GroupKey(Kind.SHAPE, as_said("shape of Mul")), "harmless\n两行"),
            UserNote(DivergenceKey(Kind.OP_TYPE, (3,), (4,)), "this one"),
        ),
    )
).with_rules("# kept\nignore:\n  - Cast\n")


def test_everything_comes_back(tmp_path: Path, traces: tuple[Trace, Trace]) -> None:
    path = tmp_path / "work.opdiff"
    view = {"folded": True, "zoom": 2}
    save_session(path, FULL, *traces, view)
    session = read_session(path)
    restored = session.restore(*traces)
    assert restored.work == FULL
    assert restored.remarks == ()
    assert session.view == view
    assert [session.left.path, session.right.path] == [trace.source.path for trace in traces]


def test_titles_are_kept_by_code_so_that_other_words_lose_nothing(
    tmp_path: Path, traces: tuple[Trace, Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "work.opdiff"
    replaced = Sentence.of("group.region-left", ops=Sentence.of("group.schedule"), count=3)
    work = replace(FULL, known_groups=FULL.known_groups | {GroupKey(Kind.ONLY_LEFT, replaced)})
    save_session(path, work.with_note(GroupKey(Kind.OP_TYPE, RENAMED), "old"), *traces)
    words = {**sentence.sentences(), "group.op-type": ("{right} for {left}", "{right}")}
    words["group.schedule"] = ("another schedule", "调度")
    monkeypatch.setattr(sentence, "sentences", lambda: words)
    work = read_session(path).restore(*traces).work
    assert GroupKey(Kind.OP_TYPE, RENAMED) in work.known_groups
    assert GroupKey(Kind.ONLY_LEFT, replaced) in work.known_groups
    assert work.note_on(GroupKey(Kind.OP_TYPE, RENAMED)) == "old"
    assert "StridedSlice for Slice" in {say(key.title) for key in work.known_groups}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"code": "group.of-long-ago", "args": {"left": "Slice"}},
        {"code": "group.op-type", "args": {"before": "Slice", "after": "StridedSlice"}},
    ],
    ids=["words only", "a code that is no more", "other arguments"],
)
def test_titles_of_other_versions_are_known_by_their_words(
    tmp_path: Path, traces: tuple[Trace, Trace], more: dict[str, object]
) -> None:
    path = tmp_path / "work.opdiff"
    save_session(path, Work(), *traces)
    title = {"kind": "op-type", "title": "Slice → StridedSlice", **more}
    corrupted(path, {"known": {"groups": [title]}, "notes": [{**title, "text": "seen"}]})
    for _ in range(2):  # as it was, and written again
        work = read_session(path).restore(*traces).work
        assert work.known_groups == {GroupKey(Kind.OP_TYPE, RENAMED)}
        assert work.note_on(GroupKey(Kind.OP_TYPE, RENAMED)) == "seen"
        assert work.note_on(GroupKey(Kind.SHAPE, RENAMED)) == ""
        save_session(path, work, *traces)


def test_earlier_versions_find_the_words_of_a_title(
    tmp_path: Path, traces: tuple[Trace, Trace]
) -> None:
    save_session(tmp_path / "work.opdiff", FULL, *traces)
    document = json.loads((tmp_path / "work.opdiff").read_text("utf-8"))
    assert document["known"]["groups"] == [
        {
            "kind": "op-type",
            "title": "Slice → StridedSlice",
            "code": "group.op-type",
            "args": {"left": "Slice", "right": "StridedSlice"},
        }
    ]
    assert document["notes"][0] == {
        "kind": "shape",
        "title": "shape of Mul",
        "text": "harmless\n两行",
    }


def test_how_values_are_compared_comes_back(tmp_path: Path, traces: tuple[Trace, Trace]) -> None:
    path, noise = tmp_path / "work.opdiff", str(tmp_path / "again.ir")
    choice = ValueChoice.of(bitwise=True, floors=["bf16=0.5"], jump="7", noise_run=noise)
    save_session(path, Work(), *traces, None, choice)
    assert read_session(path).values() == choice
    assert json.loads(path.read_text("utf-8"))["values"]["noise_run"] == "again.ir"
    save_session(path, Work(), *traces)
    assert read_session(path).values() == ValueChoice()


@pytest.mark.parametrize(
    "values", [{"jump": "0"}, {"floors": ["bf16"]}, {"bitwise": 1}, {"left": 3}, []]
)
def test_values_that_somebody_broke_are_told(
    tmp_path: Path, traces: tuple[Trace, Trace], values: object
) -> None:
    path = tmp_path / "work.opdiff"
    save_session(path, Work(), *traces)
    document = {**json.loads(path.read_text("utf-8")), "values": values}
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(OpdiffError):
        read_session(path).values()


def test_paths_are_relative_so_that_a_folder_can_move(tmp_path: Path) -> None:
    home = tmp_path / "one"
    home.mkdir()
    traces = write_trace(home / "l.ir", layers(1)), write_trace(home / "r.ir", layers(1))
    (home / "rules.yaml").write_text("ignore: [Add]\n")
    work = Work().with_rules("ignore: [Add]\n", str(home / "rules.yaml"))
    save_session(home / "s.opdiff", work, *traces)
    stored = json.loads((home / "s.opdiff").read_text("utf-8"))
    assert stored["left"]["path"] == "l.ir"
    assert stored["rules"]["path"] == "rules.yaml"
    home.rename(tmp_path / "two")
    session = read_session(tmp_path / "two" / "s.opdiff")
    assert session.left.path == str(tmp_path / "two" / "l.ir")


def test_a_changed_file_is_said_and_anchors_are_found_by_content(
    tmp_path: Path, traces: tuple[Trace, Trace]
) -> None:
    save_session(tmp_path / "s.opdiff", FULL, *traces)
    left = write_trace(tmp_path / "left.ir", ["Warmup", "Warmup", *layers(3)])
    restored = read_session(tmp_path / "s.opdiff").restore(left, traces[1])
    request = restored.work.request
    assert request.left_anchor == 5
    assert request.right_anchor == 4
    assert request.pins == ((7, 6), (10, 9))
    assert request.alone_left == {9}
    assert restored.work.notes[1].about == DivergenceKey(Kind.OP_TYPE, (5,), (4,))
    said = [say(remark) for remark in restored.remarks]
    assert "the left trace" in said[0]
    assert "has changed" in said[0]
    assert said[1] == "the left anchor was at line 10 and is now at line 16"


def test_what_is_gone_is_dropped_and_said(tmp_path: Path, traces: tuple[Trace, Trace]) -> None:
    work = Work(Request(left_anchor=1, right_anchor=2, pins=((3, 4),)))
    save_session(tmp_path / "s.opdiff", work, *traces)
    others = write_trace(tmp_path / "left.ir", ["Other"]), traces[1]
    restored = read_session(tmp_path / "s.opdiff").restore(*others)
    assert restored.work.request.left_anchor is None
    assert restored.work.request.pins == ()
    assert sum("no longer there" in say(remark) for remark in restored.remarks) == 2


def corrupted(path: Path, change: dict[str, Any]) -> None:
    document = json.loads(path.read_text("utf-8"))
    document.update(change)
    path.write_text(json.dumps(document), "utf-8")


def nested(depth: int) -> dict[str, object]:
    """A title within a title, and so on."""
    sentence: dict[str, object] = {"code": "group.schedule", "args": {}}
    for _ in range(depth):
        sentence = {"code": "group.dtype", "args": {"op": sentence}}
    return sentence


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "opdiff-session/2"}, "written by a newer opdiff (opdiff-session/2)"),
        ({"schema": "opdiff/1"}, "is a JSON report, not a session"),
        ({"schema": "else"}, "is not an opdiff session"),
        ({"schema": 7}, "is not an opdiff session"),
        ({"left": 3}, "damaged at left: expected an object"),
        ({"left": {"path": 3}}, "damaged at left.path: expected a text"),
        ({"right": {"path": "x", "size": -1}}, "damaged at right.size: expected a whole number"),
        ({"view": []}, "damaged at view: expected an object"),
        ({"direction": "sideways"}, "damaged at direction: expected one of up, down, whole"),
        ({"pins": {}}, "damaged at pins: expected a list"),
        ({"pins": [{"left": [{"line": True}]}]}, "damaged at pins[0].left[0].line"),
        ({"ancestors": "yes"}, "damaged at ancestors: expected true or false"),
        (
            {"known": {"groups": [{"kind": "shape", "title": "", "code": 1}]}},
            "damaged at known.groups[0].code: expected a text",
        ),
        (
            {"known": {"groups": [{"kind": "shape", "code": "x", "args": {"op": []}}]}},
            "damaged at known.groups[0].args.op: expected a text",
        ),
        ({"notes": [{"kind": "shape", "title": "", "text": "", **nested(9)}]}, "expected a text"),
        ({"rules": {"text": "nonsense: 1"}}, "unknown key nonsense"),
    ],
)
def test_damage_is_named(
    tmp_path: Path, traces: tuple[Trace, Trace], change: dict[str, Any], said: str
) -> None:
    path = tmp_path / "s.opdiff"
    save_session(path, FULL, *traces)
    corrupted(path, change)
    with pytest.raises(OpdiffError) as caught:
        read_session(path).restore(*traces)
    assert said in caught.value.text()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ":1: is not a session"),
        (b'{\n "schema": \n', ":3: is not a session"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b"[" * 100_000, "is not an opdiff session"),
        (b"[]", "is not an opdiff session"),
        (b"null", "is not an opdiff session"),
    ],
)
def test_files_that_are_no_session(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "s.opdiff"
    path.write_bytes(content)
    with pytest.raises(OpdiffError) as caught:
        read_session(path)
    assert said in caught.value.text()


def test_a_missing_session_and_a_missing_trace(tmp_path: Path, traces: tuple[Trace, Trace]) -> None:
    with pytest.raises(OpdiffError, match="cannot read the session"):
        read_session(tmp_path / "absent.opdiff")
    Path(traces[0].source.path).unlink()
    with pytest.raises(OpdiffError, match="cannot read the trace of this session"):
        save_session(tmp_path / "s.opdiff", FULL, *traces)
    assert not (tmp_path / "s.opdiff").exists()


def test_older_documents_without_newer_keys_are_read(
    tmp_path: Path, traces: tuple[Trace, Trace]
) -> None:
    path = tmp_path / "s.opdiff"
    save_session(path, Work(), *traces)
    document = json.loads(path.read_text("utf-8"))
    kept = {key: document[key] for key in ("schema", "left", "right", "anchors")}
    path.write_text(json.dumps(kept), "utf-8")
    assert read_session(path).restore(*traces).work == Work(Request())


def test_sessions_are_told_by_their_name() -> None:
    assert is_session("a/b.opdiff")
    assert not is_session("tracker_graph.ir")


KILLED_WHILE_WRITING = """
import os, signal, sys
from opdiff.report import writing

def die(descriptor):
    os.kill(os.getpid(), signal.SIGKILL)

os.fsync = die
writing.write_atomically(sys.argv[1], b"half")
"""


def test_a_crash_while_writing_leaves_the_old_session(
    tmp_path: Path, traces: tuple[Trace, Trace]
) -> None:
    path = tmp_path / "s.opdiff"
    save_session(path, FULL, *traces)
    run = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_WRITING, str(path)], check=False, env=os.environ
    )
    assert run.returncode == -signal.SIGKILL
    assert read_session(path).restore(*traces).work == FULL
