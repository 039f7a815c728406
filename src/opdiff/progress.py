"""One progress object for the command line and the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Cancelled(Exception):  # noqa: N818 - no error: the user wanted it
    """The user asked a long piece of work to stop."""


class Progress:
    """What long work tells its caller, and how the caller stops it.

    The base class is silent and never cancels; the command line and the window
    override :meth:`report`, and raise :class:`Cancelled` from it to stop the work.
    """

    def report(self, stage: str, done: int, total: int) -> None:
        """Called between small pieces of work: *done* of *total* of *stage*."""

    def linked(self, left_rows: NDArray[np.int32], right_rows: NDArray[np.int32]) -> None:
        """Rows that are known to be pairs already, while the rest is still being aligned."""


SILENT = Progress()
