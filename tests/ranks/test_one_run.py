"""The ranks of one run with each other: clusters, and who stands apart from the majority."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cluster import Cluster, Op, dropped, printed, renamed
from opdiff.cli import main
from opdiff.ranks import LocalPool, Question, RanksResult, find_ranks
from opdiff.ranks.one_run import compare_ranks

POOL = LocalPool(2)
"""Processes for all tests here: starting them is what takes time."""


@pytest.fixture(scope="module", autouse=True)
def _end_processes() -> Iterator[None]:
    yield
    POOL.close()


def _compared(folder: Path) -> RanksResult:
    return compare_ranks(find_ranks(folder), Question(), POOL)


def _odd(result: RanksResult) -> set[int]:
    return {rank for cluster in result.clusters if cluster.odd for rank in cluster.ranks}


def _write(folder: Path, ranks: dict[int, list[Op]]) -> Path:
    for rank, ops in ranks.items():
        target = folder / f"rank_{rank}"
        target.mkdir(parents=True)
        text = printed(ops, first_id=5 * rank + 1)
        (target / "tracker_graph.ir").write_text(text, encoding="utf-8")
    return folder


def test_stages_are_clusters_of_their_own(tmp_path: Path) -> None:
    result = _compared(Cluster(layers=2).write(tmp_path / "run"))
    assert [(cluster.ranks, cluster.stage) for cluster in result.clusters] == [
        (tuple(range(16 * stage, 16 * stage + 16)), stage) for stage in range(4)
    ]
    assert not result.differs


def test_mistakes_of_single_ranks_are_found_among_64(tmp_path: Path) -> None:
    run = Cluster(
        mistakes={
            0: dropped("RmsNorm", 1),
            17: dropped("AllReduce", 2),
            35: renamed("AllReduce", 1, "AllGather"),
        },
        missing=frozenset({40}),
        cut=frozenset({9}),
    )
    result = _compared(run.write(tmp_path / "run"))
    # The majority is right, also against rank 0.
    assert _odd(result) == {0, 9, 17, 35}
    statuses = {outcome.rank: str(outcome.status) for outcome in result.outcomes}
    assert {rank for rank, status in statuses.items() if status == "differs"} == {0, 9, 17, 35}
    assert statuses[40] == "missing-left"
    assert list(statuses) == list(range(64))
    own = {group.ranks: group for group in result.groups}
    assert own[(0,)].kind == "only-left"
    assert own[(0,)].count == 1
    assert own[(35,)].kind == "op-type"
    first = result.by_rank[0].paths[0]
    assert first is not None
    assert "rank_0/" not in first
    parted = {rank for each in result.partings for rank in each.parting.ranks}
    assert parted == {9, 17, 35}


def test_a_rank_that_lost_its_first_word_is_held_against_its_own_stage(tmp_path: Path) -> None:
    run = Cluster(layers=1, mistakes={20: dropped("Receive")})
    result = _compared(run.write(tmp_path / "run"))
    assert _odd(result) == {20}
    assert [cluster.stage for cluster in result.clusters if cluster.odd] == [1]
    (group,) = result.groups
    assert (group.ranks, group.kind, group.count) == ((20,), "only-left", 1)
    (found,) = result.partings
    assert (found.parting.ranks, found.parting.others, found.parting.peers) == ((20,), (4,), True)


def test_one_rank_a_stage_is_no_odd_rank(tmp_path: Path) -> None:
    result = _compared(Cluster(4, 1, 1, layers=2).write(tmp_path / "run"))
    assert _odd(result) == set()
    assert [cluster.ranks for cluster in result.clusters] == [(0,), (1,), (2,), (3,)]


def _with_first_shard(change: Callable[[list[Op]], list[Op]], cluster: Cluster) -> Cluster:
    """A cluster whose first shard of every group does something more."""
    mistakes = dict.fromkeys(range(0, cluster.size, cluster.tensor), change)
    return replace(cluster, mistakes=mistakes)


def test_a_place_in_every_group_is_a_cluster_of_its_own(tmp_path: Path) -> None:
    def writes_a_log(ops: list[Op]) -> list[Op]:
        return [*ops, Op("Print")]

    run = _with_first_shard(writes_a_log, Cluster(1, 4, 4, layers=1))
    result = _compared(run.write(tmp_path / "run"))
    assert _odd(result) == set()
    assert sorted(cluster.ranks for cluster in result.clusters) == [
        (0, 4, 8, 12),
        (1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15),
    ]


def test_experts_get_other_numbers_of_tokens(tmp_path: Path) -> None:
    everyone = tuple(range(4))

    def expert(tokens: int) -> list[Op]:
        swap = Op("AlltoAll", 64, "experts", everyone)
        return [Op("RmsNorm"), swap, Op("MatMul", tokens), Op("Gelu", tokens), swap, Op("Add")]

    result = _compared(_write(tmp_path / "run", {n: expert(8 + n) for n in everyone}))
    assert _odd(result) == set()
    assert not result.partings
    wrong = expert(9)[:-1]
    ranks = {**{n: expert(8 + n) for n in everyone}, 2: wrong}
    result = _compared(_write(tmp_path / "wrong", ranks))
    assert _odd(result) == {2}


def test_without_groups_few_stand_against_many(tmp_path: Path) -> None:
    ops = [Op("MatMul"), Op("Add"), Op("Relu")]
    ranks = dict.fromkeys(range(8), ops)
    result = _compared(_write(tmp_path / "run", {**ranks, 5: [*ops, Op("Mul")]}))
    assert _odd(result) == {5}
    half = {n: ops if n < 4 else [*ops, Op("Mul")] for n in range(8)}
    result = _compared(_write(tmp_path / "half", half))
    assert _odd(result) == set()
    assert [cluster.ranks for cluster in result.clusters] == [(0, 1, 2, 3), (4, 5, 6, 7)]


def test_sizes_tell_nothing_where_every_rank_has_its_own(tmp_path: Path) -> None:
    """As where each rank updates its part of the weights."""
    ranks = {n: [Op("MatMul"), Op("Adam", 8 + n), Op("Adam", 9 + n)] for n in range(5)}
    assert _odd(_compared(_write(tmp_path / "run", ranks))) == set()
    ranks[3] = [*ranks[3], Op("Mul")]
    assert _odd(_compared(_write(tmp_path / "odd", ranks))) == {3}
    same = {n: [Op("MatMul"), Op("Adam", 8)] for n in range(5)}
    same[2] = [Op("MatMul"), Op("Adam", 16)]
    assert _odd(_compared(_write(tmp_path / "size", same))) == {2}


def test_of_one_group_the_fewer_are_odd(tmp_path: Path) -> None:
    run = Cluster(2, 1, 4, layers=1, mistakes={3: dropped("Mul"), 6: dropped("Mul")})
    result = _compared(replace(run, missing=frozenset({5})).write(tmp_path / "run"))
    assert _odd(result) == {3, 6}


def test_two_ranks_are_compared_though_neither_is_the_majority(tmp_path: Path) -> None:
    ops = [Op("MatMul"), Op("Add")]
    result = _compared(_write(tmp_path / "run", {0: ops, 1: [*ops, Op("Mul")]}))
    assert result.differs
    assert [group.kind for group in result.groups] == ["only-right"]


def test_ranks_that_differ_in_nothing_that_counts_are_one_cluster(tmp_path: Path) -> None:
    ops = [Op("MatMul"), Op("Add"), Op("Relu")]
    ranks = dict.fromkeys(range(4), ops)
    folder = _write(tmp_path / "run", ranks)
    trace = folder / "rank_3" / "tracker_graph.ir"
    noise = printed([Op("AclWorkspace")], first_id=900)
    trace.write_text(trace.read_text() + noise)
    result = _compared(folder)
    assert [cluster.ranks for cluster in result.clusters] == [(0, 1, 2, 3)]
    assert not result.differs


def test_the_command_lists_clusters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Cluster(2, 2, 2, layers=1, mistakes={5: dropped("MatMul")})
    folder = str(run.write(tmp_path / "run"))
    assert main(["ranks", folder, "--jobs", "1", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    odd = [cluster for cluster in document["clusters"] if cluster["odd"]]
    assert [cluster["ranks"] for cluster in odd] == [[5]]
    assert odd[0]["like"] is not None
    assert document["ranks"][5]["status"] == "differs"
    assert document["right"] is None
    assert main(["ranks", folder, "--jobs", "1"]) == 1
    assert "odd: rank 5" in capsys.readouterr().out
    assert main(["ranks", folder, "--values-of", "AllReduce"]) == 2
    assert main(["ranks", folder, "--jobs", "1", "--rank", "0-3"]) == 0
