"""The painter under MindSpore: down, a look at the words, and up again with what was kept."""

from __future__ import annotations

import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops

from lab.bugs import Bug, Variant
from lab.mindspore_networks.weights import weight

BATCH, COLOURS, SIDE, CHANNELS, DEEP = 2, 3, 8, 8, 16
WORDS, LENGTH, WIDTH, GROUPS = 20, 5, 12, 4

HELD_OUT = True
BUGS = (
    Bug("same_skip", "wiring", "last", ("jit_forward",)),
    Bug("lost_residual", "missing op", "attention", ("jit_step",)),
    Bug("no_time", "missing op", "deep", ("jit_forward",)),
    Bug("squashed_skip", "extra op", "last", ("jit_forward",), shows="Tanh"),
)
VARIANTS = (Variant("jit_forward"), Variant("jit_step"))


def kernel(written: int, read: int, side: int, seed: int) -> Parameter:
    """The weights of a convolution, as small as all that one place reads wants them."""
    values = weight(written, read * side * side, seed=seed).asnumpy()
    return Parameter(Tensor(values.reshape(written, read, side, side)))


class Norm(nn.Cell):
    """Zero mean and unit variance over the channels of a group, scaled and shifted."""

    def __init__(self, channels: int, seed: int):
        super().__init__()
        self.channels = channels
        self.scale = weight(1, channels, 1, 1, seed=seed)
        self.shift = weight(1, channels, 1, 1, seed=seed + 1)

    def construct(self, x):
        """Normalise."""
        grouped = mint.reshape(x, (BATCH, GROUPS, -1))
        grouped = grouped - mint.mean(grouped, -1, True)
        grouped = grouped * mint.rsqrt(mint.mean(grouped * grouped, -1, True) + 1e-5)
        return mint.reshape(grouped, x.shape) * self.scale + self.shift


class Block(nn.Cell):
    """A convolution of what a group norm leaves, and the time, added to the input."""

    def __init__(self, lab, place: str, read: int, written: int, seed: int):
        super().__init__()
        self.norm = Norm(read, seed)
        self.refine = kernel(written, read, 3, seed=seed + 2)
        self.tell = weight(written, WIDTH, seed=seed + 3)
        self.shortcut = kernel(written, read, 1, seed=seed + 4)
        self.no_time = lab.broken("no_time", place)

    def construct(self, x, time):
        """The input, and what the convolution adds to it."""
        y = ops.conv2d(
            mint.nn.functional.silu(self.norm(x)), self.refine, padding=1, pad_mode="pad"
        )
        if not self.no_time:
            told = mint.nn.functional.linear(time, self.tell)  # site: no_time
            y = y + mint.reshape(told, (BATCH, -1, 1, 1))  # site: no_time
        return ops.conv2d(x, self.shortcut) + y


class CrossAttention(nn.Cell):
    """Every place of the picture looks at every word that is no padding."""

    def __init__(self, lab):
        super().__init__()
        self.norm = Norm(DEEP, 300)
        self.query, self.merge = weight(DEEP, DEEP, seed=310), weight(DEEP, DEEP, seed=311)
        self.key, self.value = weight(DEEP, WIDTH, seed=312), weight(DEEP, WIDTH, seed=313)
        self.lost_residual = lab.broken("lost_residual", "attention")

    def construct(self, x, words, mask):
        """The picture, and what the words add to it."""
        places = mint.permute(mint.reshape(self.norm(x), (BATCH, DEEP, -1)), (0, 2, 1))
        query = mint.nn.functional.linear(places, self.query)
        key = mint.nn.functional.linear(words, self.key)
        value = mint.nn.functional.linear(words, self.value)
        scores = mint.matmul(query, mint.permute(key, (0, 2, 1))) * DEEP**-0.5 + mask
        mixed = mint.matmul(mint.nn.functional.softmax(scores, dim=-1), value)
        seen = mint.permute(mint.nn.functional.linear(mixed, self.merge), (0, 2, 1))
        seen = mint.reshape(seen, x.shape)
        if not self.lost_residual:
            seen = x + seen  # site: lost_residual@attention
        return seen


class Network(nn.Cell):
    """A noisy picture, its time and its words in; the loss of guessing what it shows out."""

    def __init__(self, lab):
        super().__init__()
        self.words, self.positions = weight(WORDS, WIDTH, seed=1), weight(LENGTH, WIDTH, seed=2)
        self.time = weight(WIDTH, WIDTH, seed=3)
        self.open = kernel(CHANNELS, COLOURS, 3, seed=4)
        self.shrink = kernel(DEEP, CHANNELS, 2, seed=5)
        self.enlarge = kernel(4 * CHANNELS, DEEP, 1, seed=6)
        self.down = Block(lab, "down", CHANNELS, CHANNELS, 100)
        self.deep = Block(lab, "deep", DEEP, DEEP, 200)
        self.attention = CrossAttention(lab)
        self.up = Block(lab, "up", 2 * CHANNELS, CHANNELS, 400)
        self.last = Block(lab, "last", 2 * CHANNELS, CHANNELS, 500)
        self.guess = weight(WIDTH, CHANNELS, seed=7)
        self.same_skip = lab.broken("same_skip", "last")
        self.squashed_skip = lab.broken("squashed_skip", "last")

    def enlarged(self, x):
        """Twice as many places a side, from four times as many channels."""
        x = mint.reshape(ops.conv2d(x, self.enlarge), (BATCH, CHANNELS, 2, 2, SIDE // 2, SIDE // 2))
        return mint.reshape(mint.permute(x, (0, 1, 4, 2, 5, 3)), (BATCH, CHANNELS, SIDE, SIDE))

    def construct(self, picture, waves, words, mask, targets):
        """The mean loss; the words are guessed with the table they were read from."""
        time = mint.nn.functional.silu(mint.nn.functional.linear(waves, self.time))
        told = ops.gather(self.words, words, 0) + self.positions
        opened = ops.conv2d(picture, self.open, padding=1, pad_mode="pad")
        kept = self.down(opened, time)  # at: down
        x = self.deep(ops.conv2d(kept, self.shrink, stride=2), time)  # at: deep
        x = self.attention(x, told, mask)
        x = self.up(mint.cat((self.enlarged(x), kept), 1), time)  # at: up
        skip = kept if self.same_skip else opened
        if self.squashed_skip:
            skip = mint.tanh(skip)  # site: squashed_skip@last
        x = mint.cat((x, skip), 1)  # site: same_skip@last
        x = self.last(x, time)  # at: last
        guessed = mint.nn.functional.linear(mint.mean(x, (2, 3)), self.guess)
        logits = mint.nn.functional.linear(guessed, self.words)
        likely = mint.log(mint.nn.functional.softmax(logits, dim=-1))
        return -mint.mean(mint.sum(likely * targets, -1))


def inputs() -> list[np.ndarray]:
    """A picture, the waves of its time, words, which may be looked at, one as a hot one."""
    random = np.random.default_rng(5)
    picture = random.standard_normal((BATCH, COLOURS, SIDE, SIDE)).astype(np.float32)
    waves = np.sin(random.standard_normal((BATCH, WIDTH))).astype(np.float32)
    words = random.integers(WORDS, size=(BATCH, LENGTH)).astype(np.int32)
    mask = np.zeros((BATCH, 1, LENGTH), np.float32)
    mask[1, :, -2:] = -1e4
    return [picture, waves, words, mask, np.eye(WORDS, dtype=np.float32)[words[:, 0]]]
