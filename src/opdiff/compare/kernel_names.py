"""Names of fused kernels that list what they do."""

from __future__ import annotations

import re

_BEGINNING = "GraphKernel_"
_GRAPH_KERNEL = re.compile(rf"^{_BEGINNING}(.*?)_?(?:fusion|split|parallel)?(?:_?\d+)?$")


def parts_of(name: str) -> tuple[str, ...]:
    """The op types that a fused kernel's name lists; empty for other names."""
    match = _GRAPH_KERNEL.match(name) if name.startswith(_BEGINNING) else None
    if not match:
        return ()
    parts = tuple(part for part in match[1].split("_") if part and not part.isdigit())
    return parts if len(parts) > 1 else ()
