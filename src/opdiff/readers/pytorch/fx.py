"""FX graphs as PyTorch prints them, bare, in logs of torch.compile, or as an exported program.

A log holds several graphs: what Dynamo traced, the forward and backward graphs of AOTAutograd, what
Inductor made of them. One is read; ``--graph 2+3`` joins two. The order is that of the graph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from opdiff.readers.arguments import read_terms
from opdiff.readers.finishing import choose_parts, finished, first_of_several, told_apart
from opdiff.readers.formats import Input
from opdiff.readers.problems import Problems, excerpt
from opdiff.readers.pytorch.fx_graph import FxBuilder, FxGraph, FxLine, inputs_of
from opdiff.readers.pytorch.fx_text import (
    FxKind,
    Statement,
    declared_inputs,
    graph_name,
    read_columns,
    read_listed,
    read_source,
    read_statement,
    read_tabular,
)
from opdiff.readers.text_lines import numbered_lines
from opdiff.trace import Frame, Trace

FORMAT, EXPORT = "fx", "torch-export"

_FORWARD = re.compile(rb"def forward\([ \t\r\n]*self")
_TYPED = re.compile(rb'^[ \t]+\w+: "\w+\[', re.M)
_FREED = re.compile(rb";  \w+ = (?:\w+ = )*None")
_LISTED = re.compile(rb"^graph\([^)\n]*\):[ \t]*\r?\n[ \t]+(?:%\w+ :|return)", re.M)
_TABULAR = re.compile(rb"^opcode +name +target", re.M)
_LOGGED = re.compile(rb"\] \[__(?:graph_code\w*|aot_\w*graph\w*|\w+_grad_graphs?|graph)\]")

_PREFIX = re.compile(
    r"(?P<who>(?:\[rank\d+\]:)?)[VDIWEC]\d{4} [\d:.]+ (?P<process>\d+) \S+:\d+\] "
    r"(?:\[(?P<frame>[^\]\s]*)\] )??\[__(?P<artifact>\w+)\] ?"
)
_OTHER_LOG = re.compile(r"(?:\[rank\d+\]:)?[VDIWEC]\d{4} [\d:.]+ \d+ ")
_BANNER = re.compile(r"\s*=====+ (?P<name>.*?) =====+\s*$")
_CLASS = re.compile(r"(?P<indent>\s*)(?:\S+ )?class (?P<name>[^\s(]+)\(torch\.nn\.Module\):")
_DEF = re.compile(r"(?P<indent>\s*)def forward\(")
_GRAPH = re.compile(r"graph\((?P<inputs>[^)]*)\):\s*$")
_STARTS = re.compile(
    r"\s*(?:return\b|(?:\S+ )?class \S+\(torch\.nn\.Module\):|def forward\(|"
    r'\w+(?:: "[^"]*")? = )'
)
"""What cannot stand among the arguments of a function."""
_EXPORT_WORDS = ("ExportedProgram:", "Graph signature:", "Range constraints:", "TRACED GRAPH")


def sniff(head: bytes) -> bool:
    """Whether the beginning of a file prints a graph."""
    if _LOGGED.search(head) or _LISTED.search(head) or _TABULAR.search(head):
        return True
    return _FORWARD.search(head) is not None and (
        b"torch.ops." in head
        or b"# File: " in head
        or _TYPED.search(head) is not None
        or _FREED.search(head) is not None
    )


def read(source: Input) -> Trace:
    """One of the graphs, or several joined."""
    reader = _Reader()
    for number, line in numbered_lines(source):
        reader.take(number, line)
    reader.end(source.last_line)
    source.problems = reader.problems()
    graphs = [graph for graph in reader.graphs if graph.placed]
    names = told_apart([graph.name for graph in graphs])
    sizes = {name: graph.ops for name, graph in zip(names, graphs, strict=True)}
    chosen, parts = choose_parts(source, sizes)
    builder = FxBuilder()
    for place in chosen:
        graphs[place].name = names[place]
        builder.add(graphs[place])
    return finished(
        source,
        EXPORT if reader.exported else FORMAT,
        builder.builder.build(),
        execution_order=False,
        notes=first_of_several(source, parts),
        parts=parts,
    )


@dataclass(slots=True)
class _Stream:
    """The graph that is being printed: by one process, one artifact of a log at a time."""

    frame: str = ""
    banner: str = ""
    graph: FxGraph | None = None
    indent: int = 0
    """How far the class of the graph is indented: classes further in belong to it."""
    scope: str = ""
    names: set[str] = field(default_factory=set)
    source: Frame | None = None
    columns: tuple[int, ...] | None = None
    form: str = ""
    """Which of the ways to print a graph it is: ``python``, ``listed`` or ``tabular``."""
    pending: list[str] | None = None
    """The lines of a ``def`` that goes on over several."""
    depth: int = 0
    """How many of its brackets are open."""


class _Reader:
    def __init__(self) -> None:
        self.graphs: list[FxGraph] = []
        self._problems = Problems()
        self._outside = Problems()
        """The same, and text outside of graphs: in a log that is no problem, but other output."""
        self.exported = False
        self._streams: dict[tuple[str, ...], _Stream] = {}
        self._bare = _Stream()

    def take(self, number: int, line: str) -> None:
        """Take in one line of the file."""
        prefix = _PREFIX.match(line)
        if prefix is None:
            if not _OTHER_LOG.match(line):
                self._take(self._bare, number, line)
            return
        key = (prefix["who"], prefix["process"], prefix["artifact"], prefix["frame"] or "")
        stream = self._streams.get(key)
        if stream is None:
            frame = "".join((prefix["who"], prefix["process"], " ", prefix["frame"] or ""))
            stream = self._streams[key] = _Stream(frame)
        self._take(stream, number, line[prefix.end() :])

    def end(self, last_line: int) -> None:
        """No more lines: graphs that go on are cut."""
        for stream in (self._bare, *self._streams.values()):
            graph = stream.graph
            if graph is not None and not graph.ended:
                self._problem("graph-cut", last_line, last_line, name=excerpt(graph.name))

    def problems(self) -> Problems:
        """What could not be read."""
        return self._problems if self._streams else self._outside

    def _problem(self, code: str, first: int, last: int, **args: str) -> None:
        for problems in (self._problems, self._outside):
            problems.add(code, first, last, **args)

    def _take(self, stream: _Stream, number: int, text: str) -> None:
        if stream.pending is not None and _STARTS.match(text):
            self._problem("graph-statement", number - 1, number - 1, excerpt="def forward(")
            self._end_def(stream)
        if stream.pending is not None:
            self._go_on_with_def(stream, text)
        elif not self._begins(stream, number, text):
            self._take_inside(stream, number, text)

    # Where a graph begins

    def _begins(self, stream: _Stream, number: int, text: str) -> bool:
        """Whether a line begins a graph, or is about to."""
        banner = _BANNER.match(text)
        if banner:
            stream.banner = graph_name(banner["name"])
            return True
        class_ = _CLASS.match(text)
        if class_:
            self._begin_class(stream, number, class_)
            return True
        function = _DEF.match(text)
        if function:
            self._begin_function(stream, number, text, function)
            return True
        listed = _GRAPH.match(text)
        if listed:
            self._begin(stream, number, "graph", "listed")
            return True
        if text.startswith("opcode ") and "target" in text:
            self._begin(stream, number, "graph", "tabular")
            stream.columns = None
            return True
        return False

    def _begin(self, stream: _Stream, number: int, name: str, form: str) -> None:
        self._close(stream, number)
        name = stream.banner or name
        stream.graph = FxGraph(name, stream.frame)
        stream.banner = ""
        stream.form = form
        stream.scope = ""
        stream.names = set()
        stream.source = None
        self.graphs.append(stream.graph)

    def _begin_class(self, stream: _Stream, number: int, class_: re.Match[str]) -> None:
        indent = len(class_["indent"])
        if stream.graph is not None and stream.form == "python" and indent > stream.indent:
            stream.scope = class_["name"]
            stream.names = set()
            stream.graph.ended = False
            return
        self._begin(stream, number, class_["name"], "python")
        stream.indent = indent

    def _begin_function(
        self, stream: _Stream, number: int, text: str, function: re.Match[str]
    ) -> None:
        graph = stream.graph
        alone = graph is None or stream.form != "python" or graph.ended
        if alone or (graph is not None and graph.placed and not stream.scope):
            self._begin(stream, number, "forward", "python")
            stream.indent = len(function["indent"])
        stream.pending, stream.depth = [], 1
        self._go_on_with_def(stream, text[function.end() :])

    def _go_on_with_def(self, stream: _Stream, text: str) -> None:
        """Collect the arguments of a function up to the bracket that closes them."""
        lines = stream.pending
        assert lines is not None
        comment = text.find("  # ")
        text = text if comment < 0 else text[:comment]
        lines.append(text)
        stream.depth += sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
        if stream.depth <= 0 or len(lines) == _LONGEST_DEF:
            self._end_def(stream)

    def _end_def(self, stream: _Stream) -> None:
        graph = stream.graph
        assert graph is not None
        terms, _ = read_terms("".join(stream.pending or ()))
        stream.pending = None
        for name, kind in inputs_of(terms).items():
            stream.names.add(name)
            if not stream.scope:
                graph.inputs[name] = kind
            else:
                statement = Statement(FxKind.INPUT, name, type=kind)
                graph.placed.append(FxLine(statement, 0, None, stream.scope))

    def _close(self, stream: _Stream, number: int) -> None:
        graph = stream.graph
        if graph is not None and not graph.ended:
            self._problem("graph-cut", number, number, name=excerpt(graph.name))

    # What stands in it

    def _take_inside(self, stream: _Stream, number: int, text: str) -> None:
        stripped = text.strip()
        graph = stream.graph
        if not stripped:
            return
        if graph is None or graph.ended:
            self._take_outside(stream, number, stripped)
        elif stripped.startswith("#"):
            stream.source = read_source(stripped)
        elif stream.form == "tabular" and stream.columns is None:
            stream.columns = read_columns(text)
        else:
            self._take_statement(stream, graph, number, text)

    def _take_outside(self, stream: _Stream, number: int, text: str) -> None:
        if text.startswith("ExportedProgram:"):
            self.exported = True
        if stream is self._bare and not self._is_of_export(text):
            self._outside.skip(number, text.encode())

    def _is_of_export(self, text: str) -> bool:
        """Whether a line is what an exported program prints behind its graph."""
        return text.startswith(_EXPORT_WORDS) or (
            self.exported and (text.startswith("#") or _SIGNATURE.match(text) is not None)
        )

    def _take_statement(self, stream: _Stream, graph: FxGraph, number: int, text: str) -> None:
        statements = _statements(stream, text)
        if not statements or not statements[-1].complete:
            self._problem("graph-statement", number, number, excerpt=excerpt(text))
            return
        self._outside.close()
        for statement in statements:
            stream.names.add(statement.name)
            graph.placed.append(FxLine(statement, number, stream.source, stream.scope))
        graph.ended = statements[-1].kind is FxKind.RETURN


def _statements(stream: _Stream, text: str) -> list[Statement]:
    """What a line says, mostly one thing; nothing if it is no line of a graph."""
    if stream.form == "listed":
        statement = read_listed(text)
    elif stream.form == "tabular":
        statement = read_tabular(text, stream.columns or ())
    else:
        declared = declared_inputs(text)
        if declared:
            return declared
        statement = read_statement(text, stream.names)
    return [] if statement is None else [statement]


_LONGEST_DEF = 100_000
"""Lines, one an argument."""
_SIGNATURE = re.compile(r"[\w.]+: [A-Z_]+\b")
