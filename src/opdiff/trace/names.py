"""Taking printed op names apart: scope, type, and the counter that only one run knows."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from opdiff.trace.traits import Trait, traits_of

_COUNTER = re.compile(r"-op(\d+)$")
_CONSTANT = re.compile(r"^data-\d+$")
_DATA_SOURCE = re.compile(r"^kernel_graph[\d_-]*_?(HostDSActor|DeviceDSActor)$")
_COPY_NODE = re.compile(r"_node:(?P<node>.*?)(?:_output_index:\d+)?$")


class Role(IntEnum):
    """What a record is there for."""

    OP = 0
    CONSTANT = 1
    PARAMETER = 2
    WORKSPACE = 3
    BOOKKEEPING = 4
    EVENT = 5
    COPY = 6


_ROLES = (
    (Trait.WORKSPACE.value, Role.WORKSPACE),
    (Trait.BOOKKEEPING.value, Role.BOOKKEEPING),
    (Trait.EVENT.value, Role.EVENT),
    (Trait.TRANSFER.value, Role.COPY),
)


class OpName(NamedTuple):
    """A printed name taken apart."""

    scope: str
    type: str


def split_name(text: str) -> OpName:
    """Scope and type of a printed name, the counter of this run dropped."""
    if text.startswith("copy_from:"):
        node = _COPY_NODE.search(text)
        inner = _COUNTER.sub("", node["node"]) if node else ""
        return OpName(inner.rpartition("/")[0], "copy_from")
    source = _DATA_SOURCE.match(text)
    if source:
        return OpName("", source[1])
    scope, _, last = text.rstrip("/").rpartition("/")  # a damaged name may end with its scope
    if _CONSTANT.match(last):
        return OpName(scope, "data")
    return OpName(scope, _COUNTER.sub("", last) or last or text)


def role_of(text: str, name: OpName) -> Role:
    """The role a printed name announces (parameters also need to have no input)."""
    kind = name.type
    if kind == "data" and _CONSTANT.match(text.rpartition("/")[2]):
        return Role.CONSTANT
    traits = traits_of(kind).value
    for trait, role in _ROLES:
        if traits & trait:
            return role
    # Ops are CamelCase, or qualified (``aten::add``); what else has no scope is a parameter's name.
    if not name.scope and "::" not in kind and (kind[:1].islower() or "." in kind):
        return Role.PARAMETER
    return Role.OP
