"""A detector under MindSpore: one head for two levels, focal loss, boxes matched by overlap."""

from __future__ import annotations

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops

from lab.bugs import Bug, Variant
from lab.mindspore_networks.weights import kernel, weight

BATCH, SIZE, CHANNELS, CLASSES, KEEP, HARD = 2, 16, 8, 3, 40, 12
FINE, COARSE = SIZE // 2, SIZE // 4
BETA, ALPHA = 0.2, 0.75

BUGS = (
    Bug("no_alpha", "missing op", None, ("jit_step",)),
    Bug("no_clamp", "missing op", None, ("jit_step",)),
    Bug("union_twice", "missing op", None, ("jit_forward",)),
    Bug("plain_l1", "other op", None, ("jit_step",)),
    Bug("swapped_shift", "wiring"),
    Bug("no_exp", "missing op"),
    Bug("no_topdown", "missing op", None, ("jit_step",)),
    Bug("swapped_levels", "wiring", None, ("jit_forward",)),
    Bug("no_permute", "missing op", "fine", ("jit_step",)),
    Bug("other_head", "other weight", "coarse", ("jit_step",)),
    Bug("all_negative", "missing op", None, ("jit_step",)),
    Bug("keepdim", "broadcast", "deep", ("jit_forward",)),
)
VARIANTS = (Variant("jit_forward"), Variant("jit_step"))


class Stage(nn.Cell):
    """A convolution, a norm over each picture, something bent."""

    def __init__(self, lab, place: str, read: int, written: int, stride: int, seed: int):
        super().__init__()
        self.kernel = kernel(written, read, 3, seed)
        self.scale = weight(1, written, 1, 1, seed=seed + 1)
        self.shift = weight(1, written, 1, 1, seed=seed + 2)
        self.stride = stride
        self.keepdim = lab.broken("keepdim", place)

    def construct(self, x):
        """Normalised and bent."""
        x = ops.conv2d(x, self.kernel, stride=self.stride, pad_mode="pad", padding=1)
        x = x - mint.mean(x, (2, 3), True)
        square = mint.square(x)
        over = (0, 2, 3) if self.keepdim else (2, 3)
        power = mint.mean(square, over, True)  # site: keepdim
        x = x * mint.rsqrt(power + 1e-5) * self.scale + self.shift
        return mint.nn.functional.relu(x)


class Head(nn.Cell):
    """What is where, for one level."""

    def __init__(self, lab):
        super().__init__()
        self.refine = kernel(CHANNELS, CHANNELS, 3, 61)
        self.classes, self.boxes = kernel(CLASSES, CHANNELS, 1, 62), kernel(4, CHANNELS, 1, 63)
        self.spare = kernel(4, CHANNELS, 1, 64)
        self.shift = Parameter(Tensor(np.full((1, CLASSES, 1, 1), -1.0, np.float32)))
        self.no_permute = lab.broken("no_permute", "fine")
        self.other_head = lab.broken("other_head", "coarse")

    def flat(self, x, count):
        """Places before channels."""
        return mint.reshape(mint.permute(x, (0, 2, 3, 1)), (BATCH, -1, count))

    def construct(self, x, fine):
        """Logits and boxes of each place."""
        x = mint.nn.functional.relu(ops.conv2d(x, self.refine, pad_mode="pad", padding=1))
        logits = ops.conv2d(x, self.classes) + self.shift
        made = self.spare if self.other_head and not fine else self.boxes
        boxes = ops.conv2d(x, made)  # site: other_head
        if not (fine and self.no_permute):
            boxes = mint.permute(boxes, (0, 2, 3, 1))  # site: no_permute
        boxes = mint.reshape(boxes, (BATCH, -1, 4))  # site: no_permute
        return self.flat(logits, CLASSES), boxes


class Network(nn.Cell):
    """Pictures in, the loss of finding one thing in each out."""

    def __init__(self, lab):
        super().__init__()
        self.stem = Stage(lab, "stem", 3, CHANNELS, 2, 10)
        self.middle = Stage(lab, "middle", CHANNELS, CHANNELS, 1, 20)
        self.deep = Stage(lab, "deep", CHANNELS, CHANNELS, 2, 30)
        self.lateral = kernel(CHANNELS, CHANNELS, 1, 40)
        self.smooth = kernel(CHANNELS, CHANNELS, 3, 50)
        self.head = Head(lab)
        self.no_alpha, self.no_clamp = lab.broken("no_alpha"), lab.broken("no_clamp")
        self.union_twice, self.plain_l1 = lab.broken("union_twice"), lab.broken("plain_l1")
        self.swapped_shift, self.no_exp = lab.broken("swapped_shift"), lab.broken("no_exp")
        self.no_topdown, self.swapped_levels = (
            lab.broken("no_topdown"),
            lab.broken("swapped_levels"),
        )
        self.all_negative = lab.broken("all_negative")

    def levels(self, pictures):
        """The fine level and the coarse one."""
        fine = self.middle(self.stem(pictures))  # at: fine
        coarse = self.deep(fine)  # at: deep
        fine = ops.conv2d(fine, self.lateral)
        if not self.no_topdown:
            wide = mint.reshape(coarse, (BATCH, CHANNELS, COARSE, 1, COARSE, 1))  # site: no_topdown
            wide = mint.broadcast_to(
                wide, (BATCH, CHANNELS, COARSE, 2, COARSE, 2)
            )  # site: no_topdown
            wide = mint.reshape(wide, (BATCH, CHANNELS, FINE, FINE))  # site: no_topdown
            fine = fine + wide  # site: no_topdown
        return ops.conv2d(fine, self.smooth, pad_mode="pad", padding=1), coarse

    def decode(self, moved, anchors):
        """Boxes as corners, from what the head says about the anchors."""
        across, down, wide, high = mint.split(moved, 1, -1)
        x, y, width, height = mint.split(anchors, 1, -1)
        if self.swapped_shift:
            across, down = down, across
        x = x + across * width  # site: swapped_shift
        y = y + down * height  # site: swapped_shift
        if not self.no_exp:
            wide = mint.exp(wide)  # site: no_exp
            high = mint.exp(high)  # site: no_exp
        wide, high = wide * width, high * height  # site: no_exp
        return mint.cat((x - wide * 0.5, y - high * 0.5, x + wide * 0.5, y + high * 0.5), -1)

    def overlap(self, boxes, wanted):
        """Intersection over union."""
        low = mint.maximum(boxes[..., :2], wanted[..., :2])
        high = mint.minimum(boxes[..., 2:], wanted[..., 2:])
        sides = high - low
        if not self.no_clamp:
            sides = mint.nn.functional.relu(sides)  # site: no_clamp
        shared = sides[..., 0] * sides[..., 1]
        own = boxes[..., 2:] - boxes[..., :2]
        other = wanted[..., 2:] - wanted[..., :2]
        union = own[..., 0] * own[..., 1] + other[..., 0] * other[..., 1]
        if not self.union_twice:
            union = union - shared  # site: union_twice
        return shared / (mint.abs(union) + 1e-3)

    def focal(self, logits, targets, positive):
        """The log of how right the classes are; the easy ones count less."""
        likely = mint.sigmoid(logits)
        sure = mint.log(likely + 1e-6) * targets + mint.log(1 - likely + 1e-6) * (1 - targets)
        hard = mint.square(mint.abs(targets - likely))
        if not self.no_alpha:
            share = targets * ALPHA + (1 - targets) * (1 - ALPHA)  # site: no_alpha
            sure = sure * share  # site: no_alpha
        each = mint.sum(sure * hard, -1)
        cost = each
        if not self.all_negative:
            cost = cost * (1 - positive)  # site: all_negative
        worst, _ = ops.topk(-cost, HARD)  # site: all_negative
        return mint.sum(each * positive) - mint.sum(worst)

    def near(self, off):
        """Smooth L1."""
        size = mint.abs(off)  # site: plain_l1
        if self.plain_l1:
            return size
        bent = mint.square(size) * (0.5 / BETA)  # site: plain_l1
        return mint.where(size < BETA, bent, size - 0.5 * BETA)  # site: plain_l1

    def construct(self, pictures, anchors, wanted, hot):
        """The loss."""
        fine, coarse = self.levels(pictures)
        logits_fine, boxes_fine = self.head(fine, True)  # at: fine
        logits_coarse, boxes_coarse = self.head(coarse, False)  # at: coarse
        logits = mint.cat((logits_fine, logits_coarse), 1)
        if self.swapped_levels:
            moved = mint.cat((boxes_coarse, boxes_fine), 1)  # site: swapped_levels
        else:
            moved = mint.cat((boxes_fine, boxes_coarse), 1)  # site: swapped_levels
        boxes = self.decode(moved, anchors)
        overlaps = self.overlap(boxes, wanted)
        likely = ops.stop_gradient(overlaps)
        best, chosen = ops.topk(likely, KEEP)
        worst = mint.amin(best, -1, True)
        positive = (likely >= worst).astype(ms.float32)
        targets = mint.unsqueeze(positive * likely, -1) * hot
        classes = self.focal(logits, targets, positive)
        index = mint.broadcast_to(mint.unsqueeze(chosen, -1), (BATCH, KEEP, 4))
        kept = ops.gather_elements(boxes, 1, index)
        away = mint.sum(self.near(kept - wanted)) * 2.5
        missed = mint.sum(1 - ops.gather_elements(overlaps, 1, chosen))
        return -((classes - away - missed) / mint.sum(positive))


class Trainer(nn.Cell):
    """Tell the norm of the gradients, then step."""

    def __init__(self, _lab, weights):
        super().__init__()
        self.optimizer = nn.Momentum(weights, learning_rate=0.05, momentum=0.9, weight_decay=0.01)

    def moments(self):
        """What the optimizer keeps."""
        return [*self.optimizer.moments]

    def construct(self, gradients):
        """The norm; weights are updated."""
        total = mint.sum(mint.square(gradients[0]))
        for one in gradients[1:]:
            total = total + mint.sum(mint.square(one))
        norm = mint.sqrt(total)
        self.optimizer(gradients)
        return norm


def inputs() -> list[np.ndarray]:
    """Pictures, where boxes are looked for, the true ones, and their classes as hot ones."""
    random = np.random.default_rng(9)
    pictures = random.standard_normal((BATCH, 3, SIZE, SIZE)).astype(np.float32)
    anchors = []
    for side in (FINE, COARSE):
        at = (np.arange(side) + 0.5) / side
        y, x = np.meshgrid(at, at, indexing="ij")
        big = np.full(side * side, 1.5 / side)
        anchors.append(np.stack((x.ravel(), y.ravel(), big, big * 1.2), -1))
    anchors = np.concatenate(anchors)[None].repeat(BATCH, 0).astype(np.float32)
    wanted = np.array([[[0.2, 0.3, 0.6, 0.7]], [[0.5, 0.1, 0.9, 0.8]]], np.float32)
    hot = np.eye(CLASSES, dtype=np.float32)[[[0], [2]]]
    return [pictures, anchors, wanted, hot]
