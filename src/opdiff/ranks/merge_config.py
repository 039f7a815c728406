"""msprobe's configuration of ``merge_result``: which calls and which figures to put together."""

from __future__ import annotations

from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.ranks.values_table import FIGURES, ValuesWanted, figure_named
from opdiff.regular_files import read_bounded
from opdiff.wording import Sentence

_LARGEST = 1 << 20
_KEYS = ("api", "compare_index")


def is_merge_config(text: str) -> bool:
    """Whether a value of ``--values-of`` names such a file rather than ops."""
    return text.endswith((".yaml", ".yml")) and Path(text).is_file()


def read_merge_config(path: str) -> tuple[ValuesWanted, tuple[str, ...]]:
    """What it asks for, and the figures of it that statistics cannot tell; raises OpdiffError."""
    import yaml  # needed by few, and slow to import

    try:
        content = yaml.safe_load(read_bounded(Path(path), _LARGEST))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        sentence = Sentence.of("ranks.config-yaml", problem=str(getattr(error, "problem", error)))
        raise OpdiffError(sentence, path=path, line=mark.line + 1 if mark else None) from None
    except (OSError, ValueError, RecursionError) as error:
        raise OpdiffError.of_system("reading.unreadable", error, path) from None
    if not isinstance(content, dict):
        raise OpdiffError(Sentence.of("ranks.config-shape"), path=path)
    unknown = [str(key) for key in content if key not in _KEYS]
    if unknown:
        raise OpdiffError(Sentence.of("ranks.config-key", key=unknown[0][:80]), path=path)
    apis = _listed(content.get("api"), "api", path)
    if not apis:
        raise OpdiffError(Sentence.of("ranks.config-no-api"), path=path)
    asked = _listed(content.get("compare_index"), "compare_index", path)
    figures = [(name, figure_named(name)) for name in asked]
    known = tuple(dict.fromkeys(figure for _, figure in figures if figure is not None))
    unseen = tuple(name for name, figure in figures if figure is None)
    if asked and not known:
        names = ", ".join(asked)
        sentence = Sentence.of("ranks.config-figures", names=names, known=", ".join(FIGURES))
        raise OpdiffError(sentence, path=path)
    return ValuesWanted(prefixes=apis, figures=known or FIGURES), unseen


def _listed(value: object, key: str, path: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise OpdiffError(Sentence.of("ranks.config-list", key=key), path=path)
    return tuple(value)
