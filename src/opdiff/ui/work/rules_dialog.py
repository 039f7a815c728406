"""The rules as text, checked and counted while they are typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFileDialog,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from opdiff.compare import Rules
from opdiff.errors import OpdiffError
from opdiff.report.writing import write_atomically
from opdiff.session.rule_matches import rule_matches
from opdiff.session.rules_text import entry_text, read_rules, remove_rule, rules_of
from opdiff.ui.frame.boxes import in_column, in_row
from opdiff.ui.frame.dialog import Dialog, may_replace
from opdiff.ui.look.fonts import code_font
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.store import Store
from opdiff.ui.translations import language

_PAUSE_MS = 150
"""Between the last key and the count."""

_EXAMPLE = """\
# counterparts:            # {counterparts}
#   - [Slice, StridedSlice]
# same:                    # {same}
#   - [AddExt, Add]
# ignore:                  # {ignore}
#   - Contiguous
#   - {{scope: "Default/debug/*"}}
# equivalent:              # {equivalent}
#   - left: [Mul, Sigmoid, Sub]
#     right: [GraphKernel_Mul_Sigmoid_Sub_fusion]
"""


def example() -> str:
    """What stands in the dialog as long as there are no rules, in the window's language."""
    translate = QCoreApplication.translate  # lupdate knows calls by this name only
    return _EXAMPLE.format(
        counterparts=translate("RulesDialog", "may be paired; still reported"),
        same=translate("RulesDialog", "paired, and no difference"),
        ignore=translate("RulesDialog", "never a difference"),
        equivalent=translate("RulesDialog", "one sequence stands for the other"),
    )


class RulesDialog(Retranslating, Dialog):
    """Edits the rules of the work: text at the left, what each rule matches at the right."""

    def __init__(self, store: Store, reads: Callable[[], list[str]], parent: QWidget) -> None:
        super().__init__("rulesDialog", parent)
        self._reads = reads
        """The files that what is shown comes from; only that of the rules may be written."""
        self._store = store
        self._path = store.work.rules_path
        self.editor = styled(QPlainTextEdit(), name="rulesEditor")
        self.editor.setFont(code_font())
        self._example = example()
        self.editor.setPlainText(store.work.rules_text or self._example)
        self.counts = styled(QTreeWidget(), name="rulesCounts")
        self.counts.setColumnCount(3)
        self.counts.setRootIsDecorated(False)
        header = self.counts.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.message = styled(PlainLabel(wrap=True), name="rulesMessage")
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.count)
        self.editor.textChanged.connect(self._pause.start)
        store.traceChanged.connect(self._pause.start)
        self.counts.itemSelectionChanged.connect(self._refresh_buttons)
        self._make_buttons()
        self._lay_out()
        self.retranslate()
        self.count()

    def _make_buttons(self) -> None:
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Apply
            | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.button(QDialogButtonBox.StandardButton.Apply).clicked.connect(self.apply)
        self.buttons.accepted.connect(self._apply_and_close)
        self.buttons.rejected.connect(self.reject)
        self._load, self._save = QPushButton(), QPushButton()
        self._save_as, self._remove = QPushButton(), QPushButton()
        for button, name, do in (
            (self._load, "loadRulesButton", self._ask_and_load),
            (self._save, "saveRulesButton", self._save_back),
            (self._save_as, "saveRulesAsButton", self._ask_and_save),
            (self._remove, "removeRuleButton", self.remove_selected),
        ):
            button.setObjectName(name)
            button.setAutoDefault(False)
            button.clicked.connect(do)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setProperty("primary", True)

    def _lay_out(self) -> None:
        both = QSplitter(Qt.Orientation.Horizontal)
        both.addWidget(self.editor)
        both.addWidget(self.counts)
        both.setSizes([520, 380])
        both.setChildrenCollapsible(False)
        column = in_column(self, (both, 1), self.message)
        row = in_row(None, self._load, self._save, self._save_as, self._remove, 1, self.buttons)
        column.addLayout(row)
        self.resize(920, 520)

    def count(self) -> None:
        """Check the text and count what each rule matches."""
        rules = self._rules()
        self.counts.clear()
        both = self._store.both()
        if rules is None or both is None:
            self._refresh_buttons()
            return
        for match in rule_matches(rules, *both):
            texts = [
                f"{match.section}: {entry_text(match.entry)}",
                f"{match.left:,}",
                f"{match.right:,}",
            ]
            item = QTreeWidgetItem(self.counts, texts)
            item.setData(0, Qt.ItemDataRole.UserRole, (match.section, match.index))
            item.setDisabled(match.left == match.right == 0)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled)
            for column in (1, 2):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight)
        self._refresh_buttons()

    def _rules(self) -> Rules | None:
        """What the text means; None, with the reason said, where it means nothing."""
        try:
            rules = rules_of(self.editor.toPlainText(), self._path)
        except OpdiffError as error:
            self.message.setText(error.text(language()))
            return None
        untouched = self.editor.toPlainText() in ("", self._example)
        hint = self.tr("No rules yet: write one, or take the # away from an example.")
        self.message.setText(hint if untouched else "")
        return rules

    def apply(self) -> bool:
        """Compare by these rules; False where they have a mistake, which is then shown."""
        text = self.editor.toPlainText()
        try:
            work = self._store.work.with_rules("" if text == self._example else text, self._path)
        except OpdiffError as error:
            self.message.setText(error.text(language()))
            self._go_to_line(error.line)
            return False
        self._store.setWork(work, self.tr("rules"))
        return True

    def _apply_and_close(self) -> None:
        if self.apply():
            self.accept()

    def remove_selected(self) -> None:
        """Take the selected rule out of the text; comments stay."""
        items = self.counts.selectedItems()
        if not items:
            return
        section, index = items[0].data(0, Qt.ItemDataRole.UserRole)
        try:
            text = remove_rule(self.editor.toPlainText(), section, index)
        except OpdiffError as error:
            self.message.setText(error.text(language()))
            return
        self._replace_text(text)

    def load(self, path: str) -> None:
        """Take the text of a file."""
        try:
            text = read_rules(path)
        except OpdiffError as error:
            self.message.setText(error.text(language()))
            return
        self._path = path
        self._replace_text(text)

    def save(self, path: str) -> None:
        """Write the text to a file that others can use."""
        try:
            text = self.editor.toPlainText().encode("utf-8")
            own = self._store.work.rules_path
            write_atomically(path, text, reads=[file for file in self._reads() if file != own])
        except OpdiffError as error:
            self.message.setText(error.text(language()))
            return
        self._path = path
        self.message.setText(self.tr("Saved as {path}").format(path=path))

    def _replace_text(self, text: str) -> None:
        """Put another text in, so that the editor's own undo can take it back."""
        cursor = QTextCursor(self.editor.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.count()

    def _ask_and_load(self) -> None:
        kinds = self.tr("Rules (*.yaml *.yml);;All files (*)")
        path, _ = QFileDialog.getOpenFileName(self, self.tr("Load rules"), self._folder(), kinds)
        if path:
            self.load(path)

    def _save_back(self) -> None:
        """Write to the file the rules came from; ask for one where there is none."""
        if self._path is None:
            self._ask_and_save()
        else:
            self.save(self._path)

    def _ask_and_save(self) -> None:
        kinds = self.tr("Rules (*.yaml *.yml);;All files (*)")
        path, _ = QFileDialog.getSaveFileName(self, self.tr("Save rules"), self._folder(), kinds)
        if path:
            if Path(path).suffix:
                self.save(path)
            elif may_replace(Path(f"{path}.yaml"), self):
                self.save(f"{path}.yaml")

    def _folder(self) -> str:
        return self._path or ""

    def _go_to_line(self, line: int | None) -> None:
        if line is not None:
            block = self.editor.document().findBlockByLineNumber(line - 1)
            self.editor.setTextCursor(QTextCursor(block))
        self.editor.setFocus()

    def _refresh_buttons(self) -> None:
        self._remove.setEnabled(bool(self.counts.selectedItems()))

    def retranslate(self) -> None:
        """Say everything again."""
        self.setWindowTitle(self.tr("Rules"))
        self.editor.setAccessibleName(self.tr("Rules"))
        self.counts.setAccessibleName(self.tr("What each rule matches"))
        left, right = self.tr("left ops"), self.tr("right ops")
        self.counts.setHeaderLabels([self.tr("Rule"), left, right])
        self._load.setText(self.tr("Load…"))
        self._save.setText(self.tr("Save"))
        self._save_as.setText(self.tr("Save as…"))
        self._remove.setText(self.tr("Remove rule"))
