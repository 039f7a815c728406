"""A recommender: bags of embeddings, cross layers beside a deep tower, two micro-batches."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from lab.bugs import Bug, Variant
from lab.injection import Injection

BATCH, NUMBERS, TABLES, ITEMS, WIDTH, CROSSES, MICRO_BATCHES = 6, 5, 3, 20, 8, 3, 2
FEATURES = WIDTH * (TABLES + 1)

HELD_OUT = False
BUGS = (
    Bug("crosses_itself", "wiring", 1, ("aot_eager", "decomposed")),
    Bug("no_cross_residual", "missing op", 2, ("aot_eager",)),
    Bug("other_table", "other weight", 2, ("aot_eager",)),
    Bug("no_bag_weights", "operands", 1),
    Bug("tanh", "other op", 0, ("decomposed",)),
    Bug("no_penalty", "loss"),
    Bug("no_sample_weights", "loss", None, ("core_aten",)),
    Bug("unscaled_loss", "phase"),
    Bug("clears_between", "phase"),
    Bug("other_optimizer", "optimizer", 1),
    Bug("skipped_cross", "missing layer", 1, ("decomposed",), alike=True),
    Bug("detached_tower", "detach"),
    Bug("rounded_bags", "cast", 0),
    Bug("squashed", "extra op", None, ("aot_eager",)),
    Bug("tower_after_crosses", "wiring", None, ("aot_eager",)),
)
VARIANTS = (
    Variant("aot_eager"),
    Variant("recording"),
    Variant("foreach"),
    Variant("forwards_first"),
)


class Crosses(nn.Module):
    """Products of the features with what the layers below made of them."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.layers = nn.ModuleList(nn.Linear(FEATURES, FEATURES) for _ in range(CROSSES))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Layer by layer, each added to its input."""
        lab, x = self.lab, features
        for number, layer in enumerate(self.layers):
            with lab.site("skipped_cross", number):
                if lab.broken("skipped_cross", number):
                    continue
                mixed = layer(x)
                with lab.site("crosses_itself", number):
                    crossed = (x if lab.broken("crosses_itself", number) else features) * mixed
                with lab.site("no_cross_residual", number):
                    if not lab.broken("no_cross_residual", number):
                        crossed = crossed + x
            x = crossed
        return x


class Recommender(nn.Module):
    """Numbers and bags of items in, the score of a click out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.tables = nn.ParameterList(torch.randn(ITEMS, WIDTH) * 0.3 for _ in range(TABLES))
        self.bottom = nn.ModuleList((nn.Linear(NUMBERS, 16), nn.Linear(16, WIDTH)))
        self.crosses = Crosses(lab)
        self.tower = nn.ModuleList((nn.Linear(FEATURES, 16), nn.Linear(16, WIDTH)))
        self.score = nn.Linear(FEATURES + WIDTH, 1)

    def bag(self, number: int, items: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """The weighted sum of the embeddings of each sample's items."""
        lab = self.lab
        only = "aten::_embedding_bag"
        with lab.site("other_table", number, only), lab.site("no_bag_weights", number, only):
            table = self.tables[number - 1 if lab.broken("other_table", number) else number]
            weighted = None if lab.broken("no_bag_weights", number) else weights
            found = functional.embedding_bag(items, table, mode="sum", per_sample_weights=weighted)
        with lab.site("rounded_bags", number):
            return found.bfloat16().float() if lab.broken("rounded_bags", number) else found

    def forward(
        self, numbers: torch.Tensor, items: list[torch.Tensor], weights: torch.Tensor
    ) -> torch.Tensor:
        """One score a sample."""
        lab = self.lab
        for number, layer in enumerate(self.bottom):
            numbers = layer(numbers)
            with lab.site("tanh", number):
                numbers = numbers.tanh() if lab.broken("tanh", number) else numbers.relu()
        bags = [self.bag(number, items[number], weights) for number in range(TABLES)]
        features = torch.cat((numbers, *bags), dim=-1)
        crossed = self.crosses(features)
        with lab.site("detached_tower"):
            seen = features.detach() if lab.broken("detached_tower") else features
        with lab.site("tower_after_crosses"):
            deep = self.tower[0](crossed if lab.broken("tower_after_crosses") else seen)
        deep = self.tower[1](deep.relu()).relu()
        score = self.score(torch.cat((crossed, deep), dim=-1)).squeeze(-1)
        with lab.site("squashed"):
            return score.tanh() if lab.broken("squashed") else score


class Step:
    """Two micro-batches, their gradients added up, one step of each optimizer."""

    def __init__(self, lab: Injection):
        self.lab = lab
        self.network = Recommender(lab)
        self.run = lab.compiled(self.network)
        self.batches = [self.batch() for _ in range(MICRO_BATCHES)]
        tables = list(self.network.tables)
        others = [p for p in self.network.parameters() if all(p is not table for table in tables)]
        together = lab.runs("foreach")
        self.optimizers = [
            torch.optim.SGD([table], lr=0.1, foreach=together)
            if lab.broken("other_optimizer", number)
            else torch.optim.Adagrad([table], lr=0.1, foreach=together)
            for number, table in enumerate(tables)
        ]
        self.optimizers.append(torch.optim.AdamW(others, lr=0.01, foreach=together))

    @staticmethod
    def batch() -> tuple[torch.Tensor, list[torch.Tensor], torch.Tensor, torch.Tensor]:
        """Numbers, items of every table, their weights, clicks."""
        items = [torch.randint(ITEMS, (BATCH, 4)) for _ in range(TABLES)]
        clicks = (torch.rand(BATCH) < 0.5).float()
        return torch.randn(BATCH, NUMBERS), items, torch.rand(BATCH, 4), clicks

    def loss(self, number: int) -> torch.Tensor:
        """The loss of one micro-batch: rare clicks count more, embeddings should be small."""
        lab = self.lab
        numbers, items, weights, clicks = self.batches[number]
        score = self.run(numbers, items, weights)
        each = functional.binary_cross_entropy_with_logits(score, clicks, reduction="none")
        with lab.site("no_sample_weights"):
            if not lab.broken("no_sample_weights"):
                each = each * (1 + 2 * clicks)
        loss = each.mean()
        with lab.site("no_penalty"):
            if not lab.broken("no_penalty"):
                loss = loss + 0.1 * sum(table.square().mean() for table in self.network.tables)
        with lab.site("unscaled_loss"):
            return loss if lab.broken("unscaled_loss") else loss / MICRO_BATCHES

    def accumulate(self) -> None:
        """The gradients of all micro-batches; their forwards may all come first."""
        lab = self.lab
        numbers = range(MICRO_BATCHES)
        if lab.runs("forwards_first"):
            losses = [self.loss(number) for number in numbers]
            lab.forward_ended(losses[-1])
            for loss in losses:
                loss.backward()
            return
        for number in numbers:
            loss = self.loss(number)
            lab.forward_ended(loss)
            loss.backward()
            with lab.site("clears_between"):
                if lab.broken("clears_between") and number < MICRO_BATCHES - 1:
                    self.network.zero_grad(set_to_none=False)

    def take(self) -> None:
        """The whole step, recorded."""
        lab, network = self.lab, self.network
        with lab.trace:
            self.accumulate()
            lab.backward_ended(network.parameters())
            for number, optimizer in enumerate(self.optimizers):
                with lab.site("other_optimizer", number):
                    optimizer.step()
            lab.step_ended(network.parameters())


def step(lab: Injection) -> None:
    """One recorded step."""
    Step(lab).take()
