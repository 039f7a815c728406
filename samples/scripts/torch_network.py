"""A four-layer transformer, forward and backward, recorded eagerly and compiled.

``python torch_network.py DIRECTORY`` writes eager.ir, aot_eager.ir (graphs of AOTAutograd as
generated code) and node_by_node.ir (the same graphs with the user's lines) there.
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from opdiff.record import OpTrace, recording_backend

WIDTH, HEADS, LAYERS, WORDS, SEQUENCE, BATCH = 64, 4, 4, 100, 16, 2


def rotate(x, angles):
    """Turn the channels by the angles."""
    first, second = x.chunk(2, dim=-1)
    return x * torch.cos(angles) + torch.cat((-second, first), dim=-1) * torch.sin(angles)


class Layer(nn.Module):
    """Attention and a two-step perceptron, each on a normalised input."""

    def __init__(self):
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.project = nn.Linear(WIDTH, 3 * WIDTH)
        self.merge = nn.Linear(WIDTH, WIDTH)
        self.before_perceptron = nn.LayerNorm(WIDTH)
        self.widen = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def attend(self, x, angles):
        """Causal attention with rotary positions."""
        shape = (BATCH, SEQUENCE, HEADS, WIDTH // HEADS)
        query, key, value = self.project(x).split(WIDTH, dim=-1)
        query = rotate(query.reshape(shape), angles).transpose(1, 2)
        key = rotate(key.reshape(shape), angles).transpose(1, 2)
        value = value.reshape(shape).transpose(1, 2)
        scores = query @ key.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5
        future = torch.ones(SEQUENCE, SEQUENCE, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        return self.merge((weights @ value).transpose(1, 2).reshape(BATCH, SEQUENCE, WIDTH))

    def forward(self, x, angles):
        """Both halves, each added to its input."""
        x = x + self.attend(self.before_attention(x), angles)
        return x + self.narrow(functional.gelu(self.widen(self.before_perceptron(x))))


class Network(nn.Module):
    """Words in, the loss of guessing the next one out."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.guess = nn.Linear(WIDTH, WORDS)

    def forward(self, words, angles):
        """The mean loss over all positions."""
        x = self.embed(words)
        for layer in self.layers:
            x = layer(x, angles)
        return functional.cross_entropy(self.guess(x[:, :-1]).flatten(0, 1), words[:, 1:].flatten())


def step(network, inputs):
    """One forward and backward pass; the loss."""
    network.zero_grad()
    loss = network(*inputs)
    loss.backward()
    return loss.item()


def prepared():
    """A fresh network and its inputs, the same every time."""
    torch.manual_seed(0)
    words = torch.randint(WORDS, (BATCH, SEQUENCE))
    return Network(), (words, torch.randn(1, SEQUENCE, 1, WIDTH // HEADS))


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("eager", "aot_eager", "node_by_node"):
        network, inputs = prepared()
        torch._dynamo.reset()
        with OpTrace(folder / f"{name}.ir") as trace:
            if name == "eager":
                loss = step(network, inputs)
            else:
                backend = recording_backend(trace) if name == "node_by_node" else name
                loss = step(torch.compile(network, backend=backend), inputs)
        if name != "eager":
            trace.require_compiled()
        print(f"{name}: loss {loss:.6f}, {trace}")
