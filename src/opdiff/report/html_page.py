"""HTML pages that need nothing else: templates in which everything is escaped by itself.

Text from a trace, a note or a path is spelled out and escaped wherever a template prints it, and a
page forbids by its own policy every script and style but those it brings: a hostile op name finds
no way to run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup

from opdiff import __version__
from opdiff.wording import Sentence, say
from opdiff.wording.printable import printable


def rendered_page(
    template: str, content: Mapping[str, object], *, language: str, style: str, script: str = ""
) -> str:
    """The page of a template; *style* and *script* are all that it may use."""
    scripts = f"script-src {_hash(script)}; " if script else ""
    policy = f"default-src 'none'; style-src {_hash(style)}; {scripts}base-uri 'none'"
    return (
        _templates()
        .get_template(template)
        .render(
            content,
            policy=Markup(f"{policy}; form-action 'none'"),
            language={"zh": "zh-CN"}.get(language, language),
            style=Markup(style),
            script=Markup(script),
            made_by=say(Sentence.of("report.made-by", version=__version__), language),
        )
    )


@cache
def page_file(package: str, name: str) -> str:
    """A style sheet or script of ours."""
    return files(package).joinpath(f"page/{name}").read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    packages = {"report": "opdiff.report", "ranks": "opdiff.ranks"}
    return Environment(
        loader=PrefixLoader({name: PackageLoader(of, "page") for name, of in packages.items()}),
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _printable(value: object) -> object:
    """Whatever a template prints, without what is invisible or reorders others; ours stays."""
    return value if isinstance(value, (Markup, int)) else printable(str(value))


@cache
def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
