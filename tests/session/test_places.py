from __future__ import annotations

from pathlib import Path

import pytest
from written_traces import layers, write_trace

from opdiff.session.places import Bookmarks


def test_every_op_is_found_where_it_was(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "a.ir", layers(5))
    places = Bookmarks(trace)
    again = Bookmarks(trace)
    assert [again.find(places.of(row)) for row in range(len(trace))] == list(range(len(trace)))


@pytest.mark.parametrize("row", [0, 3, 8, 13, 26])
def test_ops_added_above_move_the_line_not_the_op(tmp_path: Path, row: int) -> None:
    before = write_trace(tmp_path / "a.ir", layers(5))
    after = write_trace(tmp_path / "b.ir", ["Warmup", "Warmup", *layers(5)])
    place = Bookmarks(before).of(row)
    assert Bookmarks(after).find(place) == row + 2


def test_of_equal_layers_the_same_one_is_found(tmp_path: Path) -> None:
    before = write_trace(tmp_path / "a.ir", layers(5))
    changed = layers(5)
    changed[1:1] = ["Dropout"]
    changed.remove("Loss")
    after = write_trace(tmp_path / "b.ir", changed)
    third_slice = 13
    assert before.type_name(third_slice) == "Slice"
    found = Bookmarks(after).find(Bookmarks(before).of(third_slice))
    assert found == third_slice + 1


def test_another_shape_is_the_same_op_in_its_old_company(tmp_path: Path) -> None:
    before = write_trace(tmp_path / "a.ir", ["A", "B", "C", "Slice:4", "D", "E", "F"])
    after = write_trace(tmp_path / "b.ir", ["Z", "A", "B", "C", "Slice:8", "D", "E", "F"])
    assert Bookmarks(after).find(Bookmarks(before).of(3)) == 4


def test_an_op_that_is_gone_is_not_found(tmp_path: Path) -> None:
    before = write_trace(tmp_path / "a.ir", ["A", "Slice", "B"])
    places = Bookmarks(write_trace(tmp_path / "b.ir", ["A", "StridedSlice", "B"]))
    assert places.find(Bookmarks(before).of(1)) is None
    stranger = write_trace(tmp_path / "c.ir", ["X", "Y", "Slice:9", "Z", "W"])
    assert Bookmarks(stranger).find(Bookmarks(before).of(1)) is None
