"""The text of FX graphs: what one line says, in each of the ways PyTorch prints them.

mul: "f32[2, 3][3, 1]cpu" = torch.ops.aten.mul.Tensor(x, 2);  x = None       print_readable, code
%mul : [num_users=1] = call_function[target=aten.mul](args = (%x, 2), …)     str(graph)
call_function  mul  aten.mul.Tensor  (x, 2)  {}                              print_tabular
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from opdiff.readers.arguments import Term, read_terms
from opdiff.readers.specs import dims_in, dtype_name, spec_with_strides
from opdiff.trace import Frame, TensorSpec

_SOURCE = re.compile(r"(?P<file>.*?):(?P<line>\d{1,9}) in (?P<rest>.*)")
_ASSIGNMENT = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?:\s*:\s*(?P<type>\"[^\"]*\"|[A-Za-z][\w.]*))?\s*=\s(?P<right>.*)",
    re.DOTALL,
)
_DECLARED = re.compile(r'(?P<name>[A-Za-z_]\w*)\s*:\s*"(?P<type>[^"]*)"\s*;?\s*$')
_ITEM_WRITTEN = re.compile(r"(?P<base>[A-Za-z_]\w*)\[")
_ALIASED = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?:: \"(?P<type>[^\"]*)\")? = (?P<value>[A-Za-z_]\w*)$"
)
_CHANGED = re.compile(
    r"(?P<base>[A-Za-z_]\w*) (?P<sign>\*\*|//|<<|>>|[-+*/%@&|^])= (?P<right>\S.*)$"
)
_SUBMODULE = re.compile(r"getattr\((?P<base>self[\w.]*), ['\"](?P<name>\w+)['\"]\)")
_CALL = re.compile(r"(?P<target>[A-Za-z_][\w.]*)\(")
_WORD = re.compile(r"[A-Za-z_][\w.]*$")
_INFIX = re.compile(
    r"(?P<left>\S+) (?P<sign>\*\*|//|<<|>>|<=|>=|==|!=|is not|is|in|[-+*/%@&|^<>]) (?P<right>\S.*)$"
)
_PREFIX = re.compile(r"(?P<sign>-|~|\+|not )(?P<value>\S+)$")
_LISTED = re.compile(
    r"\s*%(?P<name>\w+) :(?P<type>[^\[=]*)\[(?:num_users|#users)=\d+\] = "
    r"(?P<kind>\w+)\[target=(?P<target>[^\]]+)\](?P<rest>.*)$"
)
_TYPE = re.compile(
    r"(?P<dtype>[a-z][a-z0-9]*)\[(?P<shape>[^\]]*)\](?:\[(?P<strides>[^\]]*)\])?(?P<device>[\w:]*)$"
)
_RANDOM_NAME = re.compile(r"^(__compiled_fn_\d+)_[0-9a-f]{8}(?:_[0-9a-f]+)*$")
_BUILT_IN = re.compile(r"<(?:built-in )?(?:function|method) (?P<name>[\w.]+)")
_IGNORED = ("fx_pytree.", "self._guards_fn(")
_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul",
    "**": "pow", "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor", "<": "lt",
    "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne", "is": "is_", "is not": "is_not",
    "in": "contains",
}  # fmt: skip
CHANGING = frozenset(f"i{_OPERATORS[sign]}" for sign in "+ - * / // % @ ** << >> & | ^".split())
"""Operators that change what stands on their left."""
_SIGNS = {"-": "neg", "~": "invert", "+": "pos", "not ": "not"}


_QUOTES = "'\""


class FxKind(Enum):
    """What a statement does."""

    CALL = "call"
    ITEM = "item"
    """``split[0]``: an output of a call, or an op on a tensor."""
    ALIAS = "alias"
    INPUT = "input"
    ATTRIBUTE = "attribute"
    """``self.weight``: a tensor that the module holds."""
    RETURN = "return"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a graph."""

    kind: FxKind
    name: str = ""
    op: str = ""
    terms: tuple[Term, ...] = ()
    type: str = ""
    """The type it prints, as printed; empty where it prints none."""
    complete: bool = True
    """Whether all brackets are closed."""


def read_source(line: str) -> Frame | None:
    """The place in the user's code that a comment names, or None."""
    _, mark, place = line.partition("File: ")
    match = _SOURCE.match(place) if mark else None
    if match is None:
        return None
    return Frame(match["file"], int(match["line"]), match["rest"].partition(", code:")[0].strip())


def graph_name(banner: str) -> str:
    """A name without what is random in it: ``__compiled_fn_1_9346ae23_351c_…``."""
    match = _RANDOM_NAME.match(banner)
    return match[1] if match else banner


# print_readable and code


def read_statement(text: str, is_value: Collection[str]) -> Statement | None:
    """A line of Python, or None if it is no statement of a graph.

    *is_value* tells names of values from those of modules: ``x.view(3)`` from ``torch.view(x)``.
    """
    text = text.strip()
    if text.startswith("return"):
        return Statement(FxKind.RETURN, terms=read_terms(text[6:].strip())[0])
    declared = _DECLARED.match(text)
    if declared:
        return Statement(FxKind.INPUT, declared["name"], type=declared["type"])
    text, alias = _without_frees(_with_plain_modules(text))
    if any(mark in text for mark in _IGNORED):
        return Statement(FxKind.NOTHING)
    if alias is not None and _ITEM_WRITTEN.match(text):
        return _read_item_written(text, alias)
    changed = _CHANGED.match(text)
    if alias is not None and changed:
        return _read_changed(changed, alias)
    match = _ASSIGNMENT.match(text)
    if match is None:
        return None
    statement = _read_right(match["right"].strip(), is_value)
    if statement is None:
        return None
    return replace(statement, name=match["name"], type=(match["type"] or "").strip('"'))


def _without_frees(text: str) -> tuple[str, re.Match[str] | None]:
    """A statement without ``;  a = b = None``, and what ``;  setitem = x`` behind it says."""
    alias = None
    for _ in range(3):
        head, semicolon, tail = text.rpartition(";  ")
        if not semicolon:
            break
        tail = tail.strip()
        if not tail.endswith("= None"):
            alias = None if alias else _ALIASED.match(tail)
            if alias is None:
                break
        text = head
    return text.rstrip(" ;"), alias


def _read_item_written(text: str, alias: re.Match[str]) -> Statement | None:
    """``x[index] = value;  setitem = x``."""
    opened = _ITEM_WRITTEN.match(text)
    assert opened is not None
    index, end = read_terms(text, opened.end())
    equals = text.find("=", end)
    if equals < 0:
        return None
    value, _ = read_terms(text[equals + 1 :])
    terms = (Term(opened["base"]), *index, *value)
    return Statement(FxKind.CALL, alias["name"], "operator::setitem", terms)


def _read_changed(changed: re.Match[str], alias: re.Match[str]) -> Statement:
    """``x += value;  iadd: "f32[2]" = x``."""
    terms = (Term(changed["base"]), *read_terms(changed["right"])[0])
    op = f"operator::i{_OPERATORS[changed['sign']]}"
    return Statement(FxKind.CALL, alias["name"], op, terms, alias["type"] or "")


def _with_plain_modules(text: str) -> str:
    """``self.seq.0`` for ``getattr(self.seq, "0")``, as modules with numbers for names print."""
    while "getattr(self" in text:
        plain = _SUBMODULE.sub(r"\g<base>.\g<name>", text)
        if plain == text:
            break
        text = plain
    return text


def declared_inputs(text: str) -> list[Statement]:
    """The inputs of ``a: "f32[2]"; b: "f32[3]"``, as joint graphs print theirs; else nothing."""
    pieces = [_DECLARED.match(piece) for piece in text.strip().split("; ")]
    if len(pieces) < 2 or not all(pieces):
        return []
    return [Statement(FxKind.INPUT, piece["name"], type=piece["type"]) for piece in pieces if piece]


def _read_right(text: str, is_value: Collection[str]) -> Statement | None:
    """What stands to the right of the equals sign."""
    if _WORD.match(text):
        return _read_word(text, is_value)
    call = _CALL.match(text)
    if call is not None:
        terms, end = read_terms(text, call.end())
        if end >= len(text) - 1:
            called = _called(call["target"], terms, is_value)
            return called if end < len(text) else replace(called, complete=False)
    item = _ITEM_WRITTEN.match(text)
    if item is not None:
        terms, end = read_terms(text, item.end())
        if end >= len(text) - 1:
            # The comma of `x[0, 1]` is one index of two, as `x[(0, 1)]` is.
            index = terms[0] if len(terms) == 1 else Term("", terms, "(")
            whole, complete = (Term(item["base"]), index), end < len(text)
            return Statement(FxKind.ITEM, op="operator::getitem", terms=whole, complete=complete)
    return _read_operator(text)


def _read_word(text: str, is_value: Collection[str]) -> Statement:
    root, _, rest = text.partition(".")
    if root == "self" and rest:
        return Statement(FxKind.ATTRIBUTE, op=rest)
    if rest and root in is_value:
        return Statement(FxKind.CALL, op=f"Tensor::{rest}", terms=(Term(root),))
    return Statement(FxKind.ALIAS, terms=(Term(text),))


def _read_operator(text: str) -> Statement | None:
    prefix = _PREFIX.match(text)
    if prefix is not None:
        op = f"operator::{_SIGNS[prefix['sign']]}"
        return Statement(FxKind.CALL, op=op, terms=(Term(prefix["value"]),))
    infix = _INFIX.match(text)
    if infix is None:
        return None
    left, right = read_terms(infix["left"])[0], read_terms(infix["right"])[0]
    return Statement(
        FxKind.CALL, op=f"operator::{_OPERATORS[infix['sign']]}", terms=(*left, *right)
    )


def _called(target: str, terms: tuple[Term, ...], is_value: Collection[str]) -> Statement:
    root, _, rest = target.partition(".")
    if root in is_value and rest:
        return Statement(FxKind.CALL, op=f"Tensor::{rest}", terms=(Term(root), *terms))
    if root == "self" and rest:
        return Statement(FxKind.CALL, op=f"Module::{rest}", terms=terms)
    return _function(target, terms)


def _function(target: str, terms: tuple[Term, ...]) -> Statement:
    op = function_name(target)
    if op in ("torch::getattr", "builtins::getattr") and len(terms) == 2:
        op, terms = f"Tensor::{terms[1].word.strip(_QUOTES)}", terms[:1]
    kind = FxKind.ITEM if op == "operator::getitem" else FxKind.CALL
    return Statement(kind, op=op, terms=terms)


@lru_cache(maxsize=4096)
def function_name(target: str) -> str:
    """``aten::mul`` for ``torch.ops.aten.mul.Tensor``, ``torch::cos`` for ``torch.cos``."""
    built_in = _BUILT_IN.match(target)
    if built_in:
        name = built_in["name"]
        return f"operator::{name}" if name in _OPERATOR_NAMES else f"torch::{name}"
    parts = target.split(".")
    if target in _HIGHER_ORDER:
        return f"higher_order::{target}"
    if parts[:2] == ["torch", "ops"] and len(parts) > 3:
        return f"{parts[2]}::{parts[3]}"
    if parts[0] in ("operator", "_operator"):
        return f"operator::{parts[-1]}"
    if parts[0] in ("torch", "math", "builtins") or len(parts) < 3:
        return f"{parts[0] if len(parts) > 1 else 'torch'}::{parts[-1]}"
    return f"{parts[0]}::{parts[1]}"  # an overload: aten.mul.Tensor


_HIGHER_ORDER = frozenset(
    "cond while_loop scan associative_scan map_impl wrap wrap_with_autocast flex_attention "
    "wrap_with_set_grad_enabled wrap_activation_checkpoint tag_activation_checkpoint "
    "invoke_subgraph flex_attention_backward auto_functionalized auto_functionalized_v2".split()
)
"""Ops that take graphs; a table prints no more than these names."""
_OPERATOR_NAMES = frozenset({*_OPERATORS.values(), *_SIGNS.values(), "getitem", "setitem"})


# str(graph)


def read_listed(line: str) -> Statement | None:
    """A line of ``str(graph)``, or None."""
    if line.strip().startswith("return"):
        return Statement(FxKind.RETURN, terms=read_terms(line.strip()[6:].strip())[0])
    match = _LISTED.match(line)
    if match is None:
        return None
    rest = match["rest"]
    terms, end = read_terms(rest, 1) if rest else ((), 0)
    complete = not rest or end < len(rest)
    inner = {term.name: term.items or () for term in terms}
    arguments = _without_signs((*inner.get("args", ()), *inner.get("kwargs", ())))
    found = _of_opcode(match["kind"], match["name"], match["target"], arguments)
    if found is None:
        return None
    if found.kind is FxKind.INPUT:
        return replace(found, type=match["type"].strip())
    return replace(found, complete=complete) if found.kind in (FxKind.CALL, FxKind.ITEM) else found


def _without_signs(terms: Sequence[Term]) -> tuple[Term, ...]:
    """The terms with ``%x`` as ``x``."""
    return tuple(
        Term(
            term.word.removeprefix("%"),
            None if term.items is None else _without_signs(term.items),
            term.bracket,
            term.name,
        )
        for term in terms
    )


def _of_opcode(opcode: str, name: str, target: str, terms: tuple[Term, ...]) -> Statement | None:
    if opcode == "placeholder":
        return Statement(FxKind.INPUT, name)
    if opcode == "get_attr":
        return Statement(FxKind.ATTRIBUTE, name, target)
    if opcode == "output":
        return Statement(FxKind.RETURN, terms=terms)
    if opcode == "call_function":
        return replace(_function(target, terms), name=name)
    if opcode == "call_module" and f"self.{target}(" in _IGNORED:
        return Statement(FxKind.NOTHING)
    kinds = {"call_method": "Tensor", "call_module": "Module"}
    if opcode not in kinds:
        return None
    return Statement(FxKind.CALL, name, f"{kinds[opcode]}::{target}", terms)


# print_tabular


def read_columns(ruler: str) -> tuple[int, ...]:
    """Where the columns begin, by the line of dashes below their names."""
    return tuple(match.start() for match in re.finditer(r"-+", ruler))


def read_tabular(line: str, columns: Sequence[int]) -> Statement | None:
    """A row of the table, or None."""
    bounds = [*columns, None]
    cells = [line[bounds[place] : bounds[place + 1]].strip() for place in range(len(columns))]
    if len(cells) < 4 or not cells[0]:
        return None
    opcode, name, target, *rest = cells
    arguments = [term for cell in rest for term in _cell_terms(cell)]
    return _of_opcode(opcode, name, target, tuple(arguments))


def _cell_terms(cell: str) -> tuple[Term, ...]:
    terms, _ = read_terms(cell)
    return terms[0].items or () if len(terms) == 1 and terms[0].items is not None else terms


# Types


@lru_cache(maxsize=8192)
def read_type(text: str) -> TensorSpec | None:
    """``f32[2, 3][3, 1]cpu``; None for what is no tensor. Symbolic dimensions are -1."""
    match = _TYPE.match(text)
    if match is None:
        return None
    shape, strides = match["shape"].split(","), match["strides"]
    steps = None if strides is None else dims_in(strides.split(","))
    return spec_with_strides(dtype_name(match["dtype"]), dims_in(shape), steps, None)
