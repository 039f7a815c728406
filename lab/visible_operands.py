"""Let MindSpore's tracker print operands on a CPU.

The tracker leaves out the operands of every tensor whose device is called ``CPU``. Its library
compares with one constant of its own; a process that changes it to a name no device has gets what
an accelerator would print. Only the memory of this process changes, no file.
"""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

LIBRARY = "libmindspore_memory_pool.so"
_CONSTANT, _ANCHOR = b"CPU", b"\0CPU\0GPU\0meta\0"
"""The constant, and the constants it stands between: those of the tracker's own source file."""
_READ, _WRITE = 1, 2


def show_operands() -> None:
    """To be called once MindSpore is imported and before anything runs."""
    address = _address_of_constant()
    libc = ctypes.CDLL(None, use_errno=True)
    page = address - address % mmap.PAGESIZE
    size = ctypes.c_size_t(address + len(_CONSTANT) - page)
    for protection in (_READ | _WRITE, _READ):
        if libc.mprotect(ctypes.c_void_p(page), size, protection):
            raise OSError(ctypes.get_errno(), f"the constants of {LIBRARY} cannot be changed")
        if protection & _WRITE:
            ctypes.memmove(address, _CONSTANT.lower(), len(_CONSTANT))


def _address_of_constant() -> int:
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, access, *_, file = line.split()
        if file.endswith(LIBRARY) and access.startswith("r-"):
            first, end = (int(number, 16) for number in span.split("-"))
            place = ctypes.string_at(first, end - first).find(_ANCHOR)
            if place >= 0:
                return first + place + 1
    raise RuntimeError(f"this MindSpore has another {LIBRARY}: its constants were not found")
