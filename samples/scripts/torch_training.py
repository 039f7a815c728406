"""Six steps of training, each recorded with what its tensors held.

``python torch_training.py DIRECTORY [early]`` writes step_0.ir.gz … step_5.ir.gz and their values
there. With ``early`` the learning rate falls one step too early.
"""

import sys
from pathlib import Path

import torch
from torch import nn

from opdiff.record import OpTrace

STEPS, WIDTH, BATCH = 6, 16, 8


def rates(early):
    """The learning rate of every step: a tenth from the third on, or already from there."""
    falls = 2 if early else 3
    return torch.tensor([0.2 if step < falls else 0.02 for step in range(STEPS)])


def train(network, inputs, wanted, rate):
    """One step of gradient descent; returns the loss before it."""
    loss = ((network(inputs) - wanted) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for weight in network.parameters():
            weight -= rate * weight.grad
            weight.grad = None
    return loss.item()


def main(directory, early):
    """Train, and record every step."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 4))
    directory.mkdir(parents=True, exist_ok=True)
    for step, rate in enumerate(rates(early)):
        inputs, wanted = torch.randn(BATCH, WIDTH), torch.randn(BATCH, 4)
        with OpTrace(directory / f"step_{step}.ir.gz", values="stats"):
            loss = train(network, inputs, wanted, rate)
        print(f"step {step}: loss {loss:.6f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), early=sys.argv[2:] == ["early"])
