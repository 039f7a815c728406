"""The names that are known to do the same job: the table of the package and the user's rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from opdiff.compare.rules import Rules

Names = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Which op types may be paired, and which sequences one op may stand for."""

    partners: dict[str, frozenset[str]]
    """Of each name, those it may be paired with."""
    expansions: dict[str, tuple[Names, ...]]
    """Of each name, the sequences that do its work."""
    same: dict[frozenset[str], int]
    """Pairs of names that are no difference, and the rule that says so."""

    def may_pair(self, left: str, right: str) -> bool:
        """Whether the two names are equal or known counterparts."""
        return left == right or right in self.partners.get(left, ())

    def same_rule(self, left: str, right: str) -> int | None:
        """The entry of ``same`` that makes the names no difference, or None."""
        return self.same.get(frozenset((left, right)))


def table_for(rules: Rules) -> Table:
    """The table that holds under these rules."""
    built_in = _built_in() if rules.builtin else {"one_to_one": [], "one_to_many": []}
    partners: dict[str, set[str]] = {}
    for names in (*built_in["one_to_one"], *rules.counterparts, *rules.same):
        for name in names:
            partners.setdefault(name, set()).update(other for other in names if other != name)
    expansions: dict[str, list[Names]] = {}
    for entry in built_in["one_to_many"]:
        expansions.setdefault(entry["one"], []).append(tuple(entry["many"]))
    same: dict[frozenset[str], int] = {}
    for index, names in enumerate(rules.same):
        for name in names:
            for other in names:
                if other != name:
                    same.setdefault(frozenset((name, other)), index)
    return Table(
        {name: frozenset(others) for name, others in partners.items()},
        {name: tuple(sequences) for name, sequences in expansions.items()},
        same,
    )


@cache
def _built_in() -> dict[str, Any]:
    # YAML is slow to import and not every command compares.
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = resources.files("opdiff.data").joinpath("equivalences.yaml").read_bytes()
    loaded: dict[str, Any] = yaml.load(text, Loader=loader)
    return loaded
