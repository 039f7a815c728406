"""Causes and what follows from them, on graphs made by hand.

An op is written ``name: outputs <- inputs``; ops of the same name on both sides are pairs. Errors
are given by the op: those of its inputs, then those of its outputs; others are 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace
from opdiff.values.causes import Cause, Causes, ErrorsOfPairs, find_causes
from opdiff.values.flow import Flow
from opdiff.values.operands import by_position

NAN = float("nan")
FLOOR = 2e-6
COARSE = 1.5e-2
ErrorsOfOp = tuple[Sequence[float], Sequence[float]]


def trace_of(ops: Sequence[str]) -> Trace:
    """A trace of these ops; every word beside the arrow is a block of memory."""
    builder = ColumnsBuilder()
    blocks: dict[str, int] = {}

    def operands(words: str) -> list[Operand]:
        specs = [TensorSpec("Float32", (4,)) for _ in words.split()]
        numbers = [blocks.setdefault(word, len(blocks) + 1) for word in words.split()]
        return [Operand(number, spec) for number, spec in zip(numbers, specs, strict=True)]

    for op in ops:
        name, _, rest = op.partition(":")
        written, _, read = rest.partition("<-")
        builder.add(name, operands(written), operands(read))
    return Trace(Source("made.ir", "made"), *builder.build())


@dataclass(frozen=True)
class Found:
    """What was found, by the names of ops."""

    names: list[str]
    left: list[str]
    right: list[str]
    causes: Causes

    @property
    def roots(self) -> dict[str, str]:
        """The cause of each root."""
        return {
            self.names[pair]: Cause(int(self.causes.cause[pair])).word
            for pair in self.causes.roots()
        }

    def follows(self, name: str) -> str | None:
        """The root that an op follows from."""
        pair = int(self.causes.caused_by[self.names.index(name)])
        return None if pair < 0 else self.names[pair]

    @property
    def blamed(self) -> dict[str, str]:
        """Which root blames each op without counterpart."""
        return {
            name: self.names[pair]
            for names, pairs in (
                (self.left, self.causes.blamed_left),
                (self.right, self.causes.blamed_right),
            )
            for name, pair in zip(names, pairs.tolist(), strict=True)
            if pair >= 0
        }

    @property
    def neutral(self) -> dict[str, bool | None]:
        """Whether each op without counterpart changes values."""
        said = {1: True, 0: False, -1: None}
        return {
            name: said[word]
            for names, words in (
                (self.left, self.causes.neutral_left),
                (self.right, self.causes.neutral_right),
            )
            for name, word in zip(names, words.tolist(), strict=True)
            if name not in self.names
        }


def search(
    left: Sequence[str],
    right: Sequence[str],
    errors: Mapping[str, ErrorsOfOp],
    *,
    whole: Sequence[str] = (),
    moves: Sequence[str] = (),
    renamed: Sequence[str] = (),
    coarse: Sequence[str] = (),
) -> Found:
    """The causes in two lists of ops, some of two names or of a coarse precision."""
    traces = trace_of(left), trace_of(right)
    rows = [{op.name: op.row for op in trace} for trace in traces]
    names = [name for name in rows[0] if name in rows[1]]
    left_row, right_row = (np.array([side[name] for name in names], np.int32) for side in rows)
    inputs = by_position(traces[0].inputs.start, traces[1].inputs.start, left_row, right_row)
    outputs = by_position(traces[0].outputs.start, traces[1].outputs.start, left_row, right_row)

    def told(pair: np.ndarray, side: int) -> np.ndarray:
        found = np.zeros(len(pair))
        for place, (name, first) in enumerate(
            zip([names[owner] for owner in pair], np.searchsorted(pair, pair), strict=True)
        ):
            if name in errors:
                found[place] = errors[name][side][place - first]
        return found

    floor = np.array([0.0 if names[pair] in whole else FLOOR for pair in outputs.pair])
    floor[np.isin([names[pair] for pair in outputs.pair], coarse)] = COARSE
    writer = traces[0].links.producer[inputs.left].tolist()
    name_of = {row: name for name, row in rows[0].items()}
    pairs = ErrorsOfPairs(
        left_row=left_row,
        right_row=right_row,
        input_pair=inputs.pair,
        input_left=inputs.left,
        input_right=inputs.right,
        input_error=told(inputs.pair, 0),
        input_floor=np.array([0.0 if name_of.get(row) in whole else FLOOR for row in writer]),
        output_pair=outputs.pair,
        output_error=told(outputs.pair, 1),
        output_floor=floor,
        output_left=outputs.left,
        output_right=outputs.right,
        only_moves=np.array([name in moves for name in names], np.bool_),
        two_names=np.array([name in renamed for name in names], np.bool_),
        input_norm=np.full(len(inputs.pair), np.nan),
        output_condition=np.ones(len(outputs.pair)),
        output_turns=np.full(len(outputs.pair), np.nan),
    )
    found = find_causes(pairs, Flow.of(traces[0]), Flow.of(traces[1]))
    return Found(names, list(rows[0]), list(rows[1]), found)


CHAIN = ["a: x1 <- x0 w0", "b: x2 <- x1 w1", "c: x3 <- x2 w2", "d: x4 <- x3"]


def test_nothing_differs_and_noise_is_no_cause() -> None:
    found = search(CHAIN, CHAIN, {})
    assert found.roots == {}
    assert not found.causes.differs.any()
    # Noise may grow with the depth, but it does not jump.
    noise = {
        "a": ([0, 0], [5e-7]),
        "b": ([5e-7, 0], [1.5e-6]),
        "c": ([1.5e-6, 0], [3e-6]),
        "d": ([3e-6], [4e-6]),
    }
    found = search(CHAIN, CHAIN, noise)
    assert found.roots == {}
    assert found.follows("d") is None


def test_a_wrong_kernel() -> None:
    errors = {"b": ([1e-7, 0], [0.01]), "c": ([0.01, 0], [0.03]), "d": ([0.03], [0.02])}
    found = search(CHAIN, CHAIN, errors)
    assert found.roots == {"b": "compute"}
    assert [found.follows(name) for name in "abcd"] == [None, "b", "b", "b"]
    assert found.causes.differs.tolist() == [False, True, True, True]
    assert found.causes.error[1] == 0.01
    assert found.causes.source[1] == 1e-7
    assert found.causes.operand[1] == 1


def test_a_second_cause_must_jump_over_the_first() -> None:
    first = {"a": ([0, 0], [1e-4]), "b": ([1e-4, 0], [5e-4]), "c": ([5e-4, 0], [0.2])}
    found = search(CHAIN, CHAIN, {**first, "d": ([0.2], [0.2])})
    assert found.roots == {"a": "compute", "c": "compute"}
    assert found.follows("b") == "a"
    assert found.follows("d") == "c"


def test_another_weight_counts_where_it_is_read_first() -> None:
    ops = ["a: x1 <- x0 w", "b: x2 <- x1", "c: x3 <- x2 w"]
    errors = {"a": ([0, 0.1], [0.05]), "b": ([0.05], [0.05]), "c": ([0.05, 0.1], [0.1])}
    found = search(ops, ops, errors)
    assert found.roots == {"a": "external"}
    assert found.follows("c") == "a"
    assert found.causes.operand[0] == 1


def test_two_weights_are_two_causes() -> None:
    ops = ["a: x1 <- x0 w", "b: x2 <- x1 v"]
    found = search(ops, ops, {"a": ([0, 0.1], [0.05]), "b": ([0.05, 0.1], [0.1])})
    assert found.roots == {"a": "external", "b": "external"}


def test_an_op_without_inputs() -> None:
    ops = ["rand: x <-", "a: y <- x"]
    found = search(ops, ops, {"rand": ([], [1.0]), "a": ([1.0], [1.0])})
    assert found.roots == {"rand": "compute"}


def test_reading_something_else() -> None:
    left = ["q: q <- x", "k: k <- x", "s: s <- q k", "t: t <- s"]
    right = ["q: q <- x", "k: k <- x", "s: s <- q q", "t: t <- s"]
    found = search(left, right, {"s": ([0, 1.4], [0.9]), "t": ([0.9], [0.9])})
    assert found.roots == {"s": "wiring"}
    assert found.follows("t") == "s"
    assert found.causes.operand[found.names.index("s")] == 3


def test_a_weight_instead_of_a_result() -> None:
    left, right = ["a: x1 <- x0", "b: y <- x1"], ["a: x1 <- x0", "b: y <- x0"]
    assert search(left, right, {"b": ([0.5], [0.5])}).roots == {"b": "wiring"}


def test_reading_what_is_wrong_already_is_no_cause() -> None:
    left = ["a: x <- w", "b: y <- x", "c: z <- x"]
    right = ["a: x <- w", "b: y <- x", "c: z <- y"]
    found = search(left, right, {"a": ([0], [0.3]), "b": ([0.3], [0.3]), "c": ([0.4], [0.4])})
    assert found.roots == {"a": "compute"}
    assert found.follows("c") == "a"


def test_a_missing_op() -> None:
    left = ["a: x1 <- x0", "scale: x2 <- x1 s", "shift: x3 <- x2", "b: y <- x3"]
    right = ["a: x1 <- x0", "b: y <- x1"]
    found = search(left, right, {"b": ([0.5], [0.5])})
    assert found.roots == {"b": "structure"}
    assert found.blamed == {"scale": "b", "shift": "b"}
    assert found.neutral == {"scale": False, "shift": False}


def test_a_missing_op_that_works_in_place() -> None:
    left = ["a: x <- x0", "scale: x <- x", "b: y <- x"]
    found = search(left, ["a: x <- x0", "b: y <- x"], {"b": ([0.5], [0.5])})
    assert found.roots == {"b": "structure"}
    assert found.blamed == {"scale": "b"}


def test_ops_that_stand_for_others() -> None:
    left = ["a: x1 <- x0", "gelu: y <- x1", "b: z <- y"]
    right = ["a: x1 <- x0", "tanh: t <- x1", "mul: y <- t x1", "b: z <- y"]
    good = search(left, right, {"b": ([1e-7], [1e-7])})
    assert good.roots == {}
    assert good.neutral == {"gelu": True, "tanh": True, "mul": True}
    bad = search(left, right, {"b": ([1e-3], [1e-3])})
    assert bad.roots == {"b": "structure"}
    assert set(bad.blamed) == {"gelu", "tanh", "mul"}


def test_what_stands_behind_a_cause_is_not_to_blame() -> None:
    left = ["a: x1 <- x0", "view: x2 <- x1", "b: y <- x2"]
    right = ["a: x1 <- x0", "b: y <- x1"]
    found = search(left, right, {"a": ([0], [0.2]), "b": ([0.2], [0.1])})
    assert found.roots == {"a": "compute"}
    assert found.follows("b") == "a"
    assert found.blamed == {}
    assert found.neutral == {"view": None}  # it may have made things worse


def test_several_readers_of_one_wrong_thing_are_one_cause() -> None:
    left = ["a: x <- x0", "drop: d <- x", "b: y <- d", "c: z <- d", "e: v <- y z"]
    right = ["a: x <- x0", "b: y <- x", "c: z <- x", "e: v <- y z"]
    errors = {"b": ([0.3], [0.3]), "c": ([0.3], [0.2]), "e": ([0.3, 0.2], [0.3])}
    found = search(left, right, errors)
    assert found.roots == {"b": "structure"}
    assert found.follows("c") == "b"
    assert found.follows("e") == "b"


def test_nobody_reads_it_or_nobody_knows() -> None:
    left = ["a: x <- x0", "loose: l <- x", "copy: c <- x", "b: y <- c"]
    right = ["a: x <- x0", "b: y <- x"]
    found = search(left, right, {"b": ([NAN], [NAN])})
    assert found.roots == {}
    assert found.neutral == {"loose": None, "copy": None}


def test_what_is_read_by_ops_whose_results_agree_changed_nothing() -> None:
    left = ["a: x <- x0", "b: y <- x"]
    right = ["a: x <- x0", "index: i <- x0", "b: y <- x i"]
    assert search(left, right, {"b": ([0.0], [0.0])}).neutral == {"index": True}
    assert search(left, right, {"b": ([0.0], [NAN])}).neutral == {"index": None}
    right = ["a: x <- x0", "copy: c <- x", "b: y <- c"]
    assert search(left, right, {"b": ([NAN], [0.0])}).neutral == {"copy": True}


def test_one_harmful_reader_is_enough() -> None:
    left = ["a: x <- x0", "odd: o <- x", "b: y <- o", "c: z <- o"]
    right = ["a: x <- x0", "b: y <- x", "c: z <- x"]
    found = search(left, right, {"b": ([0.0], [0.0]), "c": ([0.4], [0.4])})
    assert found.roots == {"c": "structure"}
    assert found.neutral == {"odd": False}


def test_a_part_that_was_written_later_explains_the_whole() -> None:
    """The reader of a whole tensor depends on who wrote to a part of it, too."""
    ops = ["a: x <- x0", "wrong: x <- x u", "view: x <- x", "b: y <- x"]
    errors = {"wrong": ([0, 0], [0.5]), "view": ([0.1], [1e-7]), "b": ([0.1], [0.1])}
    found = search(ops, ops, errors)
    assert found.roots == {"wrong": "compute"}
    assert found.follows("b") == "wrong"


def test_ops_that_only_move_values() -> None:
    ops = ["a: x <- x0", "slice: s <- x", "b: y <- s"]
    errors = {"a": ([0], [1e-3]), "slice": ([1e-3], [0.8]), "b": ([0.8], [0.8])}
    assert search(ops, ops, errors).roots == {"a": "compute", "slice": "compute"}
    found = search(ops, ops, errors, moves=["slice"])
    assert found.roots == {"a": "compute"}
    assert found.follows("b") == "a"
    # From good input to bad output a slice is as much of a cause as any op.
    errors = {"slice": ([1e-7], [0.8]), "b": ([0.8], [0.8])}
    assert search(ops, ops, errors, moves=["slice"]).roots == {"slice": "compute"}


def test_moves_of_something_else_are_no_counterparts() -> None:
    """They may be paired by chance: who reads their results is asked."""
    left = ["a: x <- x0", "b: y <- y0", "view: v <- x", "copy: c <- v", "d: z <- c"]
    right = ["a: x <- x0", "b: y <- y0", "view: v <- y", "copy: c <- v", "d: z <- c"]
    wrong = {"view": ([0.5], [0.5]), "copy": ([0.5], [0.5]), "d": ([0.5], [0.4])}
    found = search(left, right, wrong, moves=["view", "copy"])
    assert found.roots == {"d": "structure"}
    assert found.blamed == {"view": "d", "copy": "d"}
    by_chance = {"view": ([0.5], [0.5]), "copy": ([0.5], [0.5]), "d": ([0.0], [0.0])}
    found = search(left, right, by_chance, moves=["view", "copy"])
    assert found.roots == {}
    # Another weight counts where it is read first, be it by a view.
    ops = ["view: v <- w", "a: y <- v"]
    found = search(ops, ops, {"view": ([0.5], [0.5]), "a": ([0.5], [0.5])}, moves=["view"])
    assert found.roots == {"view": "external"}


def test_an_output_made_of_what_nobody_can_compare() -> None:
    left = ["a: x <- x0", "mask: m <-", "b: y <- x m"]
    right = ["a: x <- x0", "other: m <- x0", "b: y <- x m"]
    found = search(left, right, {"b": ([0.0, NAN], [0.7])})
    assert found.roots == {"b": "structure"}
    assert found.blamed == {"mask": "b", "other": "b"}
    assert found.neutral == {"mask": False, "other": False}
    same = ["a: x <- x0", "mask: m <-", "b: y <- x m"]
    assert search(same, same, {"b": ([0.0, NAN], [0.7])}).roots == {"b": "compute"}


def test_errors_that_are_not_known_are_passed_through() -> None:
    errors = {
        "a": ([0, 0], [0.1]),
        "b": ([NAN, NAN], [NAN]),
        "c": ([0.12, 0], [0.1]),
        "d": ([NAN], [0.1]),
    }
    # Of b nothing is known: it neither causes nor explains, so c stands for it.
    found = search(CHAIN, CHAIN, errors)
    assert found.roots == {"a": "compute", "c": "wiring"}
    assert found.follows("d") == "c"
    # Its inputs are enough to explain.
    found = search(CHAIN, CHAIN, {**errors, "b": ([0.1, 0], [NAN])})
    assert found.roots == {"a": "compute"}
    assert found.follows("d") == "a"


def test_noise_may_turn_a_comparison() -> None:
    ops = ["a: x <- x0", "greater: m <- x", "b: y <- m"]
    turned = {"a": ([0], [3e-7]), "greater": ([3e-7], [5e-4]), "b": ([5e-4], [1e-6])}
    assert search(ops, ops, turned, whole=["greater"]).roots == {}
    exact = {"a": ([0], [0]), "greater": ([0], [5e-4]), "b": ([5e-4], [1e-6])}
    assert search(ops, ops, exact, whole=["greater"]).roots == {"greater": "compute"}
    wrong = {"a": ([0], [3e-7]), "greater": ([3e-7], [0.7]), "b": ([0.7], [0.1])}
    assert search(ops, ops, wrong, whole=["greater"]).roots == {"greater": "compute"}


def test_pairs_that_changed_places() -> None:
    left = ["a: x <- x0", "b: y <- y0", "c: z <- x y"]
    right = ["b: y <- y0", "a: x <- x0", "c: z <- x y"]
    found = search(left, right, {"b": ([0], [0.2]), "c": ([0, 0.2], [0.2])})
    assert found.roots == {"b": "compute"}
    assert found.follows("c") == "b"


def test_a_ring_of_explanations_has_no_end() -> None:
    """Pairs that explain each other in a circle, as crossed ones may, follow from nobody."""
    left = ["a: x <- x0", "b: y <- x"]
    right = ["b: y <- x0", "a: x <- y"]
    found = search(left, right, {"a": ([0.2], [0.2]), "b": ([0.2], [0.2])})
    assert found.roots == {}
    assert [found.follows(name) for name in "ab"] == [None, None]
    assert found.causes.differs.all()


def test_no_pairs_at_all() -> None:
    found = search(["a: x <- w"], ["b: x <- w"], {})
    assert found.roots == {}
    assert found.neutral == {"a": None, "b": None}


@pytest.mark.parametrize("seed", range(20))
def test_one_cause_in_a_large_random_graph(seed: int) -> None:
    """Whatever the graph, a wrong kernel is the one cause, and all its readers follow from it."""
    rng = np.random.default_rng(seed)
    count = 300
    sources = [rng.integers(0, max(row, 1), 2) for row in range(count)]
    ops = [
        f"op{row}: t{row} <- " + (" ".join(f"t{s}" for s in sources[row]) if row else "w")
        for row in range(count)
    ]
    wrong = int(rng.integers(5, 200))
    level = np.zeros(count)
    errors: dict[str, ErrorsOfOp] = {}
    for row in range(count):
        read = [level[s] for s in sources[row]] if row else [0.0]
        noise = 10.0 ** rng.uniform(-8, -6.2)
        level[row] = max(*read, noise) * rng.uniform(0.5, 1.5) if max(read) > FLOOR else noise
        if row == wrong:
            level[row] = 0.05
        errors[f"op{row}"] = (read, [level[row]])
    found = search(ops, ops, errors)
    assert found.roots == {f"op{wrong}": "compute"}
    for row in range(count):
        expected = f"op{wrong}" if level[row] > FLOOR else None
        assert found.follows(f"op{row}") == expected


def test_what_takes_the_part_that_agrees_does_not_read_another_weight() -> None:
    """A buffer differs in a part that only the second slice takes."""
    ops = ["first: a <- table", "second: b <- table", "use: c <- a", "more: d <- b"]
    errors = {"first": ([0.1], [0.0]), "second": ([0.1], [0.3]), "more": ([0.3], [0.3])}
    assert search(ops, ops, errors, moves=["first", "second"]).roots == {"second": "external"}
    assert search(ops, ops, errors).roots == {"first": "external"}


def test_whole_numbers_that_differ_pick_anything() -> None:
    ops = ["a: x1 <- x0", "top: i <- x1", "hot: y <- i"]
    noisy = {"a": ([0], [1e-6]), "top": ([1e-6], [1e-3]), "hot": ([1e-3], [0.7])}
    assert search(ops, ops, noisy, whole=["top"]).roots == {}
    assert "hot" in search(ops, ops, noisy).roots


def test_constants_that_chance_paired_are_no_cause() -> None:
    """All that read them find the constant that they want."""
    left = ["zero: z <-", "a: y <- x z"]
    right = ["zero: z <-", "own: v <-", "a: y <- x v", "b: u <- z"]
    found = search(left, right, {"zero": ([], [1.0])})
    assert found.roots == {}
    assert found.causes.chance.tolist() == [True, False]
    assert not found.causes.differs.any()
    found = search(left, right, {"zero": ([], [1.0]), "a": ([0, 1.0], [1.0])})
    assert found.roots == {"zero": "compute"}
    assert not found.causes.chance.any()


def test_what_an_op_writes_unseen_follows_from_what_it_read() -> None:
    """Batch normalisation writes its statistics, and no trace says so."""
    ops = ["a: x1 <- x0", "norm: y <- x1 mean", "b: z <- y", "back: g <- z mean"]
    wrong = {"a": ([0], [0.3]), "norm": ([0.3, 0], [0.2]), "b": ([0.2], [0.2])}
    found = search(ops, ops, {**wrong, "back": ([0.2, 0.1], [0.2])})
    assert found.roots == {"a": "compute"}
    assert found.follows("back") == "a"
    found = search(ops, ops, {"back": ([0, 0.1], [0.1])})
    assert found.roots == {"back": "external"}


@pytest.mark.parametrize("exact", [True, False])
def test_what_both_runs_load_has_no_noise(exact: bool) -> None:
    ops = [f"{name}: {name} <- w{name}" for name in "abcdefghijkl"]
    errors = {} if exact else {name: ([1e-7], [0]) for name in "abcdef"}
    found = search(ops, ops, {**errors, "k": ([1.5e-6], [1.5e-6])})
    assert found.roots == ({"k": "external"} if exact else {})


def test_one_op_left_out_that_wrote_many_tensors_is_one_cause() -> None:
    left = ["make: a b <- x", "zero: a b <- a b", "r: y <- a", "s: z <- b", "t: u <- z"]
    right = ["make: a b <- x", "r: y <- a", "s: z <- b", "t: u <- z"]
    found = search(left, right, {"r": ([1], [1]), "s": ([1], [0.5]), "t": ([0.5], [0.5])})
    assert found.roots == {"r": "structure"}
    assert found.blamed == {"zero": "r"}
    assert [found.follows(name) for name in "rst"] == ["r", "r", "r"]


def test_what_a_counterpart_lacks_is_looked_through() -> None:
    """A list of tensors without the one that is left out: what made that is to blame."""
    left = ["a: g <- x", "list: s t <- w g", "add: v2 <- v t", "use: y <- v2"]
    right = ["list: s <- w", "use: y <- v"]
    found = search(left, right, {"use": ([0.5], [0.5])})
    assert found.roots == {"use": "structure"}
    assert found.blamed == {"add": "use", "a": "use"}
    left[2] = "add: v2 <- v s"  # reads what the counterpart has
    assert search(left, right, {"use": ([0.5], [0.5])}).blamed == {"add": "use"}


@pytest.mark.parametrize("coarse", [False, True])
def test_ops_of_two_names_that_read_noise(coarse: bool) -> None:
    """Beside what is off nobody knows whether they do the same job; noise is not off."""
    errors = {"a": ([0.0, 0.0], [5e-3]), "b": ([5e-3, 0.0], [0.6])}
    found = search(CHAIN, CHAIN, errors, renamed=["b"], coarse=["a"] if coarse else [])
    assert ("b" in found.roots) == coarse
