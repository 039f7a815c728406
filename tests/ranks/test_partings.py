"""Where the ranks of a group part, and sends that nobody receives so."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tracker_reading import read_ops

from cluster import Op, printed
from opdiff.ranks.calls import Calls, calls_of
from opdiff.ranks.parting import Parting, partings, rank_list
from opdiff.wording import say


def _calls(*ops: Op) -> Calls:
    return calls_of(read_ops(printed(ops)))


def _reduce(ranks: Sequence[int], size: int = 8, name: str = "AllReduce") -> Op:
    return Op(name, size, "world", tuple(ranks))


def _said(found: Sequence[Parting]) -> list[str]:
    return [say(each.sentence()) for each in found]


ALL = range(8)


def test_agreeing_ranks_are_silent() -> None:
    assert partings({rank: _calls(*[_reduce(ALL)] * 5) for rank in ALL}) == []


def test_the_sentence_a_user_needs() -> None:
    calls = {rank: _calls(*[_reduce(ALL)] * 20) for rank in ALL}
    swapped = [_reduce(ALL)] * 11 + [_reduce(ALL, name="AllGather")] + [_reduce(ALL)] * 8
    calls[3] = _calls(*swapped)
    (found,) = partings(calls)
    assert (found.index, found.ranks, found.line) == (12, (3,), 34)
    assert _said([found]) == [
        "rank 3 calls AllGather BFloat16 [8] where the 7 others call AllReduce BFloat16 [8] "
        "(call 12 of group world)"
    ]


def test_shapes_and_dtypes_count() -> None:
    calls = {rank: _calls(_reduce(ALL)) for rank in ALL}
    calls[6] = _calls(_reduce(ALL, size=16))
    (found,) = partings(calls)
    assert found.ranks == (6,)
    assert found.found.endswith("[16]")


def test_a_rank_that_ends_early_and_one_that_never_calls() -> None:
    calls = {rank: _calls(*[_reduce(ALL)] * 3) for rank in ALL}
    calls[2] = _calls(_reduce(ALL))
    calls[5] = _calls(Op("Add"))
    found = {each.ranks: each for each in partings(calls)}
    assert set(found) == {(2,), (5,)}
    assert found[(5,)].index == 1
    assert found[(2,)].index == 2
    assert found[(2,)].line is None
    assert "after 1 calls" in say(found[(2,)].sentence())


def test_a_rank_that_calls_more() -> None:
    calls = {rank: _calls(_reduce(ALL)) for rank in ALL}
    calls[7] = _calls(_reduce(ALL), _reduce(ALL))
    (found,) = partings(calls)
    assert (found.ranks, found.index, found.expected) == ((7,), 2, "")


def test_two_ranks_have_no_majority() -> None:
    calls = {0: _calls(_reduce((0, 1))), 1: _calls(_reduce((0, 1), name="AllGather"))}
    (found,) = partings(calls)
    assert not found.majority
    assert "rank 1 calls AllGather" in _said([found])[0]
    assert "where rank 0 calls AllReduce" in _said([found])[0]


def test_all_to_all_may_be_of_other_sizes() -> None:
    calls = {rank: _calls(_reduce(ALL, 8 + rank, "AlltoAll")) for rank in ALL}
    assert partings(calls) == []
    gathered = {rank: _calls(_reduce(ALL, 8 + rank, "AllGather")) for rank in range(2)}
    assert len(partings(gathered)) == 1


def test_groups_of_one_name_on_other_ranks_are_others() -> None:
    calls = {
        0: _calls(_reduce((0, 1))),
        1: _calls(_reduce((0, 1))),
        2: _calls(_reduce((2, 3), 99)),
        3: _calls(_reduce((2, 3), 99)),
    }
    assert partings(calls) == []


def test_ranks_without_a_trace_are_not_judged() -> None:
    assert partings({0: _calls(_reduce(ALL)), 4: _calls(_reduce(ALL))}) == []


def test_unnamed_groups_are_held_against_their_family_only() -> None:
    calls = {
        0: _calls(Op("AllReduce")),
        1: _calls(Op("AllReduce")),
        2: _calls(Op("AllGather")),
        3: _calls(Op("AllGather")),
    }
    assert partings(calls, [[0, 1], [2, 3]]) == []
    assert len(partings(calls)) == 1


def test_sends_and_receives_in_pairs() -> None:
    send, receive = Op("Send", 8, peer=1), Op("Receive", 8, peer=0)
    assert partings({0: _calls(send, send), 1: _calls(receive, receive)}) == []
    lost = partings({0: _calls(send, send), 1: _calls(receive)})
    assert [(each.ranks, each.others, each.index, each.line_rank) for each in lost] == [
        ((1,), (0,), 2, 0)
    ]
    assert "receives only 1 of 2" in _said(lost)[0]
    unsent = partings({0: _calls(send), 1: _calls(receive, receive)})
    assert "waits for" in _said(unsent)[0]
    assert unsent[0].line == 4
    other = partings({0: _calls(send), 1: _calls(Op("Receive", 16, peer=0))})
    assert "receives BFloat16 [16] where rank 0 sends BFloat16 [8]" in _said(other)[0]
    assert partings({0: _calls(send)}) == []


@pytest.mark.parametrize(
    ("send", "receive"),
    [
        ("Send", "Receive"),
        ("c10d::send", "c10d::recv_"),
        ("DistCommIsend", "DistCommIrecv"),
        ("InnerCommIsend", "InnerCommIrecv"),
        ("Distributed::isend", "Distributed::irecv"),
    ],
)
def test_sends_by_all_their_names(send: str, receive: str) -> None:
    assert _calls(Op("Add"), Op(send)).first_peer == (True, None)
    assert _calls(Op(receive), Op(send)).first_peer == (False, None)


def test_many_calls_are_packed_small() -> None:
    calls = _calls(*[_reduce(range(64)), _reduce(range(64), 16)] * 5000)
    (group,) = calls.groups
    assert group.calls.count == 10_000
    assert len(group.calls.packed_words) + len(group.calls.packed_lines) < 1000
    assert group.runs == (range(64),)
    assert group.members == list(range(64))
    assert group.calls.lines().tolist() == list(range(1, 30_000, 3))


def test_ranks_as_people_read_them() -> None:
    assert rank_list([0, 1, 2, 3, 8, 10, 11]) == "0-3, 8, 10, 11"
