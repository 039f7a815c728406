"""Sentences read by gated recurrent cells both ways, written by a third that attends to them.

A comment ``@name`` marks the lines on which a mistake shows first, or those that read what it left
out; ``@elsewhere`` calls within which none is made.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from mistakes import WRONG_LAYER, Mistakes
from torch import nn
from torch.nn import functional

BATCH, READ, WRITTEN, WORDS, WIDTH, STEPS = 4, 6, 5, 24, 14, 2
WRONG_TIME = 2
NOTHING = 0


@dataclass
class Pairs:
    """Sentences with their translations."""

    words: torch.Tensor
    valid: torch.Tensor
    """Which words are no padding."""
    wanted: torch.Tensor
    start: torch.Tensor


class Cell(nn.Module):
    """A gated recurrent unit."""

    def __init__(self, mistakes: Mistakes, layer: int, into: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.enter = nn.Linear(into, 3 * WIDTH)
        self.recur = nn.Linear(WIDTH, 3 * WIDTH)

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def forward(self, x: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        """The next state."""
        bias = None if self.wrong("no_bias") else self.recur.bias
        again = functional.linear(  # @no_bias @recur_other @mm_bf16 @start_other @detach_state
            state, self.recur.weight, bias
        )
        reset, update, new = self.enter(x).chunk(3, -1)  # @swap_gates
        reset_too, update_too, new_too = again.chunk(3, -1)  # @swap_gates
        if self.wrong("swap_gates"):
            reset, update = update, reset
            reset_too, update_too = update_too, reset_too
        let = torch.sigmoid(reset + reset_too)  # @swap_gates
        kept = torch.sigmoid(update + update_too)  # @swap_gates @sigmoid_f8
        if self.wrong("no_reset"):
            new = new + new_too  # @no_reset
        elif self.wrong("reset_all"):
            new = let * (new + new_too)  # @reset_all
        else:
            new = new + let * new_too  # @no_reset @reset_all
        if not self.wrong("no_tanh"):
            new = torch.tanh(new)  # @no_tanh
        if self.wrong("keep_new"):
            return kept * new + (1 - kept) * state  # @keep_new
        return (1 - kept) * new + kept * state  # @keep_new @no_tanh


class Reader(nn.Module):
    """One direction."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.cell = Cell(mistakes, layer, WIDTH)

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def forward(
        self, x: torch.Tensor, valid: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """All states, and the last."""
        states = []
        for time in range(READ):
            if time == WRONG_TIME and self.wrong("detach_state"):
                state = state.detach()  # @detach_state
            after = self.cell(x[:, time], state)
            if not self.wrong("not_frozen"):
                after = after.where(  # @not_frozen @detach_state @valid_not_turned
                    valid[:, time, None], state
                )
            state = after
            states.append(state)
        return torch.stack(states, 1), state  # @not_frozen


class Attention(nn.Module):
    """How well each word fits a state, by a perceptron."""

    def __init__(self, mistakes: Mistakes) -> None:
        super().__init__()
        self.mistakes = mistakes
        self.query, self.key = nn.Linear(WIDTH, WIDTH), nn.Linear(2 * WIDTH, WIDTH, bias=False)
        self.fit = nn.Linear(WIDTH, 1, bias=False)

    def forward(
        self, state: torch.Tensor, read: torch.Tensor, keys: torch.Tensor, valid: torch.Tensor
    ) -> torch.Tensor:
        """What is looked at."""
        wrong = self.mistakes.on
        both = self.query(state)[:, None] + keys
        if not wrong("no_fit_tanh"):
            both = torch.tanh(both)  # @no_fit_tanh
        scores = self.fit(both).squeeze(-1)  # @no_fit_tanh
        if wrong("temperature"):
            scores = scores / WIDTH**0.5  # @temperature
        if not wrong("no_mask"):
            hidden = valid if wrong("mask_turned") else ~valid  # @mask_turned
            scores = scores.masked_fill(hidden, -1e4)  # @no_mask @mask_turned @temperature
        axis = 0 if wrong("softmax_axis") else -1
        weights = scores.softmax(axis)  # @softmax_axis @no_mask @softmax_part
        if wrong("detach_weights"):
            weights = weights.detach()  # @detach_weights
        return torch.bmm(weights[:, None], read).squeeze(1)  # @detach_weights


class Model(nn.Module):
    """Sentences in, the loss of translating them out."""

    def __init__(self, mistakes: Mistakes) -> None:
        super().__init__()
        self.mistakes = mistakes
        self.embed = nn.Embedding(WORDS, WIDTH, padding_idx=NOTHING)
        self.embed_written = nn.Embedding(WORDS, WIDTH)
        self.forth, self.back = Reader(mistakes, 0), Reader(mistakes, 1)
        self.norm = nn.BatchNorm1d(2 * WIDTH)
        self.bridge = nn.Linear(2 * WIDTH, WIDTH)
        self.attend = Attention(mistakes)
        self.write = Cell(mistakes, 2, 3 * WIDTH)
        self.last_norm = nn.LayerNorm(WIDTH)
        self.mix = nn.Linear(3 * WIDTH, WIDTH)
        self.guess = nn.Linear(WIDTH, WORDS)
        with torch.no_grad():
            self.norm.weight.add_(0.2 * torch.randn(2 * WIDTH))
            self.last_norm.weight.add_(0.2 * torch.randn(WIDTH))

    def normed(self, read: torch.Tensor) -> torch.Tensor:
        """By all words."""
        wrong, norm = self.mistakes.on, self.norm
        momentum = 0.01 if wrong("bn_momentum") else 0.1
        eps = 0.1 if wrong("bn_eps") else 1e-5
        flat = read.flatten(0, 1)
        flat = functional.batch_norm(  # @bn_momentum @bn_eps @bn_eval @bn_statistics @bn_fiftieth
            flat,
            norm.running_mean,
            norm.running_var,
            norm.weight,
            norm.bias,
            training=self.training,
            momentum=momentum,
            eps=eps,
        )
        return flat.view_as(read)

    def reading(self, pairs: Pairs) -> tuple[torch.Tensor, torch.Tensor]:
        """Each word with what is before and behind it; and the sentence."""
        wrong = self.mistakes.on
        x = self.embed(pairs.words)  # @word_other @embed_row
        forth, end = self.forth(x, pairs.valid, pairs.start[0])  # @elsewhere
        turned = x if wrong("not_turned") else x.flip(1)  # @not_turned
        valid = pairs.valid
        if not wrong("valid_not_turned"):
            valid = valid.flip(1)  # @valid_not_turned
        back, begin = self.back(turned, valid, pairs.start[1])
        if not wrong("not_turned_back"):
            back = back.flip(1)  # @not_turned_back
        ways = [back, forth] if wrong("back_first") else [forth, back]
        read = torch.cat(ways, -1)  # @back_first @not_turned_back
        if wrong("mean_for_end"):
            begin = back.mean(1)  # @mean_for_end
        state = torch.tanh(self.bridge(torch.cat([end, begin], -1)))  # @mean_for_end
        if not wrong("no_bn"):
            read = self.normed(read)  # @@no_bn
        return read, state

    def forward(self, pairs: Pairs) -> torch.Tensor:
        """The smoothed loss of all words that are wanted."""
        wrong = self.mistakes.on
        read, state = self.reading(pairs)
        keys = self.attend.key(read)  # @no_bn
        fed = pairs.wanted if wrong("fed_wanted") else pairs.wanted.roll(1, 1)  # @fed_wanted
        if not wrong("no_start_word"):
            fed = fed.index_fill(1, torch.tensor([0]), 1)  # @no_start_word
        words = self.embed_written(fed)  # @no_start_word @fed_wanted @written_row
        made = []
        for time in range(WRITTEN):
            now = time == WRONG_TIME
            seen = self.attend(state, read, keys, pairs.valid)
            if now and wrong("detach_seen"):
                seen = seen.detach()  # @detach_seen
            before = state
            fed_now = torch.cat([words[:, time], seen], -1)  # @detach_seen
            state = self.write(fed_now, state)  # @elsewhere
            told = before if now and wrong("state_before") else state
            mixed = self.mix(torch.cat([told, seen], -1))  # @state_before @detach_seen
            if wrong("no_ln"):
                made.append(mixed)
                continue
            eps = 0.1 if wrong("ln_eps") else 1e-5
            mixed = functional.layer_norm(  # @ln_eps @no_ln
                mixed, (WIDTH,), self.last_norm.weight, self.last_norm.bias, eps
            )
            alpha = 0.5 if wrong("residual_half") else 1.0
            if not wrong("no_residual"):
                mixed = torch.add(  # @residual_half @no_residual @state_before
                    mixed, told, alpha=alpha
                )
            made.append(mixed)
        logits = self.guess(torch.stack(made, 1))  # @no_ln @no_residual
        return self.loss(logits, pairs.wanted)

    def loss(self, logits: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """Cross entropy, without padding."""
        wrong = self.mistakes.on
        return functional.cross_entropy(  # @smoothing @padding_counts @sum @log_softmax_element
            logits.flatten(0, 1).float(),
            wanted.flatten(),
            ignore_index=-100 if wrong("padding_counts") else NOTHING,
            reduction="sum" if wrong("sum") else "mean",
            label_smoothing=0.3 if wrong("smoothing") else 0.1,
        )


def some_pairs() -> Pairs:
    """Random sentences of several lengths."""
    words = torch.randint(2, WORDS, (BATCH, READ))
    wanted = torch.randint(2, WORDS, (BATCH, WRITTEN))
    for row, length in enumerate((6, 4, 5, 3)):
        words[row, length:] = NOTHING
        wanted[row, length - 1 :] = NOTHING
    return Pairs(words, words != NOTHING, wanted, torch.zeros(2, BATCH, WIDTH))


def prepared(
    mistakes: Mistakes, dtype: torch.dtype
) -> tuple[nn.Module, Callable[[nn.Module], float]]:
    """A model, and two steps of training it: the same every time but for another weight."""
    torch.manual_seed(21)
    wrong = mistakes.on
    model, batches = Model(mistakes), [some_pairs() for _ in range(STEPS)]
    change_weight(model, batches, mistakes.name)
    model.to(dtype)
    for pairs in batches:
        pairs.start = pairs.start.to(dtype)
    optimizer = torch.optim.SGD(
        model.parameters(),
        0.2,
        momentum=0.5 if wrong("momentum") else 0.9,
        weight_decay=0.1 if wrong("decay") else 0.01,
        nesterov=not wrong("no_nesterov"),
        foreach=True,
    )
    shrink = 0.9 if wrong("schedule") else 0.5
    rate = torch.optim.lr_scheduler.StepLR(optimizer, 1, shrink)
    most = 0.01 if wrong("clip_value") else 0.05

    def train(called: nn.Module) -> float:
        total = 0.0
        for number, pairs in enumerate(batches):
            if number and wrong("bn_eval"):
                called.eval()
            loss = called(pairs)
            loss.backward()
            if not wrong("no_clip"):
                nn.utils.clip_grad_value_(  # @clip_value @no_clip
                    model.parameters(), most, foreach=False
                )
            optimizer.step()  # @momentum @decay @no_nesterov @schedule @no_clip
            rate.step()
            if not wrong("no_zero_grad"):
                optimizer.zero_grad(set_to_none=False)  # @no_zero_grad
            total += loss.item()
        return total

    return model, train


def change_weight(model: Model, batches: list[Pairs], name: str) -> None:
    """Another weight or input than that of the other run."""
    reader = (model.forth, model.back)[WRONG_LAYER]
    with torch.no_grad():
        if name == "recur_other":
            reader.cell.recur.weight[3] *= -1
        elif name == "embed_row":
            model.embed.weight[int(batches[0].words[1, 2])] += 0.3
        elif name == "written_row":
            model.embed_written.weight[1] *= 0.5
        elif name == "bn_statistics":
            model.norm.running_var[4] = 2.0
        elif name == "word_other":
            batches[0].words[0, 1] = 1 + int(batches[0].words[0, 1]) % (WORDS - 1)
        elif name == "start_other":
            batches[1].start[1, 2, 5] = 0.7
