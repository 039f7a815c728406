"""A generator and a discriminator, each with its own optimizer, in one step."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from lab.bugs import NEEDS_SCALARS, Bug, Variant
from lab.injection import Injection

BATCH, NOISE, CHANNELS = 4, 6, 8

HELD_OUT = False
BUGS = (
    Bug("flows_back", "detach"),
    Bug("hard_labels", "loss"),
    Bug("relu", "other op", 1, ("aot_eager", "decomposed")),
    Bug("no_tanh", "missing op", None, ("decomposed",)),
    Bug("wrong_labels", "other op", None, ("aot_eager",)),
    Bug("keeps_gradients", "phase"),
    Bug("no_matching", "loss"),
    Bug("steps_the_other", "phase"),
    Bug("no_norm", "missing op", 0, ("aot_eager",)),
    Bug("not_halved", "missing op"),
    Bug("skipped_block", "missing layer", None, ("aot_eager",)),
    Bug("brighter", "extra op", None, ("core_aten",)),
    Bug("no_momentum", "optimizer", "head"),
    Bug("matches_itself", "wiring"),
    Bug("flat", "scalar", 0, note=NEEDS_SCALARS),
)
VARIANTS = (
    Variant("aot_eager"),
    Variant("foreach"),
    Variant("recording"),
)


class Generator(nn.Module):
    """Noise in, pictures of eight by eight out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.open = nn.Linear(NOISE, 2 * CHANNELS * 4, bias=False)
        self.norms = nn.ModuleList((nn.BatchNorm2d(2 * CHANNELS), nn.BatchNorm2d(CHANNELS)))
        self.enlarge = nn.ConvTranspose2d(2 * CHANNELS, CHANNELS, 4, 2, padding=1, bias=False)
        self.refine = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.draw = nn.ConvTranspose2d(CHANNELS, 1, 4, 2, padding=1)

    def norm(self, number: int, x: torch.Tensor) -> torch.Tensor:
        """Normalised over the batch, cut at zero."""
        lab = self.lab
        with lab.site("no_norm", number):
            if not lab.broken("no_norm", number):
                x = self.norms[number](x)
        return x.relu()

    def forward(self, noise: torch.Tensor) -> torch.Tensor:
        """Enlarge twice, with a residual block between."""
        lab = self.lab
        x = self.norm(0, self.open(noise).view(BATCH, 2 * CHANNELS, 2, 2))
        x = self.norm(1, self.enlarge(x))
        with lab.site("skipped_block"):
            if not lab.broken("skipped_block"):
                x = x + self.refine(x).relu()
        picture = self.draw(x)
        with lab.site("no_tanh"):
            return picture if lab.broken("no_tanh") else picture.tanh()


class Discriminator(nn.Module):
    """Pictures in; how real they look, and by what, out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.layers = nn.ModuleList(
            (nn.Conv2d(1, CHANNELS, 4, 2, padding=1), nn.Conv2d(CHANNELS, 16, 4, 2, padding=1))
        )
        self.head = nn.Linear(16 * 4, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The score, and the features it was computed from."""
        lab = self.lab
        with lab.site("brighter"):
            if lab.broken("brighter"):
                x = x * 1.5
        for number, layer in enumerate(self.layers):
            x = layer(x)
            with lab.site("relu", number):
                if lab.broken("relu", number):
                    x = x.relu()
                else:
                    with lab.site("flat", number):
                        flat = lab.broken("flat", number)
                        x = functional.leaky_relu(x, 0.01 if flat else 0.2)
        features = x.flatten(1)
        return self.head(features), features


class Step:
    """A step of the discriminator, then one of the generator."""

    def __init__(self, lab: Injection):
        self.lab = lab
        self.generator, self.discriminator = Generator(lab), Discriminator(lab)
        self.generate = lab.compiled(self.generator)
        self.judge = lab.compiled(self.discriminator)
        together = lab.runs("foreach")
        layers, head = self.discriminator.layers, self.discriminator.head
        for parameter in self.parameters():
            parameter.grad = 0.1 * torch.randn_like(parameter)
        self.of_generator = torch.optim.Adam(
            self.generator.parameters(), lr=0.01, betas=(0.5, 0.99), foreach=together
        )
        self.of_layers = torch.optim.Adam(layers.parameters(), lr=0.01, foreach=together)
        momentum = 0.0 if lab.broken("no_momentum", "head") else 0.9
        self.of_head = torch.optim.SGD(
            head.parameters(), lr=0.01, momentum=momentum, foreach=together
        )
        for parameter in head.parameters():
            if momentum:
                self.of_head.state[parameter]["momentum_buffer"] = torch.ones_like(parameter)

    def parameters(self) -> list[nn.Parameter]:
        """Those of both networks."""
        return [*self.generator.parameters(), *self.discriminator.parameters()]

    def discriminator_loss(self, real: torch.Tensor, fake: torch.Tensor) -> torch.Tensor:
        """Real pictures should look real, up to a doubt, and drawn ones drawn."""
        lab = self.lab
        score, _ = self.judge(real)
        labels = torch.ones_like(score)
        with lab.site("hard_labels"):
            if not lab.broken("hard_labels"):
                labels = labels * 0.9
        of_real = functional.binary_cross_entropy_with_logits(score, labels)
        with lab.site("flows_back"):
            if not lab.broken("flows_back"):
                fake = fake.detach()
        score, _ = self.judge(fake)
        of_fake = functional.binary_cross_entropy_with_logits(score, torch.zeros_like(score))
        loss = of_real + of_fake
        with lab.site("not_halved"):
            return loss if lab.broken("not_halved") else loss * 0.5

    def generator_loss(self, real: torch.Tensor, fake: torch.Tensor) -> torch.Tensor:
        """Drawn pictures should look real, by the same features as real ones."""
        lab = self.lab
        score, features = self.judge(fake)
        with torch.no_grad():
            _, wanted = self.judge(real)
        with lab.site("wrong_labels"):
            make = torch.zeros_like if lab.broken("wrong_labels") else torch.ones_like
            labels = make(score)
        loss = functional.binary_cross_entropy_with_logits(score, labels)
        with lab.site("no_matching"):
            if not lab.broken("no_matching"):
                with lab.site("matches_itself"):
                    other = features.detach() if lab.broken("matches_itself") else wanted
                    loss = loss + (features.mean(0) - 0.9 * other.mean(0)).square().mean()
        return loss

    def take(self) -> None:
        """The whole step, recorded."""
        lab = self.lab
        real, noise = torch.randn(BATCH, 1, 8, 8), torch.randn(BATCH, NOISE)
        with lab.trace:
            self.generator.zero_grad(set_to_none=False)
            fake = self.generate(noise)
            with lab.site("keeps_gradients"):
                if not lab.broken("keeps_gradients"):
                    self.discriminator.zero_grad(set_to_none=False)
            loss = self.discriminator_loss(real, fake)
            loss.backward(retain_graph=lab.broken("flows_back"))
            self.of_layers.step()
            with lab.site("no_momentum", "head"):
                self.of_head.step()
            loss = self.generator_loss(real, fake)
            lab.forward_ended(loss)
            loss.backward()
            lab.backward_ended(self.parameters())
            with lab.site("steps_the_other"):
                if lab.broken("steps_the_other"):
                    self.of_layers.step()
                else:
                    self.of_generator.step()
            lab.step_ended(self.parameters())


def step(lab: Injection) -> None:
    """One recorded step."""
    Step(lab).take()
