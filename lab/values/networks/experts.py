"""A language model whose perceptrons are a mixture of experts, of which each word chooses two.

A comment ``@name`` marks the lines on which a mistake shows first, or those that read what it left
out; ``@elsewhere`` calls within which none is made.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from mistakes import WRONG_LAYER, Mistakes
from torch import nn
from torch.nn import functional

BATCH, TIMES, WORDS, WIDTH, HEADS, KEYS, INNER = 2, 10, 40, 24, 4, 2, 20
HEAD = WIDTH // HEADS
EXPERTS, CHOSEN, CAPACITY, WINDOW, PARTS, LAYERS = 4, 2, 9, 4, 2, 3


@dataclass
class Text:
    """Words with what follows them."""

    words: torch.Tensor
    following: torch.Tensor
    """-100 where nothing is to be guessed."""
    seen: torch.Tensor
    """Which words may be looked at."""


class Attention(nn.Module):
    """Of the last few words, several heads sharing keys."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, KEYS * HEAD, bias=False)
        self.value = nn.Linear(WIDTH, KEYS * HEAD, bias=False)
        self.merge = nn.Linear(WIDTH, WIDTH, bias=False)
        self.query_gain = nn.Parameter(1 + 0.2 * torch.randn(HEAD))
        self.key_gain = nn.Parameter(1 + 0.2 * torch.randn(HEAD))

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def turned(self, x: torch.Tensor, start: int = 0) -> torch.Tensor:
        """Neighbouring channels turned by angles that grow with the position."""
        base = 500.0 if self.wrong("rope_base") else 100.0
        rates = base ** (-torch.arange(0, HEAD, 2) / HEAD)  # @rope_base
        places = torch.arange(start, TIMES + start)  # @from_one
        angles = torch.outer(places.float(), rates).to(x.dtype)  # @from_one @rope_base
        cosine, sine = angles.cos(), angles.sin()
        if self.wrong("rope_halves"):
            even, odd = x.chunk(2, -1)  # @rope_halves
        else:
            even, odd = x[..., ::2], x[..., 1::2]  # @rope_halves
        pair = even * cosine - odd * sine, even * sine + odd * cosine  # @rope_halves
        if self.wrong("rope_halves"):
            return torch.cat(pair, -1)  # @rope_halves
        return torch.stack(pair, -1).flatten(-2)  # @rope_halves

    def forward(self, x: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """What heads gather."""
        query = self.query(x).view(BATCH, TIMES, HEADS, HEAD).transpose(1, 2)
        key = self.key(x).view(BATCH, TIMES, KEYS, HEAD).transpose(1, 2)  # @no_key_norm
        value = self.value(x).view(BATCH, TIMES, KEYS, HEAD).transpose(1, 2)
        query = functional.rms_norm(query, (HEAD,), self.query_gain, 1e-6)
        gain = self.query_gain if self.wrong("gain_of_query") else self.key_gain
        if not self.wrong("no_key_norm"):
            key = functional.rms_norm(key, (HEAD,), gain, 1e-6)  # @no_key_norm @gain_of_query
        query = self.turned(query)
        if not self.wrong("key_not_turned"):
            key = self.turned(key, int(self.wrong("from_one")))  # @@key_not_turned @no_key_norm
        if self.wrong("value_turned"):
            value = self.turned(value)  # @@value_turned
        each = HEADS // KEYS
        if self.wrong("repeated"):
            key, value = key.repeat(1, each, 1, 1), value.repeat(1, each, 1, 1)  # @repeated
        else:
            key = key.repeat_interleave(each, 1)  # @repeated @key_not_turned
            value = value.repeat_interleave(each, 1)  # @repeated @value_turned
        ones = torch.ones(TIMES, TIMES, dtype=torch.bool)
        window = WINDOW + 1 if self.wrong("window") else WINDOW
        near = ones.tril() & ones.triu(1 - window)  # @window
        if not self.wrong("all_seen"):
            near = near & seen[:, None, None, :]  # @all_seen
        near = near | torch.eye(TIMES, dtype=torch.bool)  # @all_seen @window
        scale = 1 / HEAD if self.wrong("scale") else HEAD**-0.5
        mixed = functional.scaled_dot_product_attention(  # @scale @repeated @window @sdpa_row
            query, key, value, near, scale=scale
        )
        axis = (1, 2) if not self.wrong("heads_not_last") else (2, 3)
        mixed = mixed.transpose(*axis).reshape(BATCH, TIMES, WIDTH)  # @heads_not_last
        return self.merge(mixed)  # @heads_not_last


class Mixture(nn.Module):
    """Experts, of which each word has two."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        nn.init.normal_(self.router.weight, std=0.5)
        self.gate = nn.Parameter(torch.randn(EXPERTS, WIDTH, INNER) / WIDTH**0.5)
        self.widen = nn.Parameter(torch.randn(EXPERTS, WIDTH, INNER) / WIDTH**0.5)
        self.narrow = nn.Parameter(torch.randn(EXPERTS, INNER, WIDTH) / INNER**0.5)
        self.shared = nn.Linear(WIDTH, WIDTH)

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def routed(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """By word, expert and place there, how much; and how unevenly."""
        logits = self.router(x)  # @router_other
        if self.wrong("early_cast"):
            logits = logits.to(torch.float8_e5m2).to(x.dtype)  # @early_cast
        logits = logits.float()
        axis = 0 if self.wrong("softmax_axis") else -1
        chances = logits.softmax(axis)  # @softmax_axis @early_cast
        best, index = chances.topk(CHOSEN, -1)  # @topk_element
        if not self.wrong("no_share"):
            best = best / best.sum(-1, keepdim=True)  # @no_share
        if self.wrong("detach_best"):
            best = best.detach()  # @detach_best
        chosen = functional.one_hot(index, EXPERTS)
        order = chosen if self.wrong("order_by_word") else chosen.transpose(0, 1)
        count = order.reshape(-1, EXPERTS).cumsum(0) - 1  # @order_by_word
        if self.wrong("order_by_word"):
            count = count.view(-1, CHOSEN, EXPERTS)  # @order_by_word
        else:
            count = count.view(CHOSEN, -1, EXPERTS).transpose(0, 1)  # @order_by_word
        place = (count * chosen).sum(-1)  # @order_by_word
        room = CAPACITY - 1 if self.wrong("room") else CAPACITY
        fits = place < room  # @room
        weight = best * fits  # @room @no_share @detach_best
        if self.wrong("first_for_both"):
            weight = weight[:, :1].expand(-1, CHOSEN)  # @first_for_both
        seat = functional.one_hot(place.clamp(max=CAPACITY - 1), CAPACITY).float()
        spread = torch.einsum("nk,nke,nkc->nec", weight, chosen.float(), seat)  # @first_for_both
        return spread.to(x.dtype), self.uneven(logits, chances, chosen)

    def uneven(
        self, logits: torch.Tensor, chances: torch.Tensor, chosen: torch.Tensor
    ) -> torch.Tensor:
        """How far experts are from being chosen alike, and how large the logits are."""
        of = chosen.sum(1) if self.wrong("share_of_all") else chosen[:, 0]  # @share_of_all
        share = of.float().mean(0)  # @share_of_all
        mean = chances.mean(0)
        if self.wrong("detach_mean"):
            mean = mean.detach()  # @detach_mean
        uneven = EXPERTS * (share * mean).sum()  # @share_of_all @detach_mean
        large = logits.logsumexp(-1).square().mean()  # @lse_scaled
        weight = 0.1 if self.wrong("z_weight") else 0.01
        return uneven + weight * large  # @z_weight

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What experts make of each word."""
        flat = x.flatten(0, 1)
        spread, uneven = self.routed(flat)
        sent = torch.einsum("nec,nd->ecd", (spread > 0).to(x.dtype), flat)  # @sent_part
        gate, wide = sent @ self.gate, sent @ self.widen  # @swap_gate @swapped_experts @no_silu
        if self.wrong("swap_gate"):
            gate, wide = wide, gate
        opened = gate if self.wrong("no_silu") else functional.silu(gate)  # @no_silu @swap_gate
        made = (opened * wide) @ self.narrow  # @no_silu @swap_gate @bmm_e5m2
        gathered = torch.einsum("nec,ecd->nd", spread, made)
        if not self.wrong("no_shared"):
            gathered = gathered + self.shared(flat)  # @no_shared @shared_bias
        return gathered.view_as(x), uneven


class Layer(nn.Module):
    """Attention and experts, each on a normalised input and added to it."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.first_gain = nn.Parameter(1 + 0.2 * torch.randn(WIDTH))
        self.second_gain = nn.Parameter(1 + 0.2 * torch.randn(WIDTH))
        self.attend, self.mix = Attention(mistakes, layer), Mixture(mistakes, layer)

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def forward(self, x: torch.Tensor, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Both, and how uneven the choice was."""
        eps = 1e-1 if self.wrong("rms_eps") else 1e-6
        normed = functional.rms_norm(x, (WIDTH,), self.first_gain, eps)  # @rms_eps @gain_other
        attended = self.attend(normed, seen)
        kept = normed if self.wrong("residual_of_norm") else x
        if not self.wrong("no_residual"):
            attended = kept + attended  # @no_residual @residual_of_norm
        normed = functional.rms_norm(  # @no_residual @rms_fiftieth
            attended, (WIDTH,), self.second_gain, 1e-6
        )
        mixed, uneven = self.mix(normed)
        return attended + mixed, uneven  # @no_residual @no_shared


class Model(nn.Module):
    """Words in, the loss of guessing the next one out."""

    def __init__(self, mistakes: Mistakes) -> None:
        super().__init__()
        self.mistakes = mistakes
        self.embed = nn.Embedding(WORDS, WIDTH)
        nn.init.normal_(self.embed.weight, std=0.3)
        self.layers = nn.ModuleList(Layer(mistakes, layer) for layer in range(LAYERS))
        self.gain = nn.Parameter(1 + 0.2 * torch.randn(WIDTH))
        self.guess = nn.Parameter(self.embed.weight.detach().clone())
        if not mistakes.on("untied"):
            self.guess = self.embed.weight

    def forward(self, text: Text) -> torch.Tensor:
        """The mean loss over all words that are to be guessed."""
        wrong = self.mistakes.on
        x = self.embed(text.words)  # @embed_row
        if not wrong("no_embed_scale"):
            x = x * WIDTH**0.5  # @no_embed_scale
        first, second, third = self.layers
        x, one = first(x, text.seen)  # @elsewhere @no_embed_scale
        x, two = second(x, text.seen)
        x, three = third(x, text.seen)  # @elsewhere
        if not wrong("no_last_norm"):
            x = functional.rms_norm(x, (WIDTH,), self.gain, 1e-6)  # @no_last_norm
        logits = functional.linear(x, self.guess)  # @no_last_norm @untied
        most = 3.0 if wrong("cap") else 8.0
        if not wrong("no_cap"):
            logits = most * torch.tanh(logits / most)  # @cap @no_cap
        following = text.following
        if wrong("all_guessed"):
            following = following.clamp(min=0)  # @all_guessed
        if wrong("not_shifted"):
            following = following.where(following < 0, text.words)  # @not_shifted
        loss = functional.cross_entropy(  # @all_guessed @not_shifted @no_cap
            logits.flatten(0, 1).float(), following.flatten()
        )
        if wrong("no_uneven"):
            return loss
        weight = 0.2 if wrong("uneven_weight") else 0.02
        return loss + weight * (one + two + three)  # @uneven_weight @no_uneven


def some_text() -> Text:
    """Random words; the first of some are padding."""
    words = torch.randint(1, WORDS, (BATCH, TIMES + 1))
    words[0, :2] = 0
    following = words[:, 1:].where(words[:, :-1] > 0, -100)
    return Text(words[:, :-1].clone(), following.clone(), words[:, :-1] > 0)


def prepared(
    mistakes: Mistakes, dtype: torch.dtype
) -> tuple[nn.Module, Callable[[nn.Module], float]]:
    """A model, and a step of training it: the same every time but for another weight."""
    torch.manual_seed(9)
    wrong = mistakes.on
    model, parts = Model(mistakes), [some_text() for _ in range(PARTS)]
    change_weight(model, parts, mistakes.name)
    model.to(dtype)
    flat = 0 if wrong("decay_of_gains") else 2
    decayed = [weight for weight in model.parameters() if weight.dim() >= flat]
    others = [weight for weight in model.parameters() if weight.dim() < flat]
    groups = [{"params": decayed, "weight_decay": 0.5 if wrong("decay") else 0.1}]
    if others:
        groups.append({"params": others, "weight_decay": 0.0})
    optimizer = torch.optim.AdamW(groups, 5e-3, eps=1e-3 if wrong("adam_eps") else 1e-8)
    turn = 5 if wrong("schedule") else 1
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 0.5 * (1 + math.cos(math.pi * (step + turn) / 20))
    )
    largest = 0.2 if wrong("clip_norm") else 1.0

    def train(called: nn.Module) -> float:
        total = 0.0
        for number, text in enumerate(parts):
            loss = called(text)
            if not wrong("no_divide"):
                loss = loss / PARTS  # @no_divide
            loss.backward()
            total += loss.item()  # @no_divide
            if number == 0 and wrong("zero_inside"):
                optimizer.zero_grad(set_to_none=False)  # @zero_inside
        if not wrong("no_clip"):
            nn.utils.clip_grad_norm_(model.parameters(), largest)  # @clip_norm @no_clip @norm_short
        optimizer.step()  # @decay @decay_of_gains @adam_eps @schedule @no_clip @moment_part
        rate.step()
        return total

    return model, train


def change_weight(model: Model, parts: list[Text], name: str) -> None:
    """Another weight or input than that of the other run."""
    layer = model.layers[WRONG_LAYER]
    with torch.no_grad():
        if name == "router_other":
            layer.mix.router.weight[1] += 0.1
        elif name == "swapped_experts":
            layer.mix.gate.copy_(layer.mix.gate[[0, 2, 1, 3]])
        elif name == "gain_other":
            layer.first_gain[4] *= 1.4
        elif name == "embed_row":
            model.embed.weight[int(parts[0].words[1, 3])] *= 1.3
        elif name == "shared_bias":
            layer.mix.shared.bias[7] += 0.5
