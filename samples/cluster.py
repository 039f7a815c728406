"""Runs of a cluster with known mistakes: data, tensor and pipeline parallel, written to disk.

Rank = (stage * data + replica) * tensor + shard. Every rank numbers its memory in its own way, so
that no two files are the same bytes although most ranks do the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

TENSOR = "BFloat16:[{size}]"


@dataclass(frozen=True)
class Op:
    """One op of a chain: it reads what the one before it wrote."""

    name: str
    size: int = 64
    group: str = ""
    ranks: tuple[int, ...] = ()
    peer: int | None = None

    @property
    def attrs(self) -> str:
        """As a compiled graph prints them."""
        parts = ["stream_id=0"]
        if self.group:
            parts += [f"group={self.group}", f"comm_rank={' '.join(map(str, self.ranks))}"]
        if self.peer is not None:
            parts.append(f"{'dst' if self.name == 'Send' else 'src'}_rank={self.peer}")
        return ";".join(parts)


@dataclass(frozen=True)
class Cluster:
    """How many ranks there are of each sort, and how much each does."""

    stages: int = 4
    data: int = 4
    tensor: int = 4
    layers: int = 3
    names: dict[str, str] = field(default_factory=dict)
    """Ops that this run has under another name."""
    mistakes: dict[int, Callable[[list[Op]], list[Op]]] = field(default_factory=dict)
    """Rank → what is wrong with its ops."""
    missing: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()
    """Ranks whose file ends in the middle of a record."""

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return self.stages * self.data * self.tensor

    def ops(self, rank: int) -> list[Op]:
        """What a rank does, before anything is wrong with it."""
        stage, rest = divmod(rank, self.data * self.tensor)
        replica, shard = divmod(rest, self.tensor)
        first = rank - shard
        across = stage * self.data * self.tensor + shard
        shards = tuple(range(first, first + self.tensor))
        replicas = tuple(across + self.tensor * number for number in range(self.data))
        tp, dp = f"tp-{stage}-{replica}", f"dp-{stage}-{shard}"
        step = self.data * self.tensor
        before = rank - step if stage else None
        after = rank + step if stage + 1 < self.stages else None
        reduce = Op("AllReduce", 64, tp, shards)
        layer = [Op("RmsNorm"), Op("MatMul"), Op("Slice"), Op("Mul"), Op("Add"), reduce]
        backward = [Op("MulGrad"), Op("MatMul"), Op("SliceGrad"), Op("RmsNormGrad"), reduce]
        ops = [Op("Embedding")] if before is None else [Op("Receive", peer=before)]
        ops += layer * self.layers
        if after is None:
            ops += [Op("LogSoftmax"), Op("NLLLoss"), Op("NLLLossGrad")]
        else:
            ops += [Op("Send", peer=after), Op("Receive", peer=after)]
        ops += backward * self.layers
        ops += [Op("EmbeddingGrad")] if before is None else [Op("Send", peer=before)]
        ops += [Op("AllReduce", 32, dp, replicas), Op("Adam")] * self.layers
        return ops

    def written(self, rank: int) -> list[Op]:
        """What is in its file."""
        ops = self.ops(rank)
        if rank in self.mistakes:
            ops = self.mistakes[rank](ops)
        return [replace(op, name=self.names.get(op.name, op.name)) for op in ops]

    def write(self, folder: Path) -> Path:
        """All ranks, each in its folder."""
        for rank in range(self.size):
            if rank in self.missing:
                continue
            text = printed(self.written(rank), first_id=100 + 7 * rank)
            if rank in self.cut:
                text = text[: 2 * len(text) // 3]
            target = folder / f"rank_{rank}"
            target.mkdir(parents=True)
            (target / "tracker_graph.ir").write_text(text, encoding="utf-8")
        return folder


def printed(ops: Sequence[Op], *, first_id: int = 1) -> str:
    """Ops in the tracker's grammar, three lines each."""
    lines: list[str] = []
    for row, op in enumerate(ops):
        spec = TENSOR.format(size=op.size)
        memory = first_id + 3 * row
        lines += [
            f"(%{memory + 3}) = {op.name}(%{memory}), task_info: {memory}, attrs {{{op.attrs}}} ",
            f"    ({spec}) <- ({spec})",
            "    # ",
        ]
    return "\n".join(lines) + "\n"


def line_of(ops: Sequence[Op], place: int) -> int:
    """The line of an op in its file."""
    assert place < len(ops)
    return 3 * place + 1


def dropped(name: str, number: int = 0) -> Callable[[list[Op]], list[Op]]:
    """The mistake of leaving out the N-th op of a name."""

    def apply(ops: list[Op]) -> list[Op]:
        place = place_of(ops, name, number)
        return ops[:place] + ops[place + 1 :]

    return apply


def renamed(name: str, number: int, to: str) -> Callable[[list[Op]], list[Op]]:
    """The mistake of calling another op in the place of the N-th of a name."""

    def apply(ops: list[Op]) -> list[Op]:
        place = place_of(ops, name, number)
        return [*ops[:place], replace(ops[place], name=to), *ops[place + 1 :]]

    return apply


def place_of(ops: Sequence[Op], name: str, number: int = 0) -> int:
    """Where the N-th op of a name stands."""
    return [place for place, op in enumerate(ops) if op.name == name][number]
