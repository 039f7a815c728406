"""A detector of one stage: a small pyramid, a shared head, anchors matched by overlap."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from lab.bugs import Bug, Variant
from lab.injection import Injection

BATCH, SIDE, CHANNELS, CLASSES, BOXES, RATIOS, HARD = 2, 32, 8, 4, 3, 2, 12
STRIDES = (4, 8)

BUGS = (
    Bug("no_minus", "missing op", "match", ("decomposed",)),
    Bug("no_force", "missing op", None, ("decomposed",)),
    Bug("focal_of_p", "missing op", None, ("decomposed",)),
    Bug("no_log", "missing op", None, ("decomposed",)),
    Bug("swapped_offset", "swapped operands", None, ("decomposed",)),
    Bug("no_top_down", "missing op", None, ("decomposed",)),
    Bug("unshared_head", "other weight", 1, ("aot_eager",)),
    Bug("plain_l1", "other op", None, ("decomposed",)),
    Bug("frozen_norm", "scalar", 1, ("aot_eager",)),
    Bug("flows_back", "detach"),
    Bug("no_permute", "layout", 0, ("decomposed",)),
    Bug("no_momentum", "optimizer", "biases"),
)
VARIANTS = (Variant("aot_eager"), Variant("decomposed"), Variant("core_aten"))


class Stage(nn.Module):
    """A convolution that halves the picture, normalised over the batch."""

    def __init__(self, lab: Injection, number: int, read: int, written: int):
        super().__init__()
        self.lab, self.number = lab, number
        self.convolve = nn.Conv2d(read, written, 3, 2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(written)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One stage."""
        lab, norm = self.lab, self.norm
        x = self.convolve(x)
        with lab.site("frozen_norm", self.number):
            x = functional.batch_norm(
                x,
                norm.running_mean,
                norm.running_var,
                norm.weight,
                norm.bias,
                training=not lab.broken("frozen_norm", self.number),
            )
        return x.relu()


class Head(nn.Module):
    """What is at every anchor, where, and how well it fits."""

    def __init__(self) -> None:
        super().__init__()
        self.tower = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.kind = nn.Conv2d(CHANNELS, RATIOS * CLASSES, 3, padding=1)
        self.box = nn.Conv2d(CHANNELS, RATIOS * 4, 3, padding=1)
        self.fit = nn.Conv2d(CHANNELS, RATIOS, 3, padding=1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Kinds, boxes and fits of one level."""
        x = functional.silu(self.tower(x))
        return self.kind(x), self.box(x), self.fit(x)


class Detector(nn.Module):
    """Pictures and true boxes in, the loss out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        sizes = (3, CHANNELS, CHANNELS, 2 * CHANNELS)
        self.stages = nn.ModuleList(Stage(lab, n, sizes[n], sizes[n + 1]) for n in range(3))
        self.lateral = nn.ModuleList(nn.Conv2d(size, CHANNELS, 1) for size in sizes[2:])
        self.smooth = nn.ModuleList(nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1) for _ in STRIDES)
        self.head, self.spare = Head(), Head()

    def pyramid(self, x: torch.Tensor) -> list[torch.Tensor]:
        """The fine level and the coarse one."""
        lab = self.lab
        found = []
        for stage in self.stages:
            x = stage(x)
            found.append(x)
        coarse = self.lateral[1](found[2])
        fine = self.lateral[0](found[1])
        with lab.site("no_top_down"):
            if not lab.broken("no_top_down"):
                fine = fine + functional.interpolate(coarse, scale_factor=2, mode="nearest")
        return [smooth(x) for smooth, x in zip(self.smooth, (fine, coarse), strict=True)]

    def flat(self, x: torch.Tensor, level: int, last: int) -> torch.Tensor:
        """Anchors before channels."""
        with self.lab.site("no_permute", level):
            if self.lab.broken("no_permute", level):
                return x.reshape(BATCH, -1, last)
            return x.permute(0, 2, 3, 1).reshape(BATCH, -1, last)

    def anchors(self) -> torch.Tensor:
        """Centres and sizes of all anchors."""
        found = []
        for stride in STRIDES:
            places = torch.arange(SIDE // stride).float()
            places = (places + 0.5) * stride
            y, x = torch.meshgrid(places, places, indexing="ij")
            centres = torch.stack((x, y), dim=-1).reshape(-1, 1, 2).expand(-1, RATIOS, 2)
            sizes = torch.tensor([[2.0, 3.0], [4.0, 2.5]]) * stride
            sizes = sizes.expand(centres.shape[0], RATIOS, 2)
            found.append(torch.cat((centres, sizes), dim=-1).reshape(-1, 4))
        return torch.cat(found)

    def overlap(self, one: torch.Tensor, two: torch.Tensor, place: str) -> torch.Tensor:
        """Intersection over union of boxes given by centre and size."""
        lab = self.lab
        first = torch.maximum(one[..., :2] - one[..., 2:] / 2, two[..., :2] - two[..., 2:] / 2)
        last = torch.minimum(one[..., :2] + one[..., 2:] / 2, two[..., :2] + two[..., 2:] / 2)
        sides = last - first
        sides = sides.clamp(min=0)
        common = sides[..., 0] * sides[..., 1]
        union = one[..., 2] * one[..., 3] + two[..., 2] * two[..., 3]
        with lab.site("no_minus", place):
            if not lab.broken("no_minus", place):
                union = union - common
        return common / (union + 1e-6)

    def matched(
        self, anchors: torch.Tensor, boxes: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """How well every anchor fits its best box, and which that is."""
        lab = self.lab
        overlaps = self.overlap(anchors[None, :, None], boxes[:, None], "match")
        best, which = overlaps.max(dim=2)
        with lab.site("no_force"):
            if not lab.broken("no_force"):
                owner = overlaps.argmax(dim=1)
                best = best.scatter(1, owner, 1.0)
                which = which.scatter(1, owner, torch.arange(BOXES).expand(BATCH, BOXES))
        return best, which

    def focal(self, logits: torch.Tensor, wanted: torch.Tensor, used: torch.Tensor) -> torch.Tensor:
        """How wrong the kinds are; what is easy counts less."""
        lab = self.lab
        each = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none")
        chance = logits.sigmoid()
        right = chance * wanted + (1 - chance) * (1 - wanted)
        with lab.site("focal_of_p"):
            wrong = right if lab.broken("focal_of_p") else 1 - right
        each = each * wrong.square()
        each = each * (0.25 * wanted + 0.75 * (1 - wanted))
        return each.sum(dim=-1) * used

    def forward(
        self, pictures: torch.Tensor, boxes: torch.Tensor, kinds: torch.Tensor
    ) -> torch.Tensor:
        """The loss of kinds, boxes and fits."""
        lab = self.lab
        logits, offsets, fits = [], [], []
        for level, x in enumerate(self.pyramid(pictures)):
            with lab.site("unshared_head", level, "aten::convolution"):
                head = self.spare if lab.broken("unshared_head", level) else self.head
                kind, box, fit = head(x)
            logits.append(self.flat(kind, level, CLASSES))
            offsets.append(self.flat(box, 2 + level, 4))
            fits.append(self.flat(fit, 4 + level, 1))
        logit, offset, fit = torch.cat(logits, 1), torch.cat(offsets, 1), torch.cat(fits, 1)
        anchors = self.anchors()
        best, which = self.matched(anchors, boxes)
        positive = (best > 0.6).float()
        doubtful = (best > 0.3) & (best <= 0.6)
        used = (~doubtful).float()
        kind = kinds.gather(1, which)
        wanted = functional.one_hot(kind, CLASSES).float() * positive[..., None]
        each = self.focal(logit, wanted, used)
        hard, _ = each.topk(HARD, dim=1)
        count = positive.sum().clamp(min=1)
        of_kinds = (hard.sum() + 0.1 * each.sum()) / count

        mine = boxes.gather(1, which[..., None].expand(-1, -1, 4))
        with lab.site("swapped_offset"):
            if lab.broken("swapped_offset"):
                away = anchors[:, :2] - mine[..., :2]
            else:
                away = mine[..., :2] - anchors[:, :2]
        away = away / anchors[:, 2:]
        larger = mine[..., 2:] / anchors[:, 2:]
        with lab.site("no_log"):
            if not lab.broken("no_log"):
                larger = larger.log()
        target = torch.cat((away, larger), dim=-1)
        with lab.site("plain_l1"):
            if lab.broken("plain_l1"):
                off = functional.l1_loss(offset, target, reduction="none")
            else:
                off = functional.smooth_l1_loss(offset, target, reduction="none", beta=0.5)
        of_boxes = (off.sum(dim=-1) * positive).sum()
        of_boxes = of_boxes / count

        centre = offset[..., :2] * anchors[:, 2:] + anchors[:, :2]
        size = offset[..., 2:].clamp(max=2).exp() * anchors[:, 2:]
        quality = self.overlap(torch.cat((centre, size), dim=-1), mine, "quality")
        with lab.site("flows_back"):
            if not lab.broken("flows_back"):
                quality = quality.detach()
        of_fits = functional.binary_cross_entropy_with_logits(
            fit.squeeze(-1), quality, reduction="none"
        )
        of_fits = (of_fits * positive).sum() / count
        return of_kinds + of_boxes + 0.5 * of_fits


def step(lab: Injection) -> None:
    """One step with momentum, of another rate and decay for biases."""
    network = Detector(lab)
    pictures = torch.randn(BATCH, 3, SIDE, SIDE)
    boxes = torch.cat(
        (4 + 24 * torch.rand(BATCH, BOXES, 2), 5 + 12 * torch.rand(BATCH, BOXES, 2)), -1
    )
    kinds = torch.randint(CLASSES, (BATCH, BOXES))
    biases = [p for n, p in network.named_parameters() if "bias" in n]
    weights = [p for n, p in network.named_parameters() if "bias" not in n]
    rest = 0.0 if lab.broken("no_momentum", "biases") else 0.9
    of_weights = torch.optim.SGD(weights, lr=0.01, momentum=0.9, weight_decay=1e-2, nesterov=True)
    of_biases = torch.optim.SGD(biases, lr=0.02, momentum=rest)
    for optimizer in (of_weights, of_biases):
        for group in optimizer.param_groups:
            for p in group["params"]:
                if group["momentum"]:
                    optimizer.state[p]["momentum_buffer"] = torch.full_like(p, 0.01)
    run = lab.compiled(network)
    with lab.trace:
        loss = run(pictures, boxes, kinds)
        lab.forward_ended(loss)
        loss.backward()
        lab.backward_ended(network.parameters())
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        of_weights.step()
        with lab.site("no_momentum", "biases", "momentum"):
            of_biases.step()
        lab.step_ended(network.parameters())
