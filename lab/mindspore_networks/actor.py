"""An actor and a critic under MindSpore: PPO over a few moments, convolutions, a GRU by hand."""

from __future__ import annotations

import mindspore as ms
import numpy as np
from mindspore import mint, nn, ops

from lab.bugs import Bug, Variant
from lab.mindspore_networks.weights import kernel, weight

TIMES, PLAYERS, SIDE, CHANNELS, STATE, ACTIONS = 4, 3, 6, 6, 12, 5
DISCOUNT, TRACE, EDGE, OF_VALUE, OF_ENTROPY, LIMIT = 0.97, 0.9, 0.1, 0.5, 0.02, 3.0

HELD_OUT = True
BUGS = (
    Bug("no_deviation", "missing op", None, ("jit_forward",)),
    Bug("ratio_swapped", "wiring", None, ("jit_step",)),
    Bug("value_min", "other op", None, ("jit_step",)),
    Bug("value_unclipped", "missing op", None, ("jit_forward",)),
    Bug("entropy_sign", "sign", None, ("jit_step",)),
    Bug("no_done", "missing op", None, ("jit_forward",)),
    Bug("same_moment", "stale", None, ("jit_forward",)),
    Bug("no_reset", "missing op", None, ("jit_step",)),
    Bug("update_swapped", "wiring", None, ("jit_forward",)),
    Bug("recurrent_transposed", "transposed"),
    Bug("unbounded_factor", "missing op"),
    Bug("half_picture", "cast", None, ("jit_forward",), shows="Cast"),
)
VARIANTS = (Variant("jit_forward"), Variant("jit_step"))


class Body(nn.Cell):
    """What a picture shows."""

    def __init__(self, lab):
        super().__init__()
        self.first, self.second = kernel(CHANNELS, 2, 3, 1), kernel(CHANNELS, CHANNELS, 3, 2)
        self.bend = weight(1, CHANNELS, 1, 1, seed=3)
        self.flat = weight(STATE, CHANNELS * 9, seed=4)
        self.half_picture = lab.broken("half_picture")

    def construct(self, pictures):
        """A row for each picture."""
        relu = mint.nn.functional.relu
        x = relu(ops.conv2d(pictures, self.first, pad_mode="pad", padding=1) + self.bend)
        if self.half_picture:
            x = x.astype(ms.bfloat16).astype(ms.float32)  # site: half_picture
        x = relu(
            ops.conv2d(x, self.second, stride=2, pad_mode="pad", padding=1)
        )  # site: half_picture
        x = mint.reshape(x, (TIMES * PLAYERS, -1))
        return mint.reshape(relu(mint.nn.functional.linear(x, self.flat)), (TIMES, PLAYERS, STATE))


class Memory(nn.Cell):
    """A GRU, emptied where a game ended."""

    def __init__(self, lab):
        super().__init__()
        self.reset_in, self.update_in, self.new_in = (
            weight(STATE, STATE, seed=10 + number) for number in range(3)
        )
        self.reset_old, self.update_old, self.new_old = (
            weight(STATE, STATE, seed=20 + number) for number in range(3)
        )
        self.shift = weight(STATE, seed=30)
        self.no_reset, self.update_swapped = lab.broken("no_reset"), lab.broken("update_swapped")
        self.recurrent_transposed = lab.broken("recurrent_transposed")

    def construct(self, features, state, alive):
        """The state after each moment."""
        linear = mint.nn.functional.linear
        states = []
        for moment in range(TIMES):
            x = features[moment]
            if not self.no_reset:
                state = state * mint.reshape(alive[moment], (PLAYERS, 1))  # site: no_reset
            reset = mint.sigmoid(linear(x, self.reset_in) + linear(state, self.reset_old))
            update = mint.sigmoid(linear(x, self.update_in) + linear(state, self.update_old))
            if self.recurrent_transposed:
                old = mint.matmul(state, self.new_old)  # site: recurrent_transposed
            else:
                old = linear(state, self.new_old)  # site: recurrent_transposed
            new = mint.tanh(linear(x, self.new_in, self.shift) + reset * old)
            if self.update_swapped:
                state = state + update * (new - state)  # site: update_swapped
            else:
                state = new + update * (state - new)  # site: update_swapped
            states.append(state)
        return ops.stack(states, 0)


class Network(nn.Cell):
    """A rollout in, the loss out."""

    def __init__(self, lab):
        super().__init__()
        self.body, self.memory = Body(lab), Memory(lab)
        self.policy, self.policy_shift = weight(ACTIONS, STATE, seed=41), weight(ACTIONS, seed=42)
        self.value, self.value_shift = weight(1, STATE, seed=43), weight(1, seed=44)
        self.no_deviation, self.ratio_swapped = (
            lab.broken(name) for name in ("no_deviation", "ratio_swapped")
        )
        self.value_min, self.value_unclipped = (
            lab.broken("value_min"),
            lab.broken("value_unclipped"),
        )
        self.entropy_sign = lab.broken("entropy_sign")
        self.no_done, self.same_moment = lab.broken("no_done"), lab.broken("same_moment")

    def advantages(self, values, last, rewards, going):
        """Generalised advantages, from the last moment to the first."""
        found, ahead, after = [], last * 0.0, last
        for step in range(TIMES):
            moment = TIMES - 1 - step
            if self.same_moment:
                after = values[moment]
            future = after * DISCOUNT  # site: same_moment
            if not self.no_done:
                future = future * going[moment]  # site: no_done
            error = rewards[moment] + future - values[moment]  # site: no_done
            carried = ahead * (DISCOUNT * TRACE)
            ahead = error + carried * going[moment]
            found = [ahead, *found]
            after = values[moment]
        return ops.stack(found, 0)

    def normal(self, advantages):
        """Zero mean, unit deviation."""
        centred = advantages - mint.mean(advantages)
        if self.no_deviation:
            return centred
        variance = mint.mean(mint.square(centred))  # site: no_deviation
        return centred * mint.rsqrt(variance + 1e-6)  # site: no_deviation

    def surrogate(self, chosen, before, advantages):
        """The clipped objective of the policy."""
        change = before - chosen if self.ratio_swapped else chosen - before  # site: ratio_swapped
        ratio = mint.exp(change)
        free = ratio * advantages
        bound = mint.clamp(ratio, 1 - EDGE, 1 + EDGE) * advantages
        return mint.mean(mint.minimum(free, bound))

    def of_value(self, values, before, returns):
        """The clipped error of the critic."""
        free = mint.square(values - returns)
        if self.value_unclipped:
            return mint.mean(free)
        near = before + mint.clamp(values - before, -EDGE, EDGE)  # site: value_unclipped
        bound = mint.square(near - returns)  # site: value_unclipped
        pick = mint.minimum if self.value_min else mint.maximum
        worse = pick(free, bound)  # site: value_min, value_unclipped
        return mint.mean(worse)

    def construct(
        self, pictures, state, alive, going, rewards, actions, before, values_before, last
    ):
        """The loss of all moments."""
        linear = mint.nn.functional.linear
        features = self.body(pictures)
        states = self.memory(features, state, alive)
        logits = linear(states, self.policy, self.policy_shift)
        values = linear(states, self.value, self.value_shift)
        values = mint.reshape(values, (TIMES, PLAYERS))
        likely = ops.log_softmax(logits, -1)
        chosen = mint.sum(likely * actions, -1)
        fixed = ops.stop_gradient(values)
        advantages = self.advantages(fixed, last, rewards, going)
        returns = advantages + fixed
        policy = self.surrogate(chosen, before, self.normal(advantages))
        critic = self.of_value(values, values_before, returns)
        spread = mint.mean(-mint.sum(mint.exp(likely) * likely, -1))
        good = policy - critic * OF_VALUE
        spread = spread * OF_ENTROPY
        good = good - spread if self.entropy_sign else good + spread  # site: entropy_sign
        return -good


class Trainer(nn.Cell):
    """Clip, step."""

    def __init__(self, lab, weights):
        super().__init__()
        self.optimizer = nn.Adam(weights, learning_rate=0.01)
        self.unbounded_factor = lab.broken("unbounded_factor")

    def moments(self):
        """What the optimizer keeps."""
        return [*self.optimizer.moment1, *self.optimizer.moment2]

    def construct(self, gradients):
        """The norm; weights are updated."""
        total = mint.sum(mint.square(gradients[0]))
        for one in gradients[1:]:
            total = total + mint.sum(mint.square(one))
        norm = mint.sqrt(total)
        factor = LIMIT / (norm + 1e-6)  # site: unbounded_factor
        if not self.unbounded_factor:
            factor = mint.clamp(factor, max=1.0)  # site: unbounded_factor
        self.optimizer(tuple([one * factor for one in gradients]))
        return norm


def inputs() -> list[np.ndarray]:
    """Pictures, the state, who goes on, rewards, actions, what was before, values after."""
    random = np.random.default_rng(12)
    pictures = random.standard_normal((TIMES * PLAYERS, 2, SIDE, SIDE))
    alive = np.ones((TIMES, PLAYERS))
    alive[2, 1] = alive[3, 0] = 0
    going = np.ones((TIMES, PLAYERS))
    going[1, 1] = going[2, 0] = 0
    actions = np.eye(ACTIONS)[random.integers(ACTIONS, size=(TIMES, PLAYERS))]
    found = [
        pictures,
        0.5 * random.standard_normal((PLAYERS, STATE)),
        alive,
        going,
        random.standard_normal((TIMES, PLAYERS)),
        actions,
        -1.6 + 0.3 * random.standard_normal((TIMES, PLAYERS)),
        0.5 * random.standard_normal((TIMES, PLAYERS)),
        0.5 * random.standard_normal(PLAYERS),
    ]
    return [one.astype(np.float32) for one in found]
