"""The dataflow around the selected pair, both sides."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QToolButton

from opdiff.ui.details.flow_canvas import FlowCanvas
from opdiff.ui.details.flow_scene import FlowScene
from opdiff.ui.details.pair_view import PairView
from opdiff.ui.look.fonts import text_scale
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import ElidedLabel
from opdiff.ui.look.theme import styled

DEPTHS = (1, 2, 3, 4)
USUAL_DEPTH = 1
_LEAST_SHARE = 0.5
_MOST_LACK = 1.25


class DataflowView(Retranslating, PairView):
    """Producers and consumers of the selected pair as a layered drawing.

    Signals: ``goTo(side, row)`` when a box is clicked or activated.
    """

    goTo = Signal(int, int)

    says_again_on = (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange)

    def __init__(self) -> None:
        heading = ElidedLabel()
        super().__init__(heading)
        self._heading = heading
        self.setObjectName("dataflowView")
        self._stale = True
        self._build()
        self.retranslate()

    def depth(self) -> int:
        """How many steps from the pair are drawn."""
        return DEPTHS[self._depth.currentIndex()]

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what changed while nobody looked."""
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def _build(self) -> None:
        self._depth = styled(QComboBox(), name="dataflowDepth")
        self._depth.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._fit = styled(QToolButton(), "flat")
        self.canvas = FlowCanvas()
        self._fill((self.heading, 1), self._fit, self._depth, contents=self.canvas)
        self.setFocusProxy(self.canvas)

        self._depth.addItems([""] * len(DEPTHS))
        self._depth.setCurrentIndex(DEPTHS.index(USUAL_DEPTH))
        self._depth.currentIndexChanged.connect(self.refresh)
        self._fit.clicked.connect(self.canvas.fit)
        self.canvas.activated.connect(self.goTo)
        self.canvas.resized.connect(self.refresh)

    def retranslate(self) -> None:
        """Say everything again."""
        self._heading.setWholeText(self.tr("Dataflow around the pair"))
        for part in (self, self.canvas, self.canvas.viewport()):
            part.setAccessibleName(self.tr("Dataflow around the pair"))
        self._depth.setAccessibleName(self.tr("Depth"))
        self._depth.setToolTip(self.tr("How many steps from the pair are drawn"))
        for index, depth in enumerate(DEPTHS):
            self._depth.setItemText(index, self.tr("depth {0}").format(depth))
        self._fit.setText(self.tr("Fit"))
        self._fit.setToolTip(self.tr("Fit the drawing into its frame (0)"))
        self._hint.setText(self.tr("Select an op to see where its data comes from and goes to."))
        self.refresh()

    def refresh(self) -> None:
        """Draw what is around two ops, or one, or none."""
        self._stale = not self.isVisible()
        shown = bool(self.shown)
        self._show_contents(shown)
        if not shown:
            self.canvas.showScene(FlowScene())
            return
        width: float = self.canvas.viewport().width()
        scene = self._drawn(width)
        if scene.lack > 1.0:
            # Better a little smaller than without the middle of what ops are called.
            width *= min(scene.lack, _MOST_LACK * max(1.0, text_scale()))
            scene = self._drawn(width)
        share = self.canvas.fitting(scene)
        if share < 1.0:
            # What has to shrink for its height has more room to its sides.
            wider = self._drawn(width / max(share, _LEAST_SHARE / text_scale()))
            scene = max(scene, wider, key=self.canvas.fitting)
        self.canvas.showScene(scene)

    def _drawn(self, width: float) -> FlowScene:
        scene = FlowScene()
        scene.draw(self.shown, self.depth(), width)
        return scene
