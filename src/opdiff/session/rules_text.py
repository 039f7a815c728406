"""The text of rules as it comes from outside: a file, a session, what was typed.

Where rules are added and taken away, the text is cut and patched at the places the parser names,
never written anew: comments, blank lines, quotes and order stay the user's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from opdiff.compare import Equivalent, Ignore, Rules
from opdiff.compare.rules_file import merge_rules, parse_rules
from opdiff.errors import OpdiffError
from opdiff.regular_files import read_text, too_large

MOST_BYTES = 128_000
"""Thousands of rules; parsing so much takes a second or two at worst."""

RuleEntry = Ignore | Equivalent | tuple[str, ...]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_MEANS_SOMETHING_ELSE = frozenset("y n yes no on off true false null".split())


def asked_rules(
    path: str | Path | None, ignore: Iterable[str], *, builtin: bool, also: Rules | None = None
) -> Rules:
    """What a file says, with ops to ignore by globs; *also* what holds already."""
    rules = also or Rules()
    if path is not None:
        rules = merge_rules(rules, load_rules(path))
    ignored = tuple(Ignore(op=glob) for glob in ignore)
    return merge_rules(rules, Rules(ignore=ignored, builtin=builtin))


def load_rules(path: str | Path) -> Rules:
    """The rules of a file; every mistake is an error that names the file and the line."""
    return rules_of(read_rules(path), str(path))


def read_rules(path: str | Path) -> str:
    """The text of a rules file."""
    return read_text(path, MOST_BYTES, "rules.cannot-read")


def rules_of(text: str, path: str | None = None) -> Rules:
    """The rules of a text, unless it is longer than any file may be; *path* is what errors name."""
    if len(text) > MOST_BYTES:
        raise too_large(len(text), MOST_BYTES, path)
    return parse_rules(text, path)


def add_rule(text: str, section: str, entry: RuleEntry) -> str:
    """The text with an entry at the end of a section; one that is there already stays alone."""
    before = parse_rules(text)
    entries = getattr(before, section)
    if entry in entries:
        return text
    change: dict[str, Any] = {section: (*entries, entry)}
    return _checked(_inserted(text, section, entry_text(entry)), replace(before, **change))


def remove_rule(text: str, section: str, index: int) -> str:
    """The text without an entry of a section; comments around it stay."""
    before = parse_rules(text)
    entries = list(getattr(before, section))
    del entries[index]
    change: dict[str, Any] = {section: tuple(entries)}
    return _checked(_cut(text, section, index), replace(before, **change))


def _checked(text: str, wanted: Rules) -> str:
    """YAML knows ways of writing that no patch foresees: the outcome must mean what was asked."""
    try:
        as_wanted = parse_rules(text) == wanted
    except OpdiffError:
        as_wanted = False
    if not as_wanted:
        raise OpdiffError("rules.edit-by-hand")
    return text


def entry_text(entry: RuleEntry) -> str:
    """An entry as it is written in the file, on one line."""
    if isinstance(entry, Ignore):
        if entry.scope == "*":
            return _name(entry.op)
        op = f"op: {_name(entry.op)}, " if entry.op != "*" else ""
        return f"{{{op}scope: {_name(entry.scope)}}}"
    if isinstance(entry, Equivalent):
        return f"{{left: {_names(entry.left)}, right: {_names(entry.right)}}}"
    return _names(entry)


def _names(names: tuple[str, ...]) -> str:
    return f"[{', '.join(map(_name, names))}]"


def _name(name: str) -> str:
    if _PLAIN.fullmatch(name) and name.lower() not in _MEANS_SOMETHING_ELSE:
        return name
    return '"' + "".join(map(_quoted, name)) + '"'


def _quoted(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else f"\\U{ord(character):08x}"


def _inserted(text: str, section: str, entry: str) -> str:
    key, node = _pair(text, section)
    if node is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{gap}{section}:\n  - {entry}\n"
    if node.id == "sequence" and node.flow_style:
        comma = ", " if node.value else ""
        at = _end(node.value[-1]) if node.value else node.start_mark.index + 1
        return f"{text[:at]}{comma}{entry}{text[at:]}"
    if node.id == "sequence":
        last = node.value[-1]
        return _after_line(text, _end(last), f"{_indent(text, last.start_mark.index)}- {entry}")
    return _after_line(text, int(key.end_mark.index), f"  - {entry}")


def _after_line(text: str, index: int, line: str) -> str:
    end = text.find("\n", index)
    if end < 0:
        return f"{text}\n{line}\n"
    return f"{text[: end + 1]}{line}\n{text[end + 1 :]}"


def _cut(text: str, section: str, index: int) -> str:
    _, node = _pair(text, section)
    assert node is not None, "the parser found entries in this section"
    entry = node.value[index]
    if not node.flow_style:
        start = text.rfind("\n", 0, entry.start_mark.index) + 1
        end = text.find("\n", _end(entry))
        return text[:start] + (text[end + 1 :] if end >= 0 else "")
    if index + 1 < len(node.value):
        return text[: entry.start_mark.index] + text[node.value[index + 1].start_mark.index :]
    start = _end(node.value[index - 1]) if index else entry.start_mark.index
    return text[:start] + text[_end(entry) :]


def _pair(text: str, section: str) -> tuple[Any, Any]:
    """The nodes of a section's name and of its value, or None for both."""
    # Imported here: only editing needs it.
    import yaml

    root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if root is not None and root.id == "mapping" else []
    return next((pair for pair in pairs if pair[0].value == section), (None, None))


def _end(node: Any) -> int:
    """Where a node's own text ends; block collections claim the comments behind them as well."""
    if node.id == "scalar" or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if node.id == "mapping" else last)


def _indent(text: str, index: int) -> str:
    line = text[text.rfind("\n", 0, index) + 1 : index]
    return line[: len(line) - len(line.lstrip())]
