"""The recommender under MindSpore: weighted bags, cross layers beside a deep tower."""

from __future__ import annotations

import numpy as np
from mindspore import mint, nn, ops

from lab.bugs import Bug, Variant
from lab.mindspore_networks.weights import weight

BATCH, NUMBERS, ITEMS, WIDTH, BAG = 6, 5, 20, 8, 4
FEATURES = 3 * WIDTH

HELD_OUT = True
BUGS = (
    Bug("crosses_itself", "wiring", 1, ("jit_forward",)),
    Bug("no_cross_residual", "missing op", 2, ("jit_forward", "jit_step")),
    Bug("no_bag_weights", "missing op", "second", ("jit_forward",)),
    Bug("sigmoid", "other op", None, ("jit_step",), shows="Sigmoid"),
    Bug("squashed", "extra op", None, ("jit_forward",), shows="Tanh"),
    Bug("other_table", "other weight", "second", ("jit_forward",)),
)
VARIANTS = (Variant("jit_forward"), Variant("jit_step"))


class Cross(nn.Cell):
    """The features times what a layer makes of its input, added to the input."""

    def __init__(self, lab, number: int):
        super().__init__()
        self.mix, self.shift = (
            weight(FEATURES, FEATURES, seed=50 + number),
            weight(FEATURES, seed=60 + number),
        )
        self.crosses_itself = lab.broken("crosses_itself", number)
        self.no_cross_residual = lab.broken("no_cross_residual", number)

    def construct(self, features, x):
        """One layer."""
        mixed = mint.nn.functional.linear(x, self.mix, self.shift)
        factor = x if self.crosses_itself else features
        crossed = factor * mixed  # site: crosses_itself
        if not self.no_cross_residual:
            crossed = crossed + x  # site: no_cross_residual
        return crossed


class Network(nn.Cell):
    """Numbers and bags of items in, the loss of guessing a click out."""

    def __init__(self, lab):
        super().__init__()
        self.first_table = weight(ITEMS, WIDTH, seed=1)
        self.second_table = weight(ITEMS, WIDTH, seed=2)
        self.bottom = weight(WIDTH, NUMBERS, seed=3)
        self.crosses = nn.CellList([Cross(lab, number) for number in range(3)])
        self.tower, self.deeper = weight(16, FEATURES, seed=4), weight(WIDTH, 16, seed=5)
        self.score = weight(1, FEATURES + WIDTH, seed=6)
        self.unweighted = lab.broken("no_bag_weights", "second")
        self.sigmoid, self.squashed = lab.broken("sigmoid"), lab.broken("squashed")
        self.other_table = lab.broken("other_table", "second")

    def bags(self, first, second, weights):
        """The weighted sums of the embeddings of each sample's items, for both tables."""
        one = mint.sum(ops.gather(self.first_table, first, 0) * weights, 1)
        table = self.first_table if self.other_table else self.second_table
        found = ops.gather(table, second, 0)  # site: other_table@second
        if not self.unweighted:
            found = found * weights  # site: no_bag_weights@second
        return mint.cat((one, mint.sum(found, 1)), -1)

    def construct(self, numbers, first, second, weights, clicks):
        """The mean loss."""
        numbers = mint.nn.functional.linear(numbers, self.bottom)
        bend = mint.sigmoid if self.sigmoid else mint.nn.functional.relu
        numbers = bend(numbers)  # site: sigmoid
        features = mint.cat((numbers, self.bags(first, second, weights)), -1)
        crossed = self.crosses[0](features, features)  # at: 0
        crossed = self.crosses[1](features, crossed)  # at: 1
        crossed = self.crosses[2](features, crossed)  # at: 2
        deep = mint.nn.functional.relu(mint.nn.functional.linear(features, self.tower))
        deep = mint.nn.functional.relu(mint.nn.functional.linear(deep, self.deeper))
        score = mint.nn.functional.linear(mint.cat((crossed, deep), -1), self.score)
        if self.squashed:
            score = mint.tanh(score)  # site: squashed
        chance = mint.exp(score) / (1 + mint.exp(score))
        return -mint.mean(clicks * mint.log(chance) + (1 - clicks) * mint.log(1 - chance))


def inputs() -> list[np.ndarray]:
    """Numbers, items for both tables, their weights, clicks."""
    random = np.random.default_rng(5)
    numbers = random.standard_normal((BATCH, NUMBERS)).astype(np.float32)
    items = random.integers(ITEMS, size=(2, BATCH, BAG)).astype(np.int32)
    weights = random.random((BATCH, BAG, 1)).astype(np.float32)
    clicks = random.integers(2, size=(BATCH, 1)).astype(np.float32)
    return [numbers, items[0], items[1], weights, clicks]
