"""A selective scan, as Mamba has it: convolution over time, a loop over states, gates.

A comment ``@name`` marks the lines on which a mistake shows first, or those that read what it left
out; ``@elsewhere`` calls within which none is made.
"""

from collections.abc import Callable

import torch
from mistakes import WRONG_LAYER, Mistakes
from torch import nn
from torch.nn import functional

BATCH, TIMES, FEATURES, WIDTH, INNER, STATES, RANK, CLASSES, KERNEL = 3, 6, 10, 16, 24, 4, 5, 9, 3
LAYERS, WRONG_TIME = 3, 3
Projected = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class Block(nn.Module):
    """One layer."""

    start: torch.Tensor

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.mistakes, self.layer = mistakes, layer
        self.gain = nn.Parameter(1 + 0.1 * torch.randn(WIDTH))
        self.shift = nn.Parameter(0.1 * torch.randn(WIDTH))
        self.enter = nn.Linear(WIDTH, 2 * INNER)
        self.conv = nn.Parameter(0.5 * torch.randn(INNER, 1, KERNEL))
        self.conv_bias = nn.Parameter(0.1 * torch.randn(INNER))
        self.project = nn.Linear(INNER, RANK + 2 * STATES, bias=False)
        self.steps = nn.Linear(RANK, INNER)
        rates = torch.log(torch.arange(1, STATES + 1).float()).repeat(INNER, 1)
        self.rates = nn.Parameter(rates + 0.05 * torch.randn(INNER, STATES))
        self.skip = nn.Parameter(1 + 0.1 * torch.randn(INNER))
        self.last_norm = nn.GroupNorm(4, INNER)
        self.leave = nn.Linear(INNER, WIDTH)
        self.register_buffer("start", torch.zeros(BATCH, INNER, STATES))

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalised, scanned, and added to what came in."""
        eps = 1e-2 if self.wrong("ln_eps") else 1e-5
        normed = functional.layer_norm(  # @ln_eps @ln_gain_other @ln_scale
            x, (WIDTH,), self.gain, self.shift, eps
        )
        u, z = self.enter(normed).chunk(2, dim=-1)  # @swap_uz @in_row
        if self.wrong("swap_uz"):
            u, z = z, u
        before = u.transpose(1, 2)  # @swap_uz
        u = self.convolve(before).transpose(1, 2)
        step, fed_by, read_by = self.projected(u)
        rates = -torch.exp(self.rates)  # @a_log_other
        decay = torch.exp(step.unsqueeze(-1) * rates)  # @exp_element @no_softplus @extra_clamp
        weighed = u if self.wrong("euler_dt") else step * u  # @euler_dt
        fed = fed_by.unsqueeze(2) * weighed.unsqueeze(-1)  # @euler_dt @swap_bc
        y = self.scan(decay, fed, read_by)
        if not self.wrong("no_skip"):
            kept = before.transpose(1, 2) if self.wrong("skip_before_conv") else u
            y = y + kept * self.skip  # @skip_other @no_skip @skip_before_conv
        y = self.leave_gated(y, u if self.wrong("gate_of_u") else z)
        if self.wrong("no_residual"):
            return y
        kept = normed if self.wrong("residual_of_norm") else x
        alpha = 0.9 if self.wrong("residual_alpha") else 1.0
        return torch.add(kept, y, alpha=alpha)  # @residual_alpha @residual_of_norm @no_residual

    def convolve(self, before: torch.Tensor) -> torch.Tensor:
        """Each channel over the past."""
        apart = 2 if self.wrong("conv_dilation") else 1
        u = functional.conv1d(  # @swap_uz @conv_flipped @conv_dilation @conv_bf16
            *(before, self.conv, self.conv_bias),
            padding=(KERNEL - 1) * apart,
            groups=INNER,
            dilation=apart,
        )
        past = u[..., KERNEL - 1 :] if self.wrong("noncausal") else u[..., :TIMES]  # @noncausal
        if self.wrong("no_silu"):
            return past
        return functional.silu(past)  # @noncausal @no_silu @silu_f8

    def projected(self, u: torch.Tensor) -> Projected:
        """Steps of time, and with what states are fed and read."""
        parts = self.project(u)  # @no_silu
        low, fed_by, read_by = parts.split([RANK, STATES, STATES], dim=-1)  # @swap_bc @dt_of_other
        if self.wrong("swap_bc"):
            fed_by, read_by = read_by, fed_by
        if self.wrong("dt_of_other"):
            low = parts[..., STATES : STATES + RANK]  # @dt_of_other
        step = self.steps(low)  # @dt_bias_other @dt_of_other
        beta = 1.3 if self.wrong("softplus_beta") else 1.0
        if not self.wrong("no_softplus"):
            step = functional.softplus(step, beta)  # @no_softplus @softplus_beta @softplus_swap
        if self.wrong("extra_clamp"):
            step = step.clamp(max=0.9)  # @extra_clamp
        return step, fed_by, read_by

    def scan(self, decay: torch.Tensor, fed: torch.Tensor, read_by: torch.Tensor) -> torch.Tensor:
        """The states, one after the other."""
        state, seen = self.start, []
        for time in range(TIMES):
            before, wrong = state, time == WRONG_TIME
            if wrong and self.wrong("detach_state"):
                state = state.detach()  # @detach_state
            state = decay[:, time] * state + fed[:, time]  # @detach_state @initial_state @state_row
            read = before if wrong and self.wrong("stale_state") else state
            by = read_by[:, time].unsqueeze(1)
            seen.append((read * by).sum(-1))  # @stale_state @swap_bc @dot_short
        return torch.stack(seen, 1)

    def leave_gated(self, y: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        """What is let through, normalised by groups."""
        if not self.wrong("no_gate"):
            y = y * functional.silu(gate)  # @no_gate @gate_of_u
        y = y.transpose(1, 2)
        norm = self.last_norm
        groups = 2 if self.wrong("gn_groups") else 4
        if not self.wrong("no_group_norm"):
            y = functional.group_norm(  # @no_group_norm @gn_groups @no_gate
                y, groups, norm.weight, norm.bias
            )
        y = y.transpose(1, 2)
        if self.wrong("extra_round"):
            y = (y * 16).round() / 16  # @extra_round
        if self.wrong("extra_dropout"):
            y = functional.dropout(y, 0.2)  # @extra_dropout
        return self.leave(y)  # @out_scaled @no_group_norm @extra_round @extra_dropout


class Model(nn.Module):
    """Series in, the loss of naming a class at each time out."""

    def __init__(self, mistakes: Mistakes) -> None:
        super().__init__()
        self.mistakes = mistakes
        self.embed = nn.Linear(FEATURES, WIDTH)
        self.blocks = nn.ModuleList(Block(mistakes, layer) for layer in range(LAYERS))
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Cross entropy, and a little against large logits."""
        wrong = self.mistakes.on
        first, second, third = self.blocks
        x = torch.tanh(self.embed(x))  # @input_other
        x = first(x)  # @elsewhere
        x = second(x)
        x = third(x)  # @elsewhere
        pooled = x.cumsum(1) / torch.arange(1, TIMES + 1, dtype=x.dtype).view(1, TIMES, 1)
        logits = self.head(pooled).flatten(0, 1)
        goal = target.flip(1) if wrong("wrong_target") else target  # @wrong_target
        goal = goal.flatten()  # @wrong_target
        smoothing = 0.2 if wrong("smoothing") else 0.1
        loss = functional.cross_entropy(  # @smoothing @wrong_target
            logits, goal, label_smoothing=smoothing, ignore_index=0
        )
        size = logits.logsumexp(-1)  # @lse_element
        weight = 1e-2 if wrong("z_weight") else 1e-3
        return loss + weight * size.square().mean()  # @z_weight


def prepared(
    mistakes: Mistakes, dtype: torch.dtype
) -> tuple[nn.Module, Callable[[nn.Module], float]]:
    """A model, and a step of training it: the same every time but for another weight."""
    torch.manual_seed(3)
    model = Model(mistakes)
    x, target = torch.randn(BATCH, TIMES, FEATURES), torch.randint(0, CLASSES, (BATCH, TIMES))
    change_weight(model, x, mistakes.name)
    model.to(dtype)
    x = x.to(dtype)
    lr = 3e-3 if mistakes.on("rms_lr") else 1e-3
    alpha = 0.9 if mistakes.on("rms_alpha") else 0.99
    block = model.blocks[WRONG_LAYER]
    theirs = set(block.parameters())
    others = [weight for weight in model.parameters() if weight not in theirs]
    optimizer = torch.optim.RMSprop(others, 1e-3, 0.99, momentum=0.9, foreach=False)
    wrong = torch.optim.RMSprop(block.parameters(), lr, alpha, momentum=0.9, foreach=False)

    def train(called: nn.Module) -> float:
        loss = called(x, target)
        loss.backward()
        optimizer.step()
        wrong.step()  # @rms_lr @rms_alpha
        return loss.item()

    return model, train


def change_weight(model: Model, x: torch.Tensor, name: str) -> None:
    """Another weight or input than that of the other run."""
    block = model.blocks[WRONG_LAYER]
    with torch.no_grad():
        if name == "a_log_other":
            block.rates[5, 2] += 0.7
        elif name == "conv_flipped":
            block.conv.copy_(block.conv.flip(2))
        elif name == "dt_bias_other":
            block.steps.bias[4] += 0.5
        elif name == "out_scaled":
            block.leave.weight.mul_(1.03)
        elif name == "skip_other":
            block.skip[7] = 0
        elif name == "ln_gain_other":
            block.gain[3] = -block.gain[3]
        elif name == "input_other":
            x[1, 2, 3] += 1.5
        elif name == "initial_state":
            block.start[1] += 0.3
