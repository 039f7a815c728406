"""Python stacks as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from opdiff.trace.values import Frame

_LIBRARY_MARKS = ("/site-packages/", "/dist-packages/", "\\site-packages\\", "<frozen ")
_HOOKS = frozenset({"__torch_dispatch__", "__torch_function__"})
"""Of modes that record or count: the line to look at is the one that called the op."""
_ENTRY_FUNCTIONS = frozenset({"<module>", "main"})


class LazyStacks(Sequence[tuple[Frame, ...]]):
    """Stacks put together when someone looks: most are never looked at."""

    def at(self, place: int) -> tuple[Frame, ...]:
        """One of them, counted from 0."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[tuple[Frame, ...]]:
        return map(self.at, range(len(self)))

    @overload
    def __getitem__(self, index: int) -> tuple[Frame, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Frame, ...]]: ...
    def __getitem__(self, index: int | slice) -> tuple[Frame, ...] | Sequence[tuple[Frame, ...]]:
        found = range(len(self))[index]
        return self.at(found) if isinstance(found, int) else [self.at(each) for each in found]


def is_no_stack(frames: tuple[Frame, ...]) -> bool:
    """Whether a stack is only the frame that extracted it, as worker threads print."""
    return len(frames) == 1 and frames[0].file.replace("\\", "/").endswith("/traceback.py")


def innermost_first(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Frames from the op outwards.

    Traces print the outermost frame first. Some writers put the program's entry last instead:
    it is the outermost all the same.
    """
    if (
        len(frames) > 1
        and frames[-1].function in _ENTRY_FUNCTIONS
        and (frames[0].function not in _ENTRY_FUNCTIONS)
    ):
        return (*reversed(frames[:-1]), frames[-1])
    return tuple(reversed(frames))


def is_users(frame: Frame) -> bool:
    """Whether a frame is the user's own code: no library, nor what every op passes through."""
    if frame.function in _HOOKS:
        return False
    return not any(mark in frame.file for mark in _LIBRARY_MARKS)


def user_frame(frames: tuple[Frame, ...]) -> Frame | None:
    """The innermost frame of the user's own code, else the innermost, else None."""
    ordered = innermost_first(frames)
    for frame in ordered:
        if is_users(frame):
            return frame
    return ordered[0] if ordered else None
