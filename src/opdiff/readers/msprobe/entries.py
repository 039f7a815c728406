"""The entries of msprobe's ``dump.json``: names, tensors and plain arguments.

Functional.linear.0.forward            an API call: what it is, its name, its number, which way
Module.blocks.0.up.Linear.forward.0    a module or cell: its path and class, which way, number
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from opdiff.readers.arguments import TENSOR, called_with, leaf_text, scalar_text, string_text, whole
from opdiff.readers.specs import dims_of, dtype_name
from opdiff.trace import TensorSpec
from opdiff.trace.told import AS_THEY_ARE, Arguments

API, MODULE = "api", "module"
_MODULE_NAME = re.compile(
    r"^(?:Module|Cell)\.(?P<path>.+)\."
    r"(?:(?P<way>forward|backward|parameters_grad)\.(?P<count>\d{1,18})|(?P<old>parameters_grad))$"
)
"""Older versions do not number the gradients of parameters."""
_API_NAME = re.compile(
    r"^(?P<kind>[^.]+)\.(?P<api>.+)\.(?P<count>\d{1,18})\.(?P<way>forward|backward)$"
)
_KNOWN_FIELDS = frozenset("input_args input_kwargs input output parameters is_recompute".split())
_DEEPEST = 40


class EntryName(NamedTuple):
    """A name taken apart."""

    level: str
    type: str
    """``Functional::linear``, ``Functional::linear_backward``, ``Linear``."""
    path: str
    """Of a module: where it stands in the net."""
    number: str


def read_name(text: str) -> EntryName | None:
    """What a key of the dump names, or None."""
    module = _MODULE_NAME.match(text)
    if module is not None:
        path, _, kind = module["path"].rpartition(".")
        way = module["way"] or module["old"]
        return EntryName(MODULE, kind + _ending(way), path, module["count"] or "0")
    api = _API_NAME.match(text)
    if api is None:
        return None
    return EntryName(API, f"{api['kind']}::{api['api']}{_ending(api['way'])}", "", api["count"])


def _ending(way: str) -> str:
    return "" if way == "forward" else f"_{way}"


@dataclass(slots=True)
class RecordedCall:
    """What an entry says of its op."""

    inputs: list[Mapping[str, Any]] = field(default_factory=list)
    outputs: list[Mapping[str, Any]] = field(default_factory=list)
    arguments: str = ""
    recomputed: bool = False
    unknown: tuple[str, ...] = ()
    """Members that this reader does not know, as a newer version may write."""


def read_call(
    name: EntryName, entry: Mapping[str, Any], arguments: Arguments = AS_THEY_ARE
) -> RecordedCall:
    """Take an entry apart, of its *arguments* those that count; tensors stay as they are."""
    entry = _of_interest(entry, arguments)
    call = RecordedCall(recomputed=entry.get("is_recompute") is True)
    if name.type.endswith("_parameters_grad"):
        call.outputs = [tensor for value in entry.values() for tensor in tensors(value)]
        return call
    for key in ("input_args", "input", "input_kwargs", "parameters"):
        call.inputs += tensors(entry.get(key))
    call.outputs += tensors(entry.get("output"))
    call.arguments = _arguments(entry)
    call.unknown = tuple(key for key in entry if key not in _KNOWN_FIELDS)
    return call


def _of_interest(entry: Mapping[str, Any], arguments: Arguments) -> Mapping[str, Any]:
    """An entry with some of its arguments and outputs, in the order of the user's."""
    changed: dict[str, Any] = {}
    if arguments.inputs is not None:
        places, named = entry.get("input_args"), entry.get("input_kwargs")
        changed["input_args"] = list(_chosen(arguments.inputs, places, named))
        changed["input_kwargs"] = {}
    if arguments.outputs is not None:
        changed["output"] = list(_chosen(arguments.outputs, entry.get("output"), None))
    return {**entry, **changed} if changed else entry


def _chosen(wanted: Iterable[int | str], places: object, named: object) -> Iterator[Any]:
    for one in wanted:
        if isinstance(one, int) and isinstance(places, list) and one < len(places):
            yield places[one]
        elif isinstance(one, str) and isinstance(named, dict) and one in named:
            yield named[one]


def is_tensor(value: object) -> bool:
    """Whether a value stands for a tensor."""
    return isinstance(value, dict) and "dtype" in value and isinstance(value.get("shape"), list)


def tensors(value: object, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """All tensors in a value, however nested, in order."""
    if is_tensor(value):
        assert isinstance(value, dict)
        yield value
    elif depth < _DEEPEST and isinstance(value, (list, dict)) and not _is_plain(value):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors(item, depth + 1)


def spec_of(tensor: Mapping[str, Any]) -> TensorSpec:
    """Dtype and shape; a dimension that is no number is unknown, -1."""
    return _spec(str(tensor["dtype"]), dims_of(tensor["shape"]))


@lru_cache(maxsize=8192)
def _spec(dtype: str, shape: tuple[int, ...]) -> TensorSpec:
    return TensorSpec(dtype_name(whole(dtype)), shape)


def _is_plain(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _arguments(entry: Mapping[str, Any]) -> str:
    plain = entry.get("input_args", entry.get("input"))
    named = entry.get("input_kwargs")
    texts = [_text(value) for value in plain] if isinstance(plain, list) else []
    pairs = named.items() if isinstance(named, dict) else ()
    return called_with(texts, [(whole(key), _text(value)) for key, value in pairs])


def _text(value: object, depth: int = 0) -> str:
    if is_tensor(value):
        return TENSOR
    if depth == _DEEPEST:
        return "…"
    if isinstance(value, list):
        return f"[{', '.join([_text(item, depth + 1) for item in value])}]"
    if not isinstance(value, dict):
        return scalar_text(value)
    if not _is_plain(value):
        inner = [f"{whole(key)}={_text(item, depth + 1)}" for key, item in value.items()]
        return f"[{', '.join(inner)}]"
    return _plain_text(value["type"], value)


def _plain_text(kind: str, value: Mapping[str, Any]) -> str:
    """``{"type": "float", "value": 1e-05}``; things without a value are named by their type."""
    if "value" not in value:
        return f"<{whole(kind).rpartition('.')[2]}>"
    held = value["value"]
    if kind == "str" and isinstance(held, str):
        return string_text(held)
    if kind == "slice" and isinstance(held, list):
        return f"slice({', '.join(map(scalar_text, held))})"
    return leaf_text(held) if isinstance(held, str) else scalar_text(held)
