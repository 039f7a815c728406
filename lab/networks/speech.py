"""A speech recogniser: convolutions, a recurrent layer in both directions, CTC."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from lab.bugs import Bug, Variant
from lab.injection import Injection
from lab.networks.optimizers import Momentum, split

BATCH, FRAMES, BANDS, CHANNELS, STATE, LETTERS = 2, 16, 8, 12, 8, 6

BUGS = (
    Bug("swapped_gates", "wiring", "backward", ("aot_eager",)),
    Bug("no_reset", "missing op", "forward", ("decomposed",), held_out=True),
    Bug("not_reversed", "missing op", None, ("aot_eager",)),
    Bug("detached_state", "detach", 4),
    Bug("no_norm", "missing op", 1, ("aot_eager",), held_out=True),
    Bug("hard_tanh", "other op", 0, ("core_aten",)),
    Bug("lost_residual", "missing op", None, ("decomposed",)),
    Bug("no_log_softmax", "missing op", None, ("aot_eager",)),
    Bug("no_momentum", "optimizer", "biases", held_out=True),
    Bug("nesterov", "optimizer", "weights"),
    Bug("no_zero_grad", "phase"),
    Bug("sum_of_losses", "loss", None, ("decomposed",)),
    Bug("twice_bias", "extra op", None, ("decomposed",), held_out=True),
    Bug("swapped_halves", "wiring"),
    Bug("rounded_features", "cast"),
)
VARIANTS = (
    Variant("aot_eager"),
    Variant("recording", held_out=True),
    Variant("rerun"),
)


class Block(nn.Module):
    """A convolution over time, its output normalised over the batch and cut at zero."""

    def __init__(self, lab: Injection, number: int, channels: int, stride: int):
        super().__init__()
        self.lab, self.number = lab, number
        self.convolve = nn.Conv1d(channels, CHANNELS, 3, stride, padding=1)
        self.norm = nn.BatchNorm1d(CHANNELS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Convolve, normalise, cut."""
        lab, number = self.lab, self.number
        x = self.convolve(x)
        with lab.site("no_norm", number):
            if not lab.broken("no_norm", number):
                x = self.norm(x)
        with lab.site("hard_tanh", number):
            wrong = lab.broken("hard_tanh", number)
            return functional.hardtanh(x, 0.0, 0.5) if wrong else functional.relu(x)


class Recurrent(nn.Module):
    """A GRU in one direction, written out."""

    def __init__(self, lab: Injection, direction: str):
        super().__init__()
        self.lab, self.direction = lab, direction
        self.of_input = nn.Linear(CHANNELS, 3 * STATE)
        self.of_state = nn.Linear(STATE, 3 * STATE)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        """The state after each frame; frames are the second dimension."""
        lab, direction = self.lab, self.direction
        state = frames.new_zeros(BATCH, STATE)
        states = []
        for moment, frame in enumerate(self.of_input(frames).unbind(1)):
            if direction == "forward":
                with lab.site("detached_state", moment):
                    if lab.broken("detached_state", moment):
                        state = state.detach()
            fresh = frame.chunk(3, dim=-1)
            old = self.of_state(state).chunk(3, dim=-1)
            with lab.site("swapped_gates", direction):
                reset, update = torch.sigmoid(fresh[0] + old[0]), torch.sigmoid(fresh[1] + old[1])
                if lab.broken("swapped_gates", direction):
                    reset, update = update, reset
            memory = old[2]
            with lab.site("no_reset", direction), lab.site("swapped_gates", direction):
                if not lab.broken("no_reset", direction):
                    memory = reset * memory
            proposal = torch.tanh(fresh[2] + memory)
            with lab.site("swapped_gates", direction):
                state = proposal + update * (state - proposal)
            states.append(state)
        return torch.stack(states, dim=1)


class Recogniser(nn.Module):
    """Sound in, the letters heard in it out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.first = Block(lab, 0, BANDS, 2)
        self.second = Block(lab, 1, CHANNELS, 1)
        self.onward, self.back = Recurrent(lab, "forward"), Recurrent(lab, "backward")
        self.spell = nn.Linear(2 * STATE, LETTERS)

    def both_ways(self, x: torch.Tensor) -> torch.Tensor:
        """The states of both directions side by side."""
        lab = self.lab
        reverse = not lab.broken("not_reversed")
        backward_input = x
        with lab.site("not_reversed"):
            if reverse:
                backward_input = x.flip(1)
        onward, back = self.onward(x), self.back(backward_input)
        with lab.site("not_reversed"):
            if reverse:
                back = back.flip(1)
        with lab.site("swapped_halves"):
            if lab.broken("swapped_halves"):
                return torch.cat((back, onward), dim=-1)
            return torch.cat((onward, back), dim=-1)

    def forward(self, sound: torch.Tensor) -> torch.Tensor:
        """How likely each letter is in each frame, as a logarithm; frames first."""
        lab = self.lab
        x = self.first(sound)
        heard = self.second(x)
        with lab.site("lost_residual"):
            if not lab.broken("lost_residual"):
                heard = x + heard
        with lab.site("rounded_features"):
            if lab.broken("rounded_features"):
                heard = heard.bfloat16().float()
        logits = self.spell(self.both_ways(heard.transpose(1, 2)))
        with lab.site("twice_bias"):
            if lab.broken("twice_bias"):
                logits = logits + self.spell.bias
        with lab.site("no_log_softmax"):
            if not lab.broken("no_log_softmax"):
                logits = logits.log_softmax(dim=-1)
        return logits.transpose(0, 1)


def spelling_loss(lab: Injection, spoken: torch.Tensor, letters: torch.Tensor) -> torch.Tensor:
    """CTC, which torch.compile leaves alone: the shape of its output depends on the data."""
    lengths, spelled = (FRAMES // 2,) * BATCH, (3, 2)
    each = functional.ctc_loss(spoken, letters, lengths, spelled, reduction="none")
    with lab.site("sum_of_losses"):
        return each.sum() if lab.broken("sum_of_losses") else each.mean()


def step(lab: Injection) -> None:
    """One step with momentum; the gradients of the step before are still there."""
    network = Recogniser(lab)
    sound, letters = torch.randn(BATCH, BANDS, FRAMES), torch.tensor([[1, 2, 1], [3, 4, 0]])
    for parameter in network.parameters():
        parameter.grad = 0.1 * torch.randn_like(parameter)
    weights, biases = split(network, "bias norm")
    optimizer = Momentum(lab, [("weights", weights), ("biases", biases)])
    run = lab.compiled(network)
    with lab.trace:
        with lab.site("no_zero_grad"):
            if not lab.broken("no_zero_grad"):
                network.zero_grad(set_to_none=False)
        loss = spelling_loss(lab, run(sound), letters)
        lab.forward_ended(loss)
        loss.backward()
        lab.backward_ended(network.parameters())
        optimizer.step()
        lab.step_ended(network.parameters())
