"""The network of image_step_mindspore in PyTorch, recorded into the file that is named."""

import sys

import torch
from torch import nn

from opdiff.record import OpTrace

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.GroupNorm(2, channels)
        self.second = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        return x + self.second(nn.functional.relu(self.norm(self.first(x))))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.blocks = nn.ModuleList([Block(8), Block(8)])
        self.gate = nn.Linear(8, 8)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        x = x.mean((2, 3))
        x = x * torch.sigmoid(self.gate(x))
        return self.head(torch.tanh(x))


network = Network()
images = torch.randn(4, 3, 16, 16)
labels = torch.randint(0, 5, (4,))
with OpTrace(sys.argv[1]):
    nn.functional.cross_entropy(network(images), labels).backward()
