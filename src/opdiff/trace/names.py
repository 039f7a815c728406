"""Taking printed op names apart: scope, type, and the counter that only one run knows."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

_COUNTER = re.compile(r"-op(\d+)$")
_CONSTANT = re.compile(r"^data-\d+$")
_DATA_SOURCE = re.compile(r"^kernel_graph[\d_-]*_?(HostDSActor|DeviceDSActor)$")
_COPY_NODE = re.compile(r"_node:(?P<node>.*?)(?:_output_index:\d+)?$")

WORKSPACE_TYPES = frozenset(
    "AclWorkspace WorkspaceAddress OutputAddress ResizeStorage SuperKernelActor UpdateOutputData "
    "CopyDeviceAddress BatchMemory ContiguousAllocMem AllocDeviceMemoryForTensorList".split()
)
BOOKKEEPING_TYPES = frozenset(
    # The second line: nodes of a compiled graph that no kernel stands for.
    "HostDSActor DeviceDSActor UpdateOutputDeviceAddress "
    "Load UpdateState Depend MakeTuple TupleGetItem MakeList ListGetItem Return".split()
)
EVENT_TYPES = frozenset("RecordEvent WaitEvent ResetEvent StreamSend StreamRecv".split())
COPY_TYPES = frozenset("copy_from CopyTensorData CopyValueNodeData".split())


class Role(IntEnum):
    """What a record is there for."""

    OP = 0
    CONSTANT = 1
    PARAMETER = 2
    WORKSPACE = 3
    BOOKKEEPING = 4
    EVENT = 5
    COPY = 6


class Name(NamedTuple):
    """A printed name taken apart."""

    scope: str
    type: str


def split_name(text: str) -> Name:
    """Scope and type of a printed name, the counter of this run dropped."""
    if text.startswith("copy_from:"):
        node = _COPY_NODE.search(text)
        inner = _COUNTER.sub("", node["node"]) if node else ""
        return Name(inner.rpartition("/")[0], "copy_from")
    source = _DATA_SOURCE.match(text)
    if source:
        return Name("", source[1])
    scope, _, last = text.rpartition("/")
    if _CONSTANT.match(last):
        return Name(scope, "data")
    return Name(scope, _COUNTER.sub("", last) or last)


def role_of(text: str, name: Name) -> Role:
    """The role a printed name announces (parameters also need to have no input)."""
    kind = name.type
    if kind == "data" and _CONSTANT.match(text.rpartition("/")[2]):
        return Role.CONSTANT
    for types, role in (
        (WORKSPACE_TYPES, Role.WORKSPACE),
        (BOOKKEEPING_TYPES, Role.BOOKKEEPING),
        (EVENT_TYPES, Role.EVENT),
        (COPY_TYPES, Role.COPY),
    ):
        if kind in types:
            return role
    # Ops are CamelCase, or qualified (``aten::add``); what else has no scope is a parameter's name.
    if not name.scope and "::" not in kind and (kind[:1].islower() or "." in kind):
        return Role.PARAMETER
    return Role.OP
