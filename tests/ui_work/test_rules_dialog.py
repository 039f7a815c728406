from __future__ import annotations

from pathlib import Path

from bench_driving import Bench
from PySide6.QtWidgets import QDialogButtonBox, QPushButton

from opdiff.compare import Ignore
from opdiff.ui.work.rules_dialog import RulesDialog, example


def dialog_of(bench: Bench) -> RulesDialog:
    bench.do("rules")
    return bench.child(RulesDialog, "rulesDialog")


def counted(dialog: RulesDialog) -> list[list[str]]:
    rows = [dialog.counts.topLevelItem(i) for i in range(dialog.counts.topLevelItemCount())]
    return [[row.text(column) for column in range(3)] for row in rows]


def test_each_rule_is_counted_while_typing(compared: Bench) -> None:
    dialog = dialog_of(compared)
    assert dialog.editor.toPlainText() == example()
    dialog.editor.setPlainText("ignore:\n  - Contiguous\n  - Nothing\nsame:\n  - [Slice, Split]\n")
    compared.qtbot.waitUntil(lambda: dialog.counts.topLevelItemCount() == 3)
    assert counted(dialog) == [
        ["same: [Slice, Split]", "16", "8"],
        ["ignore: Contiguous", "1", "9"],
        ["ignore: Nothing", "0", "0"],
    ]


def test_mistakes_are_said_with_their_line_and_not_applied(compared: Bench) -> None:
    dialog = dialog_of(compared)
    dialog.editor.setPlainText("ignore:\n  - Add\nnonsense: 1\n")
    dialog.count()
    assert "line 3: unknown key nonsense" in dialog.message.text()
    assert not dialog.apply()
    assert dialog.editor.textCursor().blockNumber() == 2
    assert compared.window.store.work.rules_text == ""


def test_applying_compares_by_the_rules_and_keeps_comments(compared: Bench) -> None:
    dialog = dialog_of(compared)
    text = "# ours\nignore:\n  - Contiguous  # harmless\n"
    dialog.editor.setPlainText(text)
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    work = compared.window.store.work
    assert work.rules_text == text
    assert work.request.rules.ignore == (Ignore("Contiguous"),)
    assert compared.window.findChild(RulesDialog) is None


def test_a_rule_is_removed_and_its_neighbours_comments_stay(compared: Bench) -> None:
    dialog = dialog_of(compared)
    dialog.editor.setPlainText("ignore:\n  - Add\n  # about Mul\n  - Mul\n")
    dialog.count()
    dialog.counts.setCurrentItem(dialog.counts.topLevelItem(0))
    compared.child(QPushButton, "removeRuleButton").click()
    assert dialog.editor.toPlainText() == "ignore:\n  # about Mul\n  - Mul\n"


def test_rules_are_saved_and_loaded(compared: Bench, tmp_path: Path) -> None:
    dialog = dialog_of(compared)
    dialog.editor.setPlainText("ignore: [Add]\n")
    dialog.save(str(tmp_path / "ours.yaml"))
    assert (tmp_path / "ours.yaml").read_text() == "ignore: [Add]\n"
    (tmp_path / "theirs.yaml").write_text("ignore: [Mul]\n")
    dialog.load(str(tmp_path / "theirs.yaml"))
    assert dialog.apply()
    assert compared.window.store.work.rules_path == str(tmp_path / "theirs.yaml")
    dialog.editor.setPlainText("# changed\nignore: [Mul]\n")
    compared.child(QPushButton, "saveRulesButton").click()
    assert (tmp_path / "theirs.yaml").read_text() == "# changed\nignore: [Mul]\n"
    dialog.load(str(tmp_path / "absent.yaml"))
    assert "cannot read the rules" in dialog.message.text()
    dialog.save(str(tmp_path / "no" / "where.yaml"))
    assert "cannot be written" in dialog.message.text()


def test_the_examples_speak_the_language_of_the_window(compared: Bench) -> None:
    compared.do("languageChinese")
    dialog = dialog_of(compared)
    assert "# same:                    # 可以配对，且不算差异" in dialog.editor.toPlainText()
    assert dialog.apply()
    assert compared.window.store.work.rules_text == "", "examples are no rules"
    compared.do("languageEnglish")
