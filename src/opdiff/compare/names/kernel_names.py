"""What names of kernels tell: fused ones list what they do, scopes the op that was expanded."""

from __future__ import annotations

import re

from opdiff.compare.names.spelling import canonical

_BEGINNING = "GraphKernel_"
_GRAPH_KERNEL = re.compile(rf"^{_BEGINNING}(.*?)_?(?:fusion|split|parallel)?(?:_?\d+)?$")
_EXPANSION = re.compile(r"(?:^|/)Expand/_(\w+)$")


def parts_of(name: str) -> tuple[str, ...]:
    """The op types that a fused kernel's name lists; empty for other names."""
    match = _GRAPH_KERNEL.match(name) if name.startswith(_BEGINNING) else None
    if not match:
        return ()
    parts = tuple(part for part in match[1].split("_") if part and not part.isdigit())
    return parts if len(parts) > 1 else ()


def expanded_op(scope: str) -> str:
    """The spelling of the op that a graph has expanded into this scope; empty for other scopes."""
    match = _EXPANSION.search(scope)
    return canonical(match[1]) if match else ""
