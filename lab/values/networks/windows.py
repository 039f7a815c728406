"""A network for images: depthwise convolutions, attention in windows that are shifted, gates.

A comment ``@name`` marks the lines on which a mistake shows first, or those that read what it left
out; ``@@name`` calls that it leaves out, with all within them; ``@elsewhere`` calls within which
none is made.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from mistakes import WRONG_LAYER, Mistakes
from torch import nn
from torch.nn import functional

BATCH, COLOURS, SIZE, PATCH, WIDTH, HEADS, CLASSES = 3, 3, 16, 2, 16, 2, 7
SIDE, WINDOW, SHIFT, LAYERS, INNER = SIZE // PATCH, 4, 2, 3, 32
HEAD, EACH = WIDTH // HEADS, WINDOW * WINDOW
"""Channels of a head, places of a window."""


@dataclass
class Batch:
    """Images with what is on them, and what another network said of them."""

    images: torch.Tensor
    kinds: torch.Tensor
    teacher: torch.Tensor


def parted(x: torch.Tensor) -> torch.Tensor:
    """Windows one after the other, each with its places in a row."""
    many = SIDE // WINDOW
    x = x.view(-1, many, WINDOW, many, WINDOW, x.shape[-1])
    return x.transpose(2, 3).reshape(-1, EACH, x.shape[-1])


def joined(x: torch.Tensor, wrong: bool) -> torch.Tensor:
    """Windows as an image again."""
    many = SIDE // WINDOW
    x = x.view(-1, many, many, WINDOW, WINDOW, x.shape[-1])
    if not wrong:
        x = x.transpose(2, 3)  # @not_joined
    return x.reshape(-1, SIDE, SIDE, x.shape[-1])  # @not_joined


def offsets() -> torch.Tensor:
    """Of each two places of a window the row of a table, by how they lie to each other."""
    lines = torch.arange(EACH) // WINDOW
    columns = torch.arange(EACH) % WINDOW
    down = lines[:, None] - lines + WINDOW - 1
    right = columns[:, None] - columns + WINDOW - 1
    return down * (2 * WINDOW - 1) + right


def strangers(shift: int) -> torch.Tensor:
    """Of each two places of a window whether they meet by the shift alone."""
    edge = torch.arange(SIDE)
    part = (edge >= SIDE - WINDOW).long() + (edge >= SIDE - shift).long()
    regions = parted((part[:, None] * 3 + part)[None, :, :, None]).squeeze(-1)
    return regions[:, :, None] != regions[:, None, :]


class Attention(nn.Module):
    """Places of a window look at each other, by the angle between query and key."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.merge = nn.Linear(WIDTH, WIDTH)
        self.sharp = nn.Parameter(torch.tensor([1.5, 2.5]).view(HEADS, 1, 1))
        self.table = nn.Parameter(0.5 * torch.randn((2 * WINDOW - 1) ** 2, HEADS))
        self.register_buffer("offsets", offsets(), persistent=False)
        self.shift = SHIFT if layer % 2 else 0

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def scores(self, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
        """How far each place looks at each other."""
        query = functional.normalize(query, dim=-1)  # @swap_qk
        if not self.wrong("key_not_normed"):
            key = functional.normalize(key, dim=-1)  # @key_not_normed @swap_qk
        most = 5.0 if self.wrong("sharp_bound") else 10.0
        sharp = self.sharp.clamp(max=math.log(most)).exp()  # @sharp_bound
        if self.wrong("detach_sharp"):
            sharp = sharp.detach()  # @detach_sharp
        scores = query @ key.transpose(-2, -1)  # @key_not_normed @swap_qk @scores_element
        if not self.wrong("not_sharp"):
            scores = scores * sharp  # @not_sharp @detach_sharp
        if self.wrong("early_cast"):
            scores = scores.to(torch.float8_e4m3fn).to(query.dtype)  # @early_cast
        places = self.offsets.t() if self.wrong("table_turned") else self.offsets  # @table_turned
        bias = self.table[places].permute(2, 0, 1)  # @table_turned @table_other
        if not self.wrong("no_table"):
            scores = scores + bias  # @no_table @early_cast @not_sharp
        return scores

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """What is gathered, at its place."""
        shift = 1 if self.wrong("shift_one") else self.shift
        if shift and not self.wrong("not_shifted"):
            x = torch.roll(x, (-shift, -shift), (1, 2))  # @shift_one @not_shifted
        rows = parted(x)  # @not_shifted
        three = self.project(rows).view(-1, EACH, 3, HEADS, HEAD)  # @qkv_other @qkv_part
        query, key, value = three.permute(2, 0, 3, 1, 4).unbind()  # @swap_qk
        if self.wrong("swap_qk"):
            query, key = key, query
        scores = self.scores(query, key)
        if shift and not self.wrong("no_mask"):
            apart = strangers(shift)[:, None]
            low = -1.0 if self.wrong("mask_number") else float("-inf")
            scores = scores.view(BATCH, -1, HEADS, EACH, EACH)
            scores = scores.masked_fill(apart, low).flatten(0, 1)  # @no_mask @mask_number @no_table
        axis = -2 if self.wrong("softmax_axis") else -1
        weights = scores.softmax(axis)  # @softmax_axis @no_mask @softmax_part
        if self.wrong("dropout"):
            weights = functional.dropout(weights, 0.1)  # @dropout
        mixed = weights @ value  # @dropout
        if not self.wrong("heads_not_last"):
            mixed = mixed.transpose(1, 2)  # @heads_not_last
        mixed = self.merge(mixed.reshape(-1, EACH, WIDTH))  # @heads_not_last
        mixed = joined(mixed, self.wrong("not_joined"))
        back = -shift if self.wrong("shifted_on") else shift
        if shift and not self.wrong("not_shifted_back"):
            mixed = torch.roll(mixed, (back, back), (1, 2))  # @shifted_on @not_shifted_back
        return mixed


class Perceptron(nn.Module):
    """Wider and narrower again; channels compete, and the whole image opens gates."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.widen, self.narrow = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.gain = nn.Parameter(0.5 * torch.randn(INNER))
        self.offset = nn.Parameter(0.1 * torch.randn(INNER))
        self.squeeze, self.excite = nn.Linear(INNER, 8), nn.Linear(8, INNER)

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def competed(self, x: torch.Tensor) -> torch.Tensor:
        """Each channel by its share of the response."""
        axes = (3,) if self.wrong("response_axis") else (1, 2)
        response = torch.linalg.vector_norm(x, dim=axes, keepdim=True)  # @response_axis
        axis = 1 if self.wrong("mean_axis") else -1
        share = response / (response.mean(axis, keepdim=True) + 1e-6)  # @mean_axis
        if self.wrong("response_only"):
            return self.gain * (x * share) + self.offset  # @response_only
        return self.gain * (x * share) + self.offset + x  # @response_only @gain_other

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Of every place."""
        wide = self.widen(x)
        kind = "tanh" if self.wrong("gelu_tanh") else "none"
        opened = wide
        if not self.wrong("no_gelu"):
            opened = functional.gelu(wide, approximate=kind)  # @gelu_tanh @no_gelu @gelu_f8
        if not self.wrong("not_competed"):
            opened = self.competed(opened)  # @@not_competed @no_gelu
        read = wide if self.wrong("gate_of_wide") else opened
        pooled = read.mean((1, 2))  # @gate_of_wide @not_competed @pooled_short
        told = self.squeeze(pooled)
        if not self.wrong("no_gate_relu"):
            told = functional.relu(told)  # @no_gate_relu
        gate = self.excite(told).sigmoid()  # @excite_other @no_gate_relu
        if self.wrong("detach_gate"):
            gate = gate.detach()  # @detach_gate
        if not self.wrong("no_gate"):
            opened = opened * gate[:, None, None]  # @no_gate @detach_gate @not_competed
        return self.narrow(opened)  # @no_gate


class Block(nn.Module):
    """A convolution of every channel, attention, a perceptron."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.conv = nn.Conv2d(WIDTH, WIDTH, 5, padding=2, groups=WIDTH)
        self.first_norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.first_scale = nn.Parameter(0.6 + 0.2 * torch.rand(WIDTH))
        self.second_scale = nn.Parameter(0.6 + 0.2 * torch.rand(WIDTH))
        self.attend, self.perceive = Attention(mistakes, layer), Perceptron(mistakes, layer)
        with torch.no_grad():
            for norm in (self.first_norm, self.second_norm):
                norm.weight.add_(0.2 * torch.randn(WIDTH))
                norm.bias.add_(0.2 * torch.randn(WIDTH))

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """All three, each added to what came in; channels last."""
        image = x.permute(0, 3, 1, 2)
        if self.wrong("pad_mirrored"):
            image = functional.pad(image, (2, 2, 2, 2), mode="reflect")  # @pad_mirrored
        seen = functional.conv2d(  # @pad_mirrored @conv_other @conv_bf16 @no_conv_bias
            image,
            self.conv.weight,
            None if self.wrong("no_conv_bias") else self.conv.bias,
            padding=0 if self.wrong("pad_mirrored") else 2,
            groups=WIDTH,
        )
        x = x + seen.permute(0, 2, 3, 1)  # @pad_mirrored
        norm = self.first_norm
        eps = 1e-2 if self.wrong("ln_eps") else 1e-6
        normed = functional.layer_norm(  # @ln_eps @ln_other @ln_fiftieth
            x, (WIDTH,), norm.weight, norm.bias, eps
        )
        attended = self.attend(normed)
        scale = self.second_scale if self.wrong("other_scale") else self.first_scale
        if not self.wrong("no_scale"):
            attended = attended * scale  # @other_scale @no_scale
        kept = normed if self.wrong("residual_of_norm") else x
        if not self.wrong("no_residual"):
            attended = kept + attended  # @residual_of_norm @no_residual @no_scale
        normed = attended
        if not self.wrong("no_second_norm"):
            normed = self.second_norm(attended)  # @no_second_norm @no_residual
        perceived = self.perceive(normed)  # @@no_second_norm
        return torch.addcmul(attended, perceived, self.second_scale)  # @scale_swapped


class Model(nn.Module):
    """Images in, what is on them out."""

    def __init__(self, mistakes: Mistakes) -> None:
        super().__init__()
        self.mistakes = mistakes
        self.enter = nn.Conv2d(COLOURS, WIDTH, PATCH, stride=PATCH)
        self.enter_norm = nn.LayerNorm(WIDTH, eps=1e-6)
        self.blocks = nn.ModuleList(Block(mistakes, layer) for layer in range(LAYERS))
        self.power = nn.Parameter(torch.tensor(3.0))
        self.last_norm = nn.LayerNorm(WIDTH, eps=1e-6)
        self.classify = nn.Linear(WIDTH, CLASSES)

    def pooled(self, x: torch.Tensor) -> torch.Tensor:
        """A mean of powers over all places."""
        wrong = self.mistakes.on
        least = 1e-1 if wrong("pool_bound") else 1e-3
        x = x.clamp(min=least).pow(self.power)  # @pool_bound @pow_scaled
        x = x.amax((1, 2)) if wrong("pool_largest") else x.mean((1, 2))  # @pool_largest
        if wrong("no_root"):
            return x
        return x.pow(1 / self.power)  # @no_root

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """How likely each kind is, as logits."""
        wrong = self.mistakes.on
        x = self.enter(images).permute(0, 2, 3, 1)  # @enter_other
        if not wrong("no_enter_norm"):
            x = self.enter_norm(x)  # @no_enter_norm
        first, second, third = self.blocks
        x = first(x)  # @elsewhere @no_enter_norm
        x = second(x)
        x = third(x)  # @elsewhere
        pooled = self.pooled(x)
        if not wrong("norm_left_out"):
            pooled = self.last_norm(pooled)  # @norm_left_out @no_root
        return self.classify(pooled)  # @norm_left_out @head_bias


def loss_of(
    logits: torch.Tensor, batch: Batch, share: float, wrong: Callable[[str], bool]
) -> torch.Tensor:
    """Cross entropy with targets that are mixed and smooth, and the distance from the teacher."""
    hard = functional.one_hot(batch.kinds, CLASSES).float()
    smooth = 0.2 if wrong("smoothing") else 0.1
    soft = hard * (1 - smooth) + smooth / CLASSES  # @smoothing
    if not wrong("targets_not_mixed"):
        soft = share * soft + (1 - share) * soft.flip(0)  # @targets_not_mixed
    guessed = functional.log_softmax(logits.float(), -1)
    hit = -(soft * guessed).sum(-1)  # @targets_not_mixed
    hit = hit.sum() if wrong("sum") else hit.mean()  # @sum
    warm = 2.0 if wrong("temperature") else 4.0
    told = batch.teacher.flip(0) if wrong("teacher_turned") else batch.teacher  # @teacher_turned
    right = functional.softmax(told.float() / warm, -1)  # @temperature @teacher_turned
    warm_guess = functional.log_softmax(logits.float() / warm, -1)  # @temperature
    how = "mean" if wrong("mean_of_all") else "batchmean"
    far = functional.kl_div(warm_guess, right, reduction=how)  # @mean_of_all @teacher_turned
    if not wrong("no_square"):
        far = far * warm**2  # @no_square @temperature
    weight = 0.5 if wrong("teacher_weight") else 0.2
    return hit + weight * far  # @teacher_weight @no_square


class Lion:
    """Steps of one size, by the sign of the mean of gradients, with averaged weights."""

    def __init__(self, model: nn.Module, mistakes: Mistakes) -> None:
        self.wrong = mistakes.on
        self.weights = list(model.parameters())
        self.means = [0.05 * torch.randn_like(weight) for weight in self.weights]
        self.averages = [weight.detach().clone() for weight in self.weights]
        if self.wrong("mean_other"):
            self.means[20].zero_()

    @torch.no_grad()
    def clip(self) -> None:
        """No gradient is longer than a part of its weight."""
        part = 0.02 if self.wrong("clip_part") else 0.1
        for weight in (weight for weight in self.weights if weight.grad is not None):
            size = weight.norm().clamp(min=1e-3)
            if self.wrong("clip_by_largest"):
                length = weight.grad.abs().amax()  # @clip_by_largest
            else:
                length = weight.grad.norm()  # @clip_by_largest @norm_short
            weight.grad.mul_((part * size / (length + 1e-6)).clamp(max=1.0))  # @clip_part

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """Weights by the signs, then means, then averages."""
        moved = [place for place, one in enumerate(self.weights) if one.grad is not None]
        weights, means = ([of[place] for place in moved] for of in (self.weights, self.means))
        grads = [weight.grad for weight in weights]
        first, second = (0.99, 0.9) if self.wrong("betas_swapped") else (0.9, 0.99)
        if self.wrong("mean_first"):
            torch._foreach_lerp_(means, grads, 1 - second)  # @mean_first
        steps = torch._foreach_mul(means, first)  # @betas_swapped @mean_other @mean_first
        torch._foreach_add_(steps, grads, alpha=1 - first)  # @betas_swapped @mean_first @no_clip
        if not self.wrong("no_sign"):
            torch._foreach_sign_(steps)  # @no_sign
        flat = 0 if self.wrong("decay_of_gains") else 2
        decay = 0.5 if self.wrong("decay") else 0.1
        for weight, step in zip(weights, steps, strict=True):
            if weight.dim() >= flat:
                weight.mul_(1 - rate * decay)  # @decay @decay_of_gains
            weight.add_(step, alpha=-rate)  # @decay_of_gains @no_sign @rate
        if not self.wrong("mean_first"):
            torch._foreach_lerp_(means, grads, 1 - second)  # @betas_swapped @no_clip

    @torch.no_grad()
    def average(self) -> None:
        """Follow the weights slowly."""
        share = 0.1 if self.wrong("average_share") else 0.01
        for mean, weight in zip(self.averages, self.weights, strict=True):
            mean.lerp_(weight, share)  # @average_share @average_early @average_part


def some_images(dtype: torch.dtype) -> Batch:
    """Random ones."""
    images = torch.randn(BATCH, COLOURS, SIZE, SIZE).to(dtype)
    kinds = torch.tensor([2, 5, 0])
    return Batch(images, kinds, (2 * torch.randn(BATCH, CLASSES)).to(dtype))


def prepared(
    mistakes: Mistakes, dtype: torch.dtype
) -> tuple[nn.Module, Callable[[nn.Module], float]]:
    """A model, and a step of training it: the same every time but for another weight."""
    torch.manual_seed(11)
    wrong = mistakes.on
    model, batch = Model(mistakes), some_images(dtype)
    change_weight(model, batch, mistakes.name)
    model.to(dtype)
    lion = Lion(model, mistakes)
    torch.manual_seed(12)

    def train(called: nn.Module) -> float:
        share = 0.6 if wrong("share") else 0.8
        images = share * batch.images + (1 - share) * batch.images.flip(0)  # @share @image_other
        loss = loss_of(called(images), batch, 0.8, wrong)
        loss.backward()
        if not wrong("no_clip"):
            lion.clip()  # @@no_clip
        if wrong("average_early"):
            lion.average()
        lion.step(4e-3 if wrong("rate") else 2e-3)
        if not wrong("average_early"):
            lion.average()
        return loss.item()

    return model, train


def change_weight(model: Model, batch: Batch, name: str) -> None:
    """Another weight or input than that of the other run."""
    block = model.blocks[WRONG_LAYER]
    norm, gates, sharing = block.first_norm, block.perceive, block.attend
    changes: dict[str, Callable[[], object]] = {
        "conv_other": lambda: block.conv.weight.copy_(block.conv.weight.flip(2, 3)),
        "table_other": lambda: sharing.table[24].add_(1.0),
        "qkv_other": lambda: sharing.project.weight[WIDTH : 2 * WIDTH].mul_(1.3),
        "ln_other": lambda: norm.bias[3].add_(0.5),
        "gain_other": lambda: gates.gain.copy_(gates.gain.roll(1)),
        "excite_other": lambda: gates.excite.bias.add_(0.3),
        "scale_swapped": lambda: block.second_scale.copy_(block.first_scale),
        "enter_other": lambda: model.enter.weight.copy_(model.enter.weight.flip(1)),
        "head_bias": model.classify.bias.zero_,
        "image_other": lambda: batch.images[1, 2].add_(0.3),
    }
    with torch.no_grad():
        if name in changes:
            changes[name]()
