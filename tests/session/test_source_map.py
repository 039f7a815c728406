from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opdiff.errors import OpdiffError
from opdiff.session.source_map import SourceMap, parse_source_maps, source_map_from_json

PARTS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=5)


def test_the_longest_beginning_holds() -> None:
    known = SourceMap((("/home/user", "/a"), ("/home/user/model", "/b")))
    assert known.path_of("/home/user/model/x.py") == "/b/x.py"
    assert known.path_of("/home/user/models/x.py") == "/a/models/x.py"
    assert known.path_of("/else/x.py") == "/else/x.py"


def test_paths_of_windows_are_paths() -> None:
    known = SourceMap((("C:\\work", "/here"),))
    assert known.path_of("C:\\work\\model\\x.py") == "/here/model/x.py"


def test_a_file_that_was_found_leads_to_its_neighbours() -> None:
    known = SourceMap().with_file("/home/user/tinylm/model/x.py", "/work/tinylm/model/x.py")
    assert known.path_of("/home/user/tinylm/train.py") == "/work/tinylm/train.py"


def test_another_name_maps_that_file_alone() -> None:
    known = SourceMap().with_file("/home/user/x.py", "/work/renamed.py")
    assert known.path_of("/home/user/x.py") == "/work/renamed.py"
    assert known.path_of("/home/user/y.py") == "/home/user/y.py"


@given(PARTS, PARTS)
def test_a_file_that_was_found_is_found_again(old: list[str], new: list[str]) -> None:
    file, found = "/" + "/".join(old), "/" + "/".join(new)
    assert SourceMap().with_file(file, found).path_of(file) == found


def test_options_are_read_and_refused() -> None:
    known = parse_source_maps(["/old=new", "/a=b=c"])
    assert known.entries == (("/old", os.path.abspath("new")), ("/a", os.path.abspath("b=c")))
    for text in ("/old", "=new", "/old=", ""):
        with pytest.raises(OpdiffError, match="expected OLD=NEW"):
            parse_source_maps([text])


def test_what_a_session_keeps_comes_back_and_nothing_else() -> None:
    known = SourceMap((("/a", "/b"), ("/c", "/d")))
    assert source_map_from_json(known.as_json()) == known
    assert source_map_from_json({"a": 1}) == SourceMap()
    assert source_map_from_json([["/a"], [1, 2], ["", "/b"], "x", ["/a", "/b"]]).entries == (
        ("/a", "/b"),
    )
