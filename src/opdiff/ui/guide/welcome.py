"""The empty window: how to start, and samples to start with."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from opdiff.ui.commands.actions import Actions, bind
from opdiff.ui.frame.boxes import in_column, in_row
from opdiff.ui.guide.samples import samples
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled


class Welcome(Retranslating, QWidget):
    """Three steps in words, the two Open buttons, the samples. Signal: ``sampleChosen(sample)``."""

    sampleChosen = Signal(object)

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        styled(self, "sheet", name="welcome", filled=True)
        self._title = styled(PlainLabel(), "heading", "large")
        self._steps = [PlainLabel() for _ in range(4)]
        self._told: dict[str, PlainLabel] = {}
        self._open_left = bind(QPushButton(), actions["openLeft"], "welcomeOpenLeft")
        self._open_right = bind(QPushButton(), actions["openRight"], "welcomeOpenRight")
        self._try = styled(PlainLabel(), "dim")
        self._samples = samples()
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        column = in_column(None, self._title, self._numbered_steps(), spacing=12)
        column.addSpacing(6)
        column.addLayout(in_row(None, self._open_left, self._open_right, 0))
        column.addSpacing(18)
        column.addWidget(self._try)
        self._try.setVisible(bool(self._samples))
        column.addLayout(self._sample_list())
        in_column(self, 2, in_row(None, 2, column, 2), 3)

    def _numbered_steps(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        for row, step in enumerate(self._steps):
            number = styled(PlainLabel(str(row + 1)), "heading")
            grid.addWidget(number, row, 0)
            grid.addWidget(step, row, 1)
        return grid

    def _sample_list(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for row, sample in enumerate(self._samples):
            button = styled(QPushButton(sample.name), name=f"sample-{sample.name}")
            button.setToolTip(f"{sample.left}\n{sample.right}")
            button.clicked.connect(lambda _=False, s=sample: self.sampleChosen.emit(s))
            told = styled(PlainLabel(), "dim")
            told.setBuddy(button)
            self._told[sample.name] = told
            grid.addWidget(button, row, 0)
            grid.addWidget(told, row, 1)
        return grid

    def retranslate(self) -> None:
        """Say everything again."""
        self._title.setText(self.tr("Where do two runs of the same model stop being the same?"))
        steps = (
            self.tr("Open two traces, or drop them on the window: files or rank folders."),
            self.tr("Anchor both at the same op: type its line, or select it and press A."),
            self.tr("Compare upward; runs that should be wholly the same need no anchors (F7)."),
            self.tr("Walk from difference to difference with N and P."),
        )
        for label, text in zip(self._steps, steps, strict=True):
            label.setText(text)
        self._open_left.setText(self.tr("Open left…"))
        self._open_right.setText(self.tr("Open right…"))
        self._try.setText(self.tr("Or try a sample:"))
        for name, label in self._told.items():
            label.setText(what_is_seen(name))


def what_is_seen(sample: str) -> str:
    """What a sample shows, in the window's language."""
    translate = QCoreApplication.translate
    return {
        "rope": translate("Welcome", "eager against jit: where views became copies"),
        "vocab": translate("Welcome", "eager against jit: ops that fell back to the CPU"),
        "activation": translate("Welcome", "SiLU against GeLU: one op replaced in every layer"),
        "identical": translate("Welcome", "two runs in which nothing differs"),
        "real rope": translate("Welcome", "recorded with MindSpore: eager against traced jit"),
        "real cnn": translate("Welcome", "recorded with MindSpore: ReLU against GeLU, trained"),
        "real loss": translate(
            "Welcome", "recorded with PyTorch, with values: six steps, and a loss that goes wrong"
        ),
    }.get(sample, "")
