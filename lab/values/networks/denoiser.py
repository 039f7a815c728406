"""A network that takes noise out of images: two resolutions, joined by skips, told the time.

A comment ``@name`` marks the lines on which a mistake shows first, or those that read what it left
out; ``@elsewhere`` calls within which none is made.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from mistakes import WRONG_LAYER, Mistakes
from torch import nn
from torch.nn import functional

BATCH, COLOURS, SIZE, WIDTH, TIME, GROUPS, TIMES, CLASSES = 3, 2, 8, 8, 16, 4, 50, 5


@dataclass
class Batch:
    """Images with what was drawn for them."""

    images: torch.Tensor
    kinds: torch.Tensor
    times: torch.Tensor
    noise: torch.Tensor
    kept: torch.Tensor
    """Of each time how much of an image is left."""


class Block(nn.Module):
    """Two convolutions, with the time between them."""

    def __init__(self, mistakes: Mistakes, layer: int, into: int, out: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.first_norm, self.second_norm = nn.GroupNorm(GROUPS, into), nn.GroupNorm(GROUPS, out)
        with torch.no_grad():
            self.first_norm.weight.add_(0.2 * torch.randn(into))
            self.second_norm.bias.add_(0.2 * torch.randn(out))
        self.first = nn.Conv2d(into, out, 3, padding=1)
        self.second = nn.Conv2d(out, out, 3, padding=1)
        self.time = nn.Linear(TIME, 2 * out)
        self.across = nn.Conv2d(into, out, 1)

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        """Both convolutions, added to what came in."""
        norm = self.first_norm
        eps = 1e-1 if self.wrong("gn_eps") else 1e-5
        groups = 2 if self.wrong("gn_groups") else GROUPS
        normed = functional.group_norm(  # @gn_eps @gn_groups @gain_other @gn_fiftieth
            x, groups, norm.weight, norm.bias, eps
        )
        h = self.first(functional.silu(normed))  # @silu_f8
        told = time if self.wrong("no_time_silu") else functional.silu(time)  # @no_time_silu
        scale, shift = self.time(told).chunk(2, 1)  # @no_time_silu @time_bias @swap_scale
        if self.wrong("swap_scale"):
            scale, shift = shift, scale
        normed = h if self.wrong("no_second_norm") else self.second_norm(h)  # @no_second_norm
        one = 0.0 if self.wrong("scale_around_zero") else 1.0
        if not self.wrong("no_time"):
            around = scale[:, :, None, None] + one  # @scale_around_zero @no_time @swap_scale
            normed = torch.addcmul(  # @no_time @swap_scale @no_second_norm
                shift[:, :, None, None],  # @swap_scale
                normed,
                around,
            )
        h = functional.silu(normed)  # @no_time
        bias = None if self.wrong("no_bias") else self.second.bias
        pad = 1
        if self.wrong("pad_round"):
            h, pad = functional.pad(h, (1, 1, 1, 1), mode="circular"), 0  # @pad_round
        h = functional.conv2d(  # @no_bias @conv_other @pad_round @conv_bf16
            h, self.second.weight, bias, padding=pad
        )
        if self.wrong("no_shortcut"):
            return h
        read = functional.silu(x) if self.wrong("shortcut_late") else x  # @shortcut_late
        return self.across(read) + h  # @no_shortcut @shortcut_late


class Attention(nn.Module):
    """Every place looks at all others."""

    def __init__(self, mistakes: Mistakes, width: int) -> None:
        super().__init__()
        self.mistakes, self.width = mistakes, width
        self.norm = nn.GroupNorm(GROUPS, width)
        self.project = nn.Conv1d(width, 3 * width, 1)
        self.merge = nn.Conv1d(width, width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Added to what came in."""
        wrong = self.mistakes.on
        flat = x.flatten(2)
        query, key, value = self.project(self.norm(flat)).chunk(3, 1)  # @swap_qk @value_of_key
        if wrong("swap_qk"):
            query, key = key, query
        power = -1.0 if wrong("attn_scale") else -0.5
        scores = torch.einsum("bci,bcj->bij", query, key)  # @swap_qk @scores_element
        scores = scores * self.width**power  # @attn_scale
        axis = 1 if wrong("softmax_axis") else -1
        weights = scores.softmax(axis)  # @softmax_axis
        if wrong("detach_weights"):
            weights = weights.detach()  # @detach_weights
        spread = "bji,bcj->bci" if wrong("weights_transposed") else "bij,bcj->bci"
        read = key if wrong("value_of_key") else value
        mixed = torch.einsum(  # @weights_transposed @detach_weights @value_of_key
            spread, weights, read
        )
        mixed = self.merge(mixed)  # @weights_transposed @value_of_key
        if wrong("no_attn_residual"):
            return mixed.view_as(x)
        return x + mixed.view_as(x)  # @no_attn_residual


class Model(nn.Module):
    """Images with noise in, the loss of guessing it out."""

    def __init__(self, mistakes: Mistakes) -> None:
        super().__init__()
        self.mistakes = mistakes
        self.enter = nn.Conv2d(COLOURS, WIDTH, 3, padding=1)
        self.kinds = nn.Embedding(CLASSES, TIME)
        self.widen, self.narrow = nn.Linear(TIME, 2 * TIME), nn.Linear(2 * TIME, TIME)
        self.fine = Block(mistakes, 0, WIDTH, WIDTH)
        self.down = nn.Conv2d(WIDTH, WIDTH, 3, stride=2, padding=1)
        self.coarse = Block(mistakes, 1, WIDTH, 2 * WIDTH)
        self.attend = Attention(mistakes, 2 * WIDTH)
        self.up = nn.Conv2d(2 * WIDTH, WIDTH, 3, padding=1)
        self.join = Block(mistakes, 2, 2 * WIDTH, WIDTH)
        self.last_norm = nn.GroupNorm(GROUPS, WIDTH)
        self.leave = nn.Conv2d(WIDTH, COLOURS, 3, padding=1)

    def clock(self, times: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
        """Times as waves, and what is on the image."""
        wrong = self.mistakes.on
        longest = 1000.0 if wrong("longest_wave") else 10000.0
        half = TIME // 2
        rates = torch.exp(-math.log(longest) * torch.arange(half) / half)  # @longest_wave
        angles = times[:, None].float() * rates  # @longest_wave
        waves = [torch.sin(angles), torch.cos(angles)]
        if wrong("cos_first"):
            waves.reverse()
        embedded = torch.cat(waves, -1).to(self.widen.weight.dtype)  # @cos_first
        told = self.narrow(functional.silu(self.widen(embedded)))
        if wrong("no_kind"):
            return told
        return told + self.kinds(kinds)  # @no_kind @kind_row

    def forward(self, noised: torch.Tensor, batch: Batch) -> torch.Tensor:
        """The noise that is guessed."""
        wrong = self.mistakes.on
        time = self.clock(batch.times, batch.kinds)
        entered = self.enter(noised)
        fine = self.fine(entered, time)  # @elsewhere
        x = self.down(fine)
        x = self.coarse(x, time)
        x = self.attend(x)  # @no_shortcut @no_time_silu
        mode = "bilinear" if wrong("bilinear") else "nearest"
        x = functional.interpolate(x, scale_factor=2, mode=mode)  # @bilinear @upsampled_part
        x = self.up(x)  # @bilinear @no_attn_residual
        skip = entered if wrong("skip_early") else fine
        if wrong("detach_skip"):
            skip = skip.detach()  # @detach_skip
        both = [skip, x] if wrong("skip_first") else [x, skip]
        x = torch.cat(both, 1)  # @skip_first @skip_early @detach_skip
        x = self.join(x, time)  # @elsewhere
        return self.leave(functional.silu(self.last_norm(x)))


def noised_of(batch: Batch, wrong: Callable[[str], bool]) -> tuple[torch.Tensor, torch.Tensor]:
    """Images with noise, and how much weight their loss has."""
    steps = batch.images * 15.5
    images = steps.floor() if wrong("floor") else steps.round()  # @floor
    images = images / 15.5  # @floor
    times = batch.times - 1 if wrong("time_before") else batch.times  # @time_before
    kept = batch.kept[times][:, None, None, None]  # @time_before @kept_other
    left = kept if wrong("no_root") else kept.sqrt()  # @no_root
    noised = left * images + (1 - kept).sqrt() * batch.noise  # @no_root @noise_other @kept_other
    ratio = kept / (1 - kept)
    bound = 1.0 if wrong("snr_bound") else 5.0
    weight = ratio.clamp(max=bound) / ratio  # @snr_bound
    return noised, weight


def some_images() -> Batch:
    """Random ones, and a schedule of noise as a cosine."""
    images = torch.rand(BATCH, COLOURS, SIZE, SIZE) * 2 - 1
    noise = torch.randn(BATCH, COLOURS, SIZE, SIZE)
    kinds = torch.randint(CLASSES, (BATCH,))
    times = torch.tensor([4, 17, 38])
    kept = torch.cos((torch.arange(TIMES) / TIMES + 0.02) / 1.04 * math.pi / 2).square()
    return Batch(images, kinds, times, noise, kept)


def prepared(
    mistakes: Mistakes, dtype: torch.dtype
) -> tuple[nn.Module, Callable[[nn.Module], float]]:
    """A model, and a step of training it: the same every time but for another weight."""
    torch.manual_seed(7)
    wrong = mistakes.on
    model, batch = Model(mistakes), some_images()
    averaged = copy.deepcopy(model)
    change_weight(model, averaged, batch, mistakes.name)
    model.to(dtype)
    averaged.to(dtype)
    for name in ("images", "noise", "kept"):
        setattr(batch, name, getattr(batch, name).to(dtype))
    optimizer = torch.optim.Adam(
        model.parameters(), 1e-2, (0.9, 0.9 if wrong("second_beta") else 0.99)
    )
    start = 0.5 if wrong("warm_up") else 0.1
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, start, total_iters=10)

    def average() -> None:
        rate = 0.1 if wrong("ema_decay") else 0.01
        with torch.no_grad():
            for mean, weight in zip(averaged.parameters(), model.parameters(), strict=True):
                mean.lerp_(weight, rate)  # @ema_decay @ema_early @ema_start

    def train(called: nn.Module) -> float:
        noised, weight = noised_of(batch, wrong)
        guessed = called(noised, batch)
        target = batch.images if wrong("guess_image") else batch.noise
        error = (guessed - target).square()  # @guess_image
        axes = (2, 3) if wrong("mean_of_places") else (1, 2, 3)
        error = error.mean(axes)  # @mean_of_places
        if wrong("mean_of_places"):
            error = error.sum(1)  # @mean_of_places
        if not wrong("no_weight"):
            error = error * weight.flatten()  # @no_weight
        loss = error.sum() if wrong("sum") else error.mean()  # @sum @no_weight
        loss.backward()
        if wrong("ema_early"):
            average()
        optimizer.step()  # @second_beta @warm_up
        schedule.step()
        if not wrong("ema_early"):
            average()
        return loss.item()

    return model, train


def change_weight(model: Model, averaged: Model, batch: Batch, name: str) -> None:
    """Another weight or input than that of the other run."""
    layer = (model.fine, model.coarse, model.join)[WRONG_LAYER]
    with torch.no_grad():
        if name == "conv_other":
            layer.second.weight.copy_(layer.second.weight.transpose(2, 3).clone())
        elif name == "gain_other":
            layer.first_norm.weight[3] *= 1.5
        elif name == "time_bias":
            layer.time.bias[5] += 0.5
        elif name == "kept_other":
            batch.kept.copy_(torch.linspace(0.98, 0.02, TIMES))
        elif name == "noise_other":
            batch.noise[1, 0, 2] = 0.0
        elif name == "kind_row":
            model.kinds.weight[int(batch.kinds[1])] *= -1
        elif name == "ema_start":
            averaged.up.weight.zero_()
