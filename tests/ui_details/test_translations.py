from __future__ import annotations

import ast
import re
import string
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import PySide6
import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication, QDialogButtonBox
from pytestqt.qtbot import QtBot

from opdiff import ui
from opdiff.compare import Kind
from opdiff.ui import translations
from opdiff.ui.look.language import kind_name
from opdiff.ui.translations import FOLDER, install_language, language, system_language
from opdiff.wording import sentence

SOURCES = sorted(Path(ui.__file__).parent.rglob("*.py"))
TOOLS = Path(PySide6.__file__).parent
CATALOGUE = FOLDER / "opdiff_zh.ts"


@dataclass(frozen=True)
class Message:
    context: str
    source: str
    translation: str
    finished: bool
    counted: bool


def messages(catalogue: Path) -> list[Message]:
    found = []
    for context in ElementTree.parse(catalogue).iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            assert translation is not None
            forms = [form.text or "" for form in translation.iter("numerusform")]
            found.append(
                Message(
                    context.findtext("name", ""),
                    message.findtext("source", ""),
                    forms[0] if forms else translation.text or "",
                    translation.get("type") is None,
                    message.get("numerus") == "yes",
                )
            )
    return found


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    """What lupdate finds in the sources now."""
    folder = tmp_path_factory.mktemp("collected")
    names = folder / "sources.lst"
    names.write_text("\n".join(map(str, SOURCES)))
    target = folder / "now.ts"
    alias = ("-tr-function-alias", "QT_TRANSLATE_NOOP+=N_")
    command = [TOOLS / "lupdate", "-silent", *alias, f"@{names}", "-ts", target]
    subprocess.run(command, check=True, capture_output=True)
    return {(message.context, message.source) for message in messages(target)}


def translated_calls() -> Iterator[tuple[Path, int, str | None]]:
    """The text of every call of tr and translate; None where it is not a plain literal."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            place = {"tr": 0, "translate": 1, "N_": 1}.get(name)
            if place is None or len(node.args) <= place:
                continue
            given = node.args[place]
            literal = isinstance(given, ast.Constant) and isinstance(given.value, str)
            yield path, node.lineno, given.value if literal else None  # type: ignore[attr-defined]


def test_the_catalogue_holds_what_the_sources_say(collected: set[tuple[str, str]]) -> None:
    kept = {(message.context, message.source) for message in messages(CATALOGUE)}
    assert kept == collected, "run `make translations` and translate what is new"


def test_lupdate_finds_every_call(collected: set[tuple[str, str]]) -> None:
    texts = {source for _, source in collected}
    lost = [
        f"{path.name}:{line}"
        for path, line, text in translated_calls()
        if text is not None and text not in texts
    ]
    assert lost == []


def test_everything_is_translated() -> None:
    unfinished = [m.source for m in messages(CATALOGUE) if not m.finished or not m.translation]
    assert unfinished == []


def placeholders(text: str) -> list[str]:
    named = [f"{{{name}}}" for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    return sorted(named + re.findall(r"%n|%\d", text))


def test_placeholders_and_mnemonics_agree() -> None:
    apart = [
        message.source
        for message in messages(CATALOGUE)
        if placeholders(message.translation) != placeholders(message.source)
        or message.translation.count("&") != message.source.count("&")
        or message.translation.endswith("…") != message.source.endswith("…")
    ]
    assert apart == []


def test_the_compiled_catalogue_is_up_to_date(tmp_path: Path) -> None:
    target = tmp_path / "now.qm"
    command = [TOOLS / "lrelease", "-silent", "-removeidentical", CATALOGUE, "-qm", target]
    subprocess.run(command, check=True, capture_output=True)
    assert target.read_bytes() == (FOLDER / "opdiff_zh.qm").read_bytes(), "run `make translations`"


def test_every_message_is_said_in_chinese(qapp: QApplication) -> None:
    install_language(qapp, "zh")
    for message in messages(CATALOGUE):
        count = 3 if message.counted else -1
        said = QCoreApplication.translate(message.context, message.source, "", count)
        assert said == message.translation.replace("%n", "3" if message.counted else "%n")


def test_every_kind_has_a_word_in_both_languages(qapp: QApplication) -> None:
    english = [kind_name(kind) for kind in Kind]
    install_language(qapp, "zh")
    chinese = [kind_name(kind) for kind in Kind]
    assert len(set(english)) == len(set(chinese)) == len(Kind)
    assert kind_name(Kind.CPU_FALLBACK) == "CPU 回退"


def test_switching_there_and_back(qapp: QApplication) -> None:
    assert install_language(qapp, "zh") == language() == "zh"
    assert kind_name(Kind.OP_TYPE) == "算子类型"
    assert install_language(qapp, "en") == language() == "en"
    assert kind_name(Kind.OP_TYPE) == "op type"
    with pytest.raises(ValueError, match="fr"):
        install_language(qapp, "fr")


def test_buttons_of_qt_follow(qapp: QApplication, qtbot: QtBot) -> None:
    install_language(qapp, "zh")
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(buttons)
    assert buttons.button(QDialogButtonBox.StandardButton.Cancel).text() == "取消"


@pytest.mark.parametrize(
    ("wished", "spoken"),
    [(["zh-Hans-CN", "en"], "zh"), (["en-GB", "zh-CN"], "en"), (["de-DE"], "en"), ([], "en")],
)
def test_the_language_of_the_system(
    wished: list[str], spoken: str, monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> None:
    class System:
        def uiLanguages(self) -> list[str]:  # noqa: N802 - as Qt names it
            return wished

    class Locale(QLocale):
        system = staticmethod(System)

    monkeypatch.setattr(translations, "QLocale", Locale)
    assert system_language() == spoken
    assert install_language(qapp, "system") == spoken


def test_sentences_agree_in_both_languages() -> None:
    apart = [
        code
        for code, (english, chinese) in sentence.sentences().items()
        if bool(english.strip()) != bool(chinese.strip())
        or set(placeholders(english)) != set(placeholders(chinese))
    ]
    assert apart == []
