"""``opdiff [LEFT RIGHT]``: the window, or a picture of it."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opdiff.cli.options import Parser
from opdiff.cli.question_options import (
    add_msprobe,
    add_question,
    add_rules,
    add_value_options,
    graphs_of,
    mapping_paths,
    named_by_msprobe,
    pinned_lines,
    value_choice,
)
from opdiff.compare import Direction, Kind, Side
from opdiff.errors import OpdiffError
from opdiff.msprobe.mapping import told_by
from opdiff.msprobe.mapping_files import read_mappings
from opdiff.session.rules_text import load_rules
from opdiff.session.source_map import parse_source_maps
from opdiff.trace.told import Told
from opdiff.wording import LANGUAGES
from opdiff.wording.printable import shortened

if TYPE_CHECKING:
    from opdiff.ui.files.opening import Opening
    from opdiff.ui.launching import Launch

ORDERS = ("cause", "nearest", "severity", "count", "file")
"""Of the list of differences; the window's own, named here for those who have no Qt."""
_SIZE = re.compile(r"(\d{2,5})[xX×](\d{2,5})")
_GOTO = re.compile(r"(\d{0,18}):(\d{0,18})", re.ASCII)
_MOST_PIXELS = 64_000_000
"""Of a picture: eight times a large screen, and a quarter of a gigabyte while it is painted."""


def run(argv: Sequence[str]) -> int:
    """Show the window until it is closed, or render it and return."""
    options = _parser().parse_intermixed_args(argv)
    _check(options)
    require_qt()
    choose_platform(picture=options.screenshot is not None)
    # Only now: Qt looks at the environment, and its import is what takes time.
    from opdiff.ui.launching import launch

    return launch(_launch(options))


def require_qt() -> None:
    """Raise OpdiffError where the command line was installed alone."""
    if importlib.util.find_spec("PySide6") is None:
        raise OpdiffError("window.no-qt")


def choose_platform(*, picture: bool) -> None:
    """Without a display a picture is painted off screen, and a window is impossible."""
    has_display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform != "linux" or has_display or os.environ.get("QT_QPA_PLATFORM"):
        return
    if not picture:
        raise OpdiffError("window.no-display")
    os.environ["QT_QPA_PLATFORM"] = "offscreen"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opdiff", description="help.about-window")
    parser.add_argument("traces", nargs="*", metavar="TRACE", help="help.window-traces")
    question = add_question(parser)
    question.add_argument(
        "--compare",
        "--direction",
        dest="compare",
        choices=[direction.value for direction in Direction],
        help="help.compare-at-once",
    )
    question.add_argument("--goto", metavar="LEFT:RIGHT", help="help.goto")
    add_rules(parser)
    add_msprobe(parser)
    add_value_options(parser)
    parser.add_argument_group("help.group-sources").add_argument(
        "--source-map", action="append", default=[], metavar="OLD=NEW", help="help.source-map"
    )
    _add_filters(parser)
    _add_appearance(parser)
    return parser


def _add_filters(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("help.group-list")
    group.add_argument(
        "--hide-kind",
        action="append",
        default=[],
        choices=[kind.value for kind in Kind],
        metavar="KIND",
        help="help.hide-kind",
    )
    group.add_argument("--hide-known", action="store_true", help="help.hide-known")
    group.add_argument("--order", choices=ORDERS, help="help.order-of-list")


def _add_appearance(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("help.group-appearance")
    group.add_argument("--lang", choices=LANGUAGES, help="help.lang-of-window")
    group.add_argument("--theme", choices=("system", "light", "dark"), help="help.theme")
    group.add_argument("--screenshot", metavar="FILE.png", help="help.screenshot")
    group.add_argument("--size", metavar="WxH", help="help.size")
    group.add_argument("--scale", type=int, choices=(1, 2, 3), default=1, help="help.scale")


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be meant, before any window opens."""
    if len(options.traces) > 2:
        raise OpdiffError("session.traces-or-session")
    anchors = (options.left_anchor, options.right_anchor)
    if options.compare in ("up", "down") and None in anchors and not _session(options):
        raise OpdiffError("window.anchors-needed", direction=options.compare)
    graphs_of(options)
    value_choice(options)
    parse_source_maps(options.source_map)
    _goto(options.goto)
    for text in options.pin:
        pinned_lines(text)
    if options.size is not None:
        _check_size(options.size, options.scale)


def _check_size(text: str, scale: int) -> None:
    size = _SIZE.fullmatch(text)
    if size is None:
        raise OpdiffError("window.not-a-size", text=text)
    pixels = int(size[1]) * int(size[2]) * scale * scale
    if pixels > _MOST_PIXELS:
        raise OpdiffError(
            "window.too-large",
            text=text,
            scale=scale,
            pixels=f"{pixels:,}",
            most=f"{_MOST_PIXELS:,}",
        )


def _goto(text: str | None) -> tuple[int | None, int | None]:
    """The lines that ``--goto`` names; one of them may be wanting."""
    if text is None:
        return None, None
    match = _GOTO.fullmatch(text)
    if match is None or text == ":":
        raise OpdiffError("window.not-a-place", text=shortened(text))
    left, right = (int(line) if line else None for line in match.groups())
    return left, right


def _session(options: argparse.Namespace) -> Path | None:
    traces = options.traces
    return Path(traces[0]) if len(traces) == 1 and traces[0].endswith(".opdiff") else None


def _launch(options: argparse.Namespace) -> Launch:
    from opdiff.ui.launching import Launch

    size = _SIZE.fullmatch(options.size) if options.size else None
    session = _session(options)
    return Launch(
        opening=None if session or not options.traces else _opening(options),
        session=session,
        language=options.lang,
        theme=options.theme,
        picture=Path(options.screenshot) if options.screenshot else None,
        size=(int(size[1]), int(size[2])) if size else None,
        scale=options.scale,
        cache=not options.no_cache,
        sources=parse_source_maps(options.source_map),
        goto=_goto(options.goto),
        order=options.order,
    )


def _opening(options: argparse.Namespace) -> Opening:
    from opdiff.ui.files.opening import Opening

    traces, rank = named_by_msprobe(options.traces, options.rank)
    mappings = read_mappings(mapping_paths(options))
    kernels = load_rules(options.rules).kernels if options.rules else ()
    lines = {Side.LEFT: options.left_anchor, Side.RIGHT: options.right_anchor}
    return Opening(
        paths={side: Path(path) for side, path in zip(Side, traces, strict=False)},
        rank=rank,
        graphs=dict(zip(Side, graphs_of(options), strict=True)),
        lines={side: line for side, line in lines.items() if line is not None},
        pins=tuple(pinned_lines(text) for text in options.pin),
        rules_path=Path(options.rules) if options.rules else None,
        ignore=tuple(options.ignore),
        builtin_rules=not options.no_default_rules,
        mappings=mappings,
        told=told_by(mappings, Told(kernels=dict(kernels))),
        msprobe_result=Path(options.msprobe_result) if options.msprobe_result else None,
        ancestors=options.ancestors,
        compare=Direction(options.compare) if options.compare else None,
        values=value_choice(options),
        hidden_kinds=frozenset(Kind(kind) for kind in options.hide_kind),
        known_hidden=options.hide_known,
        goto=_goto(options.goto),
    )
