"""TorchAir's dump as Python: one call a line, with comments that say where it came from."""

from __future__ import annotations

import re

from opdiff.readers.arguments import (
    Term,
    argument_text,
    called_with,
    read_terms,
    spelled_as_printed,
)
from opdiff.readers.ascend.torchair_ops import DTYPES, RESULT, GeOp
from opdiff.readers.pytorch.fx_text import function_name
from opdiff.readers.specs import UNKNOWN_SPEC, dims_in, dtype_name
from opdiff.trace import Frame, TensorSpec

_STATEMENT = re.compile(r"(?P<outputs>\w+(?:, \w+)*) = ge\.(?P<type>\w+)\(")
_SOURCE = re.compile(r'# File "(?P<file>.*?)", line (?P<line>\d{1,9}), in (?P<function>\S+)')
_FX = re.compile(r"## FX Code: (?P<name>\w+)(?:: (?P<type>[^=]*?))? = (?P<target>[\w.]+)\(")
_KNOWN = ("from ", "import ", "ge.", "with ", "get_default_ge_graph")
_FX_TYPE = re.compile(r"(?P<dtype>torch\.\w+)\[(?P<shape>[^\]]*)\]")


class CodeReader:
    """Takes lines; gives ops. What a comment says holds for the statements below it."""

    def __init__(self) -> None:
        self._stack: tuple[Frame, ...] = ()
        self._scope = ""
        self._made: TensorSpec | None = None
        """What the FX node makes: that is the output of the last op before the next node."""
        self._names: dict[str, tuple[str, int]] = {}
        self._held: GeOp | None = None
        self._told = False
        """Whether a line of the user's code was told since the last FX node."""
        self.stray = False
        """Whether the last line should be a statement and is none."""
        self.inherited = False
        """Whether some op has its line of code from the node before: it is printed only once."""

    def take(self, number: int, line: str) -> GeOp | None:
        """The op of the statement before, where this line ends what is known of it."""
        text = line.strip()
        self.stray = False
        if text.startswith("#"):
            return self._take_comment(text)
        match = _STATEMENT.match(text)
        terms, end = read_terms(text, match.end()) if match else ((), 0)
        if match is None or end == len(text):
            self.stray = bool(text) and not text.startswith(_KNOWN)
            return None
        if match["type"] == RESULT:
            held = self.end()
            self._stack, self._scope, self._made = (), "", None
        else:
            held = self._held
        self._held = self._op(number, match, terms)
        return held

    def end(self) -> GeOp | None:
        """The last op."""
        held, self._held = self._held, None
        if held is not None and self._made is not None and held.outputs.get(0) == UNKNOWN_SPEC:
            held.outputs[0] = self._made
        return held

    def _take_comment(self, text: str) -> GeOp | None:
        source, fx = _SOURCE.match(text), _FX.match(text)
        held = self.end() if source or fx else None
        if source:
            frame = Frame(source["file"], int(source["line"]), source["function"])
            self._stack, self._scope, self._made = (frame,), "", None
            self._told = True
        elif fx:
            self.inherited |= bool(self._stack) and not self._told
            self._told = False
            self._scope = function_name(fx["target"])
            kind = _FX_TYPE.match(fx["type"] or "")
            self._made = kind and TensorSpec(
                dtype_name(kind["dtype"]), dims_in(kind["shape"].split(","))
            )
        return held

    def _op(self, number: int, match: re.Match[str], terms: tuple[Term, ...]) -> GeOp:
        variables = match["outputs"].split(", ")
        named = {term.name: term for term in terms if term.name}
        given = named.get("node_name")
        name = given.word.strip("'\"") if given else variables[0]
        op = GeOp(name, match["type"], line=number, last_line=number)
        if match["type"] != "Data":
            op.stack, op.scope = self._stack, self._scope
        read = [term for term in terms if term.name not in ("node_name", "dependencies")]
        op.inputs = [
            self._names[word] for term in read for word in term.words() if word in self._names
        ]
        op.arguments = called_with(
            [self._text(term) for term in read if not term.name],
            [(term.name, self._text(term)) for term in read if term.name],
        )
        for place, variable in enumerate(variables):
            if variable != "_":
                self._names[variable] = (name, place)
                op.outputs[place] = _data_spec(named) if match["type"] == "Data" else UNKNOWN_SPEC
        return op

    def _text(self, term: Term) -> str:
        if term.items is not None and term.word in ("ge.Const", "ge.Constant") and term.items:
            return argument_text(term.items[0], self._names.__contains__)
        return argument_text(term, self._names.__contains__)


def _data_spec(named: dict[str, Term]) -> TensorSpec:
    """``ge.Data(index=0, dtype=0, shape=[2, 2])``."""
    dtype = named["dtype"].word if "dtype" in named else ""
    shape = named["shape"].items if "shape" in named else None
    code = int(dtype) if dtype.isdecimal() and len(dtype) < 4 else -1
    dims = dims_in([spelled_as_printed(item) for item in shape or ()])
    return TensorSpec(DTYPES.get(code, "?"), dims)
