"""Paths of modules under a layer mapping: names of layers are others in another framework."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from opdiff.readers.msprobe_beside import read_beside
from opdiff.readers.msprobe_entries import MODULE, read_name

TOP = ("TopLayer", "Cell")
"""What msprobe calls the root: now, and in older files."""


def classes_beside(dump: Path) -> dict[str, str]:
    """The class of the module at each path, as far as ``construct.json`` beside a dump tells."""
    found: dict[str, str] = {}
    parents = read_beside(dump).parents
    for text in {*parents, *parents.values()}:
        name = read_name(text)
        if name is not None and name.level == MODULE:
            kind = name.type.removesuffix("_backward").removesuffix("_parameters_grad")
            found.setdefault(name.path, kind)
    return found


def renamed_by_layers(
    layers: Mapping[str, Mapping[str, str]],
    classes: Mapping[str, str],
    used: set[tuple[str, str]],
) -> Callable[[str], str]:
    """Gives paths their names of the other framework; what of the mapping did so is *used*."""

    @cache
    def below(path: str) -> list[tuple[str, str, str]]:
        """The class, name and new name of layers right below a path, long names first."""
        kinds = TOP if not path else (classes.get(path, ""),)
        found = [(kind, name, new) for kind in kinds for name, new in layers.get(kind, {}).items()]
        return sorted(found, key=lambda each: -each[1].count("."))

    @cache
    def renamed(path: str) -> str:
        parts = path.split(".") if path else []
        done = 0
        new: list[str] = []
        while done < len(parts):
            rest = ".".join(parts[done:])
            layer = next(
                (
                    here
                    for here in below(".".join(parts[:done]))
                    if f"{rest}.".startswith(f"{here[1]}.")
                ),
                ("", parts[done], parts[done]),
            )
            if layer[0]:
                used.add(layer[:2])
            new.append(layer[2])
            done += layer[1].count(".") + 1
        return ".".join(new)

    return renamed
