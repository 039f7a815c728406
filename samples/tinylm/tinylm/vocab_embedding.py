"""The embedding of the sample model, its vocabulary shared out over several devices.

The synthesised traces name these lines. The program itself was never run: it is here so that the
window has a source to show beside them.

Each device keeps the rows of some ids. What it does not know it counts as zero, and the sum over
all devices is the embedding.
"""

from __future__ import annotations

from mindspore import Parameter, Tensor, mint, nn
from mindspore.mint import distributed


class Share:
    """The ids that one device keeps."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last


# What the right run compiles with @jit. It had no kernels for these integer ops on the device.
def mask_foreign_ids(ids: Tensor, share: Share) -> tuple[Tensor, Tensor]:
    """The ids as rows of this device's share, and which of them are none of its own."""
    # An id of another device must not be looked up here: it becomes 0, and is masked away below.
    below = mint.less(ids, share.first)
    foreign = mint.bitwise_or(below, mint.greater_equal(ids, share.last))
    rows = ids - share.first
    return rows * mint.logical_not(foreign), foreign


class VocabEmbedding(nn.Cell):
    """Looks ids up in this device's share, and adds up what all devices found."""

    def __init__(self, share: Share, width: int) -> None:
        super().__init__()
        self.share = share
        if share.first >= share.last:
            raise ValueError(f"no ids from {share.first} to {share.last}")
        rows = share.last - share.first
        self.weight = Parameter(mint.normal(0.0, 0.02, (rows, width)))

    def construct(self, ids: Tensor) -> Tensor:
        """The vectors of the ids, sequence first."""
        # Of all ids in the batch this device knows only some: the others come from its neighbours,
        # in whose shares they are. What is not known here counts as zero in the sum.

        # From here on rows are those of the share.
        rows, foreign = mask_foreign_ids(ids, self.share)

        found = mint.nn.functional.embedding(rows, self.weight)
        own = mint.logical_not(foreign)
        found = found * own.expand_dims(-1)
        found = found.transpose(1, 0, 2)
        found = found.contiguous()
        distributed.all_reduce(found)
        return found
