"""Pairs with known differences, each from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.pairs import block_edits, fusion_edits, graph_edits, order_edits, pair_edits
from tests.pairs.contract import Pair, Question, truth_of
from tests.pairs.editing import Editor
from tests.pairs.models import MODELS, play_model
from tests.pairs.printing import print_program
from tests.pairs.truth import Truth

# May meet at one op: what they make of it is all in the programs.
CROWDED = (
    "all_known_names known_name compiled_region contiguous attrs dtype shape operands".split(),
    "all_known_names known_name compiled_region contiguous attrs expanded fused".split(),
)

Edit = Callable[[Editor], bool]

WITHOUT_OPERANDS: dict[str, Edit] = {
    "known_name": pair_edits.known_name,
    "all_known_names": pair_edits.all_known_names,
    "unknown_name": pair_edits.unknown_name,
    "removed": order_edits.removed,
    "inserted": order_edits.inserted,
    "attrs": pair_edits.attrs,
}
EDITS: dict[str, Edit] = {
    **WITHOUT_OPERANDS,
    "contiguous": pair_edits.contiguous,
    "contiguous_gone": pair_edits.contiguous_gone,
    "layout": pair_edits.layout,
    "dtype": pair_edits.dtype,
    "shape": pair_edits.shape,
    "operands": pair_edits.operands,
    "in_place": pair_edits.in_place,
    "rewire": pair_edits.rewire,
    "casts": order_edits.casts,
    "doubled": order_edits.doubled,
    "moved": order_edits.moved,
    "branches_swapped": order_edits.branches_swapped,
    "layer_gone": block_edits.layer_gone,
    "inserted_block": block_edits.inserted_block,
    "recomputed": block_edits.recomputed,
    "fused": fusion_edits.fused,
    "padded_at_once": fusion_edits.padded_at_once,
    "expanded": fusion_edits.expanded,
    "compiled_region": graph_edits.compiled_region,
    "host": graph_edits.host,
}

ALONE: dict[str, Edit] = {**EDITS, "fused_apart": fusion_edits.fused_apart}
"""Changes to measure one by one: also those too hard to be mixed with others."""


@dataclass(frozen=True)
class KnownPair:
    """Two traces and what a comparison of them must report."""

    name: str
    left: str
    right: str
    truth: Truth


def generate(
    seed: int, only: str | None = None, layers: int | None = None, changes: int | None = None
) -> KnownPair:
    """The pair of a seed; *only* restricts it to one kind of change, others make it larger."""
    rng = random.Random(seed)
    stock = only is None and rng.random() < 0.08
    edits = WITHOUT_OPERANDS if stock else ALONE if only else EDITS
    crowded = only is None and not stock and rng.random() < 0.15
    names = [only] if only else rng.choice(CROWDED) if crowded else sorted(edits)
    done: list[str] = []
    while not done:
        model = rng.choice(sorted(MODELS))
        base = play_model(model, rng, layers or rng.randrange(2, 7))
        pair = Pair(base, base.copy())
        wanted = changes or rng.choice([1, 1, 2, 3, 4])
        # Without operands, one op more on each side cannot be told from one that moved.
        editor = Editor(pair, rng, one_side=stock, crowded=crowded)
        done = _edit(editor, rng, {name: edits[name] for name in names}, wanted)
    if stock:
        graph_edits.hide_operands(pair)
    for side in pair.sides():
        if rng.random() < 0.25:
            graph_edits.compile_whole(side, rng)
        graph_edits.add_noise(side, rng, rng.choice([0.0, 0.0, 0.1, 0.3]))
    bases = (0, 0) if "attrs" in done or rng.random() < 0.5 else (187650900000000, 187651300000000)
    printed = (
        print_program(pair.left, rng, bases[0]),
        print_program(pair.right, rng, bases[1]),
    )
    truth = truth_of(pair, printed, _question(pair, rng))
    stem = f"{seed}: {model}{' stock' * stock}{' crowded' * crowded}"
    name = f"{stem}, {' + '.join(done)}, {truth.direction}"
    return KnownPair(name, printed[0].text, printed[1].text, truth)


def _edit(editor: Editor, rng: random.Random, edits: dict[str, Edit], wanted: int) -> list[str]:
    """Apply some changes, as far as the program has room; returns their names."""
    done: list[str] = []
    for _ in range(10 + 3 * wanted):
        name = rng.choice([*edits])
        if edits[name](editor):
            done.append(name)
        if len(done) == wanted:
            break
    return done


def _question(pair: Pair, rng: random.Random) -> Question:
    """Anchors that hold on both sides: nothing moved or fused reaches across them."""
    if rng.random() < 0.1:
        return Question("whole", None)
    places = [
        {step.key: index for index, step in enumerate(side.steps) if not step.noise}
        for side in pair.sides()
    ]
    fixed = [key for key in places[0] if key in places[1] and _cuts(places, key)]
    printed = [k for k in fixed if not any(side.step(k).hidden for side in pair.sides())]
    fixed = printed or fixed
    fate = rng.random()
    anchor = fixed[-1] if fate < 0.4 else rng.choice(fixed[len(fixed) // 2 :])
    direction = rng.choice(["up", "up", "up", "down", "whole"])
    if direction == "down":
        anchor = fixed[0] if fate < 0.4 else rng.choice(fixed[: len(fixed) // 2 + 1])
    return Question(direction, anchor)


def _cuts(places: list[dict[str, int]], key: str) -> bool:
    """Whether every step both sides have stands on the same side of this one."""
    left, right = places
    return all(
        (left[other] < left[key]) == (right[other] < right[key]) for other in left if other in right
    )
