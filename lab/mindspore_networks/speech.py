"""A recogniser under MindSpore: two dense blocks over frames, a GRU in both directions."""

from __future__ import annotations

import mindspore as ms
import numpy as np
from mindspore import mint, nn

from lab.bugs import Bug, Variant
from lab.mindspore_networks.weights import weight

BATCH, FRAMES, BANDS, CHANNELS, STATE, LETTERS = 2, 3, 8, 10, 6, 5

BUGS = (
    Bug("swapped_gates", "wiring", "backward", ("jit_forward",)),
    Bug("no_reset", "missing op", "forward", ("jit_step",)),
    Bug("not_reversed", "missing op", None, ("jit_forward",), held_out=True),
    Bug("lost_residual", "missing op", None, ("jit_step",)),
    Bug("silu", "other op", None, ("jit_forward",)),
    Bug("rounded_features", "cast", None, ("jit_forward",), held_out=True, shows="Cast"),
)
VARIANTS = (Variant("jit_forward"), Variant("jit_step", held_out=True))


class Recurrent(nn.Cell):
    """A GRU in one direction, written out."""

    def __init__(self, lab, direction: str, seed: int):
        super().__init__()
        self.of_input = weight(3 * STATE, CHANNELS, seed=seed)
        self.of_state = weight(3 * STATE, STATE, seed=seed + 1)
        self.shift = weight(3 * STATE, seed=seed + 2)
        self.swapped_gates = lab.broken("swapped_gates", direction)
        self.no_reset = lab.broken("no_reset", direction)

    def construct(self, frames, state):
        """The state after each frame, side by side."""
        states = []
        for moment in range(FRAMES):
            fresh = mint.nn.functional.linear(frames[:, moment], self.of_input, self.shift)
            old = mint.nn.functional.linear(state, self.of_state)
            fresh_reset, fresh_update, fresh_new = mint.split(fresh, STATE, -1)
            old_reset, old_update, memory = mint.split(old, STATE, -1)
            reset = mint.sigmoid(fresh_reset + old_reset)  # site: swapped_gates
            update = mint.sigmoid(fresh_update + old_update)  # site: swapped_gates
            if self.swapped_gates:
                reset, update = update, reset
            if not self.no_reset:
                memory = reset * memory  # site: no_reset, swapped_gates
            proposal = mint.tanh(fresh_new + memory)
            state = proposal + update * (state - proposal)  # site: swapped_gates
            states.append(mint.reshape(state, (BATCH, 1, STATE)))
        return mint.cat(states, 1)


class Network(nn.Cell):
    """Sound in, the loss of the letters heard in it out."""

    def __init__(self, lab):
        super().__init__()
        self.first, self.second = (
            weight(CHANNELS, BANDS, seed=1),
            weight(CHANNELS, CHANNELS, seed=2),
        )
        self.onward = Recurrent(lab, "forward", 10)
        self.back = Recurrent(lab, "backward", 20)
        self.spell = weight(LETTERS, 2 * STATE, seed=3)
        self.not_reversed = lab.broken("not_reversed")
        self.lost_residual = lab.broken("lost_residual")
        self.silu = lab.broken("silu")
        self.rounded_features = lab.broken("rounded_features")

    def construct(self, sound, start, letters):
        """The mean loss over all frames."""
        x = mint.nn.functional.relu(mint.nn.functional.linear(sound, self.first))
        heard = mint.nn.functional.linear(x, self.second)
        heard = mint.nn.functional.silu(heard) if self.silu else mint.tanh(heard)  # site: silu
        if not self.lost_residual:
            heard = x + heard  # site: lost_residual
        if self.rounded_features:
            heard = heard.astype(ms.bfloat16).astype(ms.float32)  # site: rounded_features
        turned = heard
        if not self.not_reversed:
            turned = mint.flip(heard, (1,))  # site: not_reversed
        onward = self.onward(heard, start)  # at: forward
        back = self.back(turned, start)  # at: backward
        if not self.not_reversed:
            back = mint.flip(back, (1,))  # site: not_reversed
        logits = mint.nn.functional.linear(mint.cat((onward, back), -1), self.spell)
        likely = mint.log(mint.nn.functional.softmax(logits, dim=-1))
        return -mint.mean(mint.sum(likely * letters, -1))


def inputs() -> list[np.ndarray]:
    """Sound, the state to start with, letters as hot ones."""
    random = np.random.default_rng(5)
    sound = random.standard_normal((BATCH, FRAMES, BANDS)).astype(np.float32)
    start = 0.1 * random.standard_normal((BATCH, STATE)).astype(np.float32)
    letters = np.eye(LETTERS, dtype=np.float32)[random.integers(LETTERS, size=(BATCH, FRAMES))]
    return [sound, start, letters]
