"""Hands at the window: one that has a mouse only, one that has a keyboard only.

Both send their events to the windows of the system, as a mouse and a keyboard do: which widget
hears of them, a menu, a dialog or a field, is decided by Qt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QPoint, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QKeySequence, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDialog,
    QFileDialog,
    QMenu,
    QWidget,
)

from opdiff.ui import MainWindow

PATIENCE_MS = 60_000
_TURN_MS = 10
_MANY_TURNS = 200
_HAND = Qt.CursorShape.PointingHandCursor
WidgetT = TypeVar("WidgetT", bound=QWidget)


def until(holds: Callable[[], object], what: str) -> None:
    """Let the window work until something holds."""
    for _ in range(PATIENCE_MS // _TURN_MS):
        if holds():
            return
        QTest.qWait(_TURN_MS)
    raise AssertionError(f"in vain: {what}")


def system_window(widget: QWidget) -> QWindow:
    """The window of the system that a widget is in."""
    handle = widget.window().windowHandle()
    assert handle is not None, "it is shown"
    return handle


def _activate(window: QWidget) -> None:
    """What a window manager does with the window on top; a bare display has none."""
    if not window.isActiveWindow():
        window.activateWindow()
    until(window.isActiveWindow, "the window on top is active")


class Hand:
    """What both hands know: what is on the screen, by its name."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self._trouble: list[AssertionError] = []

    def seen(self, name: str, kind: type[WidgetT] = QWidget) -> WidgetT:  # type: ignore[assignment]
        """The widget of a name, once it is on the screen."""
        found: list[WidgetT] = []

        def look() -> bool:
            found[:] = [w for w in self.window.findChildren(kind, name) if w.isVisible()]
            return bool(found)

        until(look, f"{name} is to be seen")
        return found[0]

    def dialog(self) -> QDialog:
        """The dialog that waits for an answer."""
        until(lambda: isinstance(QApplication.activeModalWidget(), QDialog), "a dialog asks")
        asking = QApplication.activeModalWidget()
        assert isinstance(asking, QDialog)
        return asking

    def answering(self, ask: Callable[[], object], answer: Callable[[QFileDialog], object]) -> None:
        """Do what opens a dialog for files, and answer it; it returns when both are done."""
        answered: list[bool] = []

        def look() -> None:
            asking = QApplication.activeModalWidget()
            if not isinstance(asking, QFileDialog) or not asking.isVisible():
                return
            timer.stop()
            try:
                answer(asking)
            except AssertionError as trouble:  # inside Qt's own loop nobody would hear of it
                self._trouble.append(trouble)
                asking.reject()
            answered.append(True)

        timer = QTimer(interval=_TURN_MS)
        timer.timeout.connect(look)
        timer.start()
        ask()
        until(lambda: answered, "a dialog for files was answered")
        until(lambda: QApplication.activeModalWidget() is None, "the dialog is gone")
        if self._trouble:
            raise self._trouble.pop()


class Mouse(Hand):
    """Points, clicks and turns the wheel; never a key."""

    def click(
        self,
        widget: QWidget,
        at: QPoint | None = None,
        button: Qt.MouseButton = Qt.MouseButton.LeftButton,
        *,
        double: bool = False,
    ) -> None:
        """Click what is at a point of a widget, its middle at first."""
        here = widget.mapTo(widget.window(), widget.rect().center() if at is None else at)
        assert widget.isVisible(), "it can be seen"
        assert widget.window().rect().contains(here), "it can be pointed at"
        handle = system_window(widget)
        plain = Qt.KeyboardModifier.NoModifier
        QTest.mouseMove(handle, here)
        QTest.mouseClick(handle, button, plain, here)
        if double:
            QTest.mouseDClick(handle, button, plain, here)
        QTest.qWait(0)

    def click_named(self, name: str) -> None:
        """Click the widget of a name."""
        self.click(self.seen(name))

    def menu(self, *names: str) -> None:
        """Choose from the menu that is open, level by level, by the names of the actions."""
        for name in names:
            until(lambda: isinstance(QApplication.activePopupWidget(), QMenu), "a menu is open")
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            action = next(a for a in menu.actions() if a.objectName() in (name, f"{name}Action"))
            assert action.isEnabled(), name
            self.click(menu, menu.actionGeometry(action).center())

    def menu_bar(self, menu: str, name: str) -> None:
        """Choose an action of one of the window's menus."""
        bar = self.window.menuBar()
        title = self.window.menus[menu].menuAction()
        self.click(bar, bar.actionGeometry(title).center())
        self.menu(name)

    def item(self, view: QAbstractItemView, text: str, *, double: bool = False) -> None:
        """Click the item of a view that shows a text."""
        self.click(view.viewport(), _place_of(view, text).center(), double=double)

    def first_link(self, widget: QWidget) -> None:
        """Look for a link with the mouse, line by line, and click it: its shape tells it."""
        area = widget.rect()
        for y in range(area.top() + 4, area.bottom(), 8):
            for x in range(area.left() + 4, area.right(), 8):
                here = QPoint(x, y)
                QTest.mouseMove(system_window(widget), widget.mapTo(widget.window(), here))
                below = widget.childAt(here)
                if below is not None and below.cursor().shape() is _HAND:
                    self.click(widget, here)
                    return
        raise AssertionError(f"{widget.objectName()} has no link")

    def context_menu(self, widget: QWidget, at: QPoint, *names: str) -> None:
        """Click with the right button, and choose from what opens."""
        self.click(widget, at, Qt.MouseButton.RightButton)
        self.menu(*names)

    def wheel_until(self, widget: QWidget, seen: Callable[[], bool]) -> None:
        """Turn the wheel over a widget, downwards, until what is looked for is there."""
        here = QPointF(widget.mapTo(widget.window(), widget.rect().center()))
        for _ in range(_MANY_TURNS):
            if seen():
                return
            turned = QWheelEvent(
                here,
                widget.window().mapToGlobal(here),
                QPoint(),
                QPoint(0, -360),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(system_window(widget), turned)
            QTest.qWait(0)
        raise AssertionError("it is nowhere")


class Keyboard(Hand):
    """Types; never a click."""

    def press(self, keys: str) -> None:
        """Press keys as they are written in the menus, wherever the focus is: ``Ctrl+O``."""
        pressed = QKeySequence(keys)[0]
        QTest.keyClick(self._active(), pressed.key(), pressed.keyboardModifiers())
        QTest.qWait(0)

    def type(self, text: str) -> None:
        """Type a text where the focus is."""
        for letter in text:
            QTest.keyClick(self._active(), letter)
        QTest.qWait(0)

    def _active(self) -> QWindow:
        active = QApplication.activeModalWidget() or self.window
        _activate(active)
        return system_window(active)


def _place_of(view: QAbstractItemView, text: str) -> QRect:
    model, found = view.model(), QRect()

    def look() -> bool:
        nonlocal found
        for row in range(model.rowCount(view.rootIndex())):
            index = model.index(row, 0, view.rootIndex())
            if index.data() == text:
                view.scrollTo(index)
                found = view.visualRect(index)
                return view.viewport().rect().contains(found.center())
        return False

    until(look, f"{text} is listed")
    return found
