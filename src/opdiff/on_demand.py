"""Packages whose names are imported when somebody asks for them: a command starts at once."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping


def names_in(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """A ``__getattr__`` for a package; *modules* names the names of each of its modules."""
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def found(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(importlib.import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return found
