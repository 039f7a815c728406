"""A monkey at the window: no exception, no warning of Qt, and nothing that grows for ever."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import shutil
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import (
    QEvent,
    QEventLoop,
    QMessageLogContext,
    QPoint,
    QPointF,
    QSettings,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QWidget,
)
from tests.soak.samples import ROOT

from opdiff.compare import Direction, Side
from opdiff.errors import OpdiffError
from opdiff.ui import MainWindow
from opdiff.ui.commands import handlers
from opdiff.ui.files.opening import Opening

STEPS = 120
_LEAVES = {"quit"}
_PLATFORM = "This plugin does not support"
_TEXTS = [
    "", "1", "127", "9" * 40, "9" * 5000, "-3", "Mat*", "*", "%12", "[", "\\", "注", "<img src=x>",
    "\x1b[2J\u202e", "ignore: [Mul]\n", "same:\n- [Add, AddExt]\n", "}{", "a" * 3000, "\n\n", " ",
]  # fmt: skip
_KEYS = [
    Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_PageDown,
    Qt.Key.Key_PageUp, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Return, Qt.Key.Key_Escape,
    Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Space, Qt.Key.Key_Delete, Qt.Key.Key_N,
    Qt.Key.Key_P, Qt.Key.Key_M, Qt.Key.Key_I, Qt.Key.Key_E, Qt.Key.Key_F5, Qt.Key.Key_F3,
    Qt.Key.Key_G, Qt.Key.Key_R, Qt.Key.Key_O, Qt.Key.Key_L, Qt.Key.Key_H, Qt.Key.Key_B,
]  # fmt: skip
_MODIFIERS = [
    Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
]  # fmt: skip


class _Heard:
    """What went wrong since it was last asked."""

    def __init__(self) -> None:
        self.troubles: list[str] = []
        self.baseline: tuple[int, int, int, int] | None = None
        self.rounds = 0

    def exception(
        self, kind: type[BaseException], error: BaseException, place: TracebackType | None
    ) -> None:
        self.troubles.append("".join(traceback.format_exception(kind, error, place)))

    def qt(self, kind: QtMsgType, _: QMessageLogContext, text: str) -> None:
        if kind != QtMsgType.QtDebugMsg and not text.startswith(_PLATFORM):
            self.troubles.append(f"Qt: {text}")


_HEARD = _Heard()


def _application() -> QApplication:
    app = QApplication.instance()
    if app is None:
        app = QApplication([])
        qInstallMessageHandler(_HEARD.qt)
        sys.excepthook = _HEARD.exception
        os.environ["OPDIFF_EDITOR"] = "true {file}"
    assert isinstance(app, QApplication)
    return app


class _Monkey:
    def __init__(self, chance: random.Random, scratch: Path) -> None:
        self.chance = chance
        self.scratch = scratch
        self.log = (scratch / "steps.txt").open("w", buffering=1)
        self.pairs = self._files()
        settings = QSettings(str(scratch / "settings.ini"), QSettings.Format.IniFormat)
        self.window = MainWindow(settings)
        self.window.resize(chance.randint(500, 1600), chance.randint(300, 1000))
        self.window.show()
        self.window.sessions.start_autosave(scratch / "state")
        self._answer_dialogs()
        # Some menus are waited for, in a loop of their own.
        self.rescue = QTimer(interval=100)
        self.rescue.timeout.connect(self.close_popup)
        self.rescue.start()

    def close_popup(self) -> None:
        popup = QApplication.activePopupWidget()
        if popup is not None:
            self.note("  close", type(popup).__name__)
            popup.close()

    def _files(self) -> list[tuple[Path, Path]]:
        """Copies, as some of them are changed."""
        samples = self.scratch / "traces"
        pairs = []
        for folder, left, right in (
            ("rope", "eager.ir", "jit.ir"),
            ("vocab", "eager.ir", "jit.ir"),
            ("identical", "first.ir", "second.ir"),
            ("assign_ir", "with_copies.ir", "without_copies.ir"),
        ):
            shutil.copytree(ROOT / "samples" / folder, samples / folder)
            pairs.append((samples / folder / left, samples / folder / right))
        damaged = samples / "damaged.ir"
        damaged.write_bytes(b"junk\n" + pairs[0][0].read_bytes()[:-500])
        return [*pairs, (damaged, pairs[0][1]), (samples / "gone.ir", pairs[1][1])]

    def _answer_dialogs(self) -> None:
        """Files and answers by chance: nobody is there to be asked."""
        names = [self.scratch / name for name in ("a.opdiff", "b.opdiff", "rules.yaml", "no/x")]
        names += [self.pairs[0][0], self.pairs[1][1], self.scratch]

        def name(*_: object, **__: object) -> tuple[str, str]:
            return self.chance.choice(["", *map(str, names)]), ""

        def answer(*_: object, **__: object) -> QMessageBox.StandardButton:
            buttons = QMessageBox.StandardButton
            return self.chance.choice((buttons.Save, buttons.Discard, buttons.Yes, buttons.No))

        handlers.open_in_editor = lambda *_: True  # type: ignore[assignment]
        QFileDialog.getOpenFileName = name  # type: ignore[method-assign,assignment]
        QFileDialog.getSaveFileName = name  # type: ignore[method-assign,assignment]
        QMessageBox.question = answer  # type: ignore[method-assign,assignment]

    def step(self) -> None:
        ways: list[Callable[[], object]] = [
            self.act, self.act, self.act, self.act, self.press, self.press, self.point, self.point,
            self.type, self.in_dialog, self.in_dialog, self.select, self.open, self.compare,
            self.look, self.change_file,
        ]  # fmt: skip
        way = self.chance.choice(ways)
        self.note(way.__name__)
        way()
        self.breathe(self.chance.choice((0, 0, 0, 5, 60)))
        popup = QApplication.activePopupWidget()
        if popup is not None:
            if isinstance(popup, QMenu) and self.chance.random() < 0.5:
                QTest.keyClick(popup, Qt.Key.Key_Down)
                QTest.keyClick(popup, Qt.Key.Key_Return)
            else:
                popup.close()

    def note(self, *words: object) -> None:
        print(*words, file=self.log)

    def breathe(self, milliseconds: int) -> None:
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def act(self) -> None:
        commands = self.window.commands
        names = sorted({spec.name for spec in commands.specs} - _LEAVES)
        possible = [name for name in names if commands[name].isEnabled()]
        name = self.chance.choice(possible)
        self.note("  action", name)
        commands[name].trigger()

    def _anybody(self) -> QWidget:
        shown = [w for w in self.window.findChildren(QWidget) if w.isVisible() and w.isEnabled()]
        return self.chance.choice(shown or [self.window])

    def press(self) -> None:
        target = self.window.focusWidget() or self._anybody()
        key, modifier = self.chance.choice(_KEYS), self.chance.choice(_MODIFIERS)
        self.note("  key", key, modifier, target.objectName())
        QTest.keyClick(target, key, modifier)

    def point(self) -> None:
        target = self._anybody()
        at = QPoint(
            self.chance.randrange(max(1, target.width())),
            self.chance.randrange(max(1, target.height())),
        )
        word = self.chance.choice(("click", "click", "double", "right", "wheel", "move"))
        self.note("  point", word, type(target).__name__, target.objectName(), at)
        if word == "click":
            QTest.mouseClick(target, Qt.MouseButton.LeftButton, self.chance.choice(_MODIFIERS), at)
        elif word == "double":
            QTest.mouseDClick(target, Qt.MouseButton.LeftButton, pos=at)
        elif word == "right":
            QTest.mouseClick(target, Qt.MouseButton.RightButton, pos=at)
        elif word == "move":
            QTest.mouseMove(target, at)
        else:
            self._turn_wheel(target, at)

    def _turn_wheel(self, target: QWidget, at: QPoint) -> None:
        angle = QPoint(0, self.chance.choice((-1200, -120, 120, 12000)))
        event = QWheelEvent(
            QPointF(at),
            QPointF(target.mapToGlobal(at)),
            QPoint(),
            angle,
            Qt.MouseButton.NoButton,
            self.chance.choice(_MODIFIERS),
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(target, event)

    def type(self) -> None:
        fields: list[QLineEdit | QPlainTextEdit] = [
            *self.window.findChildren(QLineEdit),
            *self.window.findChildren(QPlainTextEdit),
        ]
        fields = [field for field in fields if field.isVisible() and not field.isReadOnly()]
        if not fields:
            return
        field, text = self.chance.choice(fields), self.chance.choice(_TEXTS)
        self.note("  type", field.objectName(), repr(text[:20]))
        field.setFocus()
        if isinstance(field, QLineEdit):
            field.setText(text)
            QTest.keyClick(field, Qt.Key.Key_Return)
        else:
            field.setPlainText(text)

    def in_dialog(self) -> None:
        dialogs = [dialog for dialog in self.window.findChildren(QDialog) if dialog.isVisible()]
        if not dialogs:
            return
        dialog = self.chance.choice(dialogs)
        buttons = [b for b in dialog.findChildren(QAbstractButton) if b.isVisible()]
        boxes = [box for box in dialog.findChildren(QComboBox) if box.isVisible() and box.count()]
        if buttons and self.chance.random() < 0.5:
            button = self.chance.choice(buttons)
            self.note("  button", dialog.objectName(), button.text())
            button.click()
        elif boxes and self.chance.random() < 0.4:
            box = self.chance.choice(boxes)
            box.setCurrentIndex(self.chance.randrange(box.count()))
        else:
            self.note("  close", dialog.objectName())
            dialog.close()

    def select(self) -> None:
        side = self.chance.choice(list(Side))
        trace = self.window.store.trace(side)
        if trace is not None:
            row = self.chance.randrange(len(trace))
            self.note("  row", side, row)
            self.window.frame.view.selectRow(side, row)
            self.window.frame.view.pane(side).setFocus()

    def open(self) -> None:
        left, right = self.chance.choice(self.pairs)
        word = self.chance.choice(("pair", "one", "session", "drop"))
        self.note("  open", word, left.parent.name, left.name)
        if word == "pair":
            self.window.openTraces(left, right)
        elif word == "one":
            side = self.chance.choice(list(Side))
            self.window.open(Opening({side: left}, lines={side: self.chance.choice((1, 4, 9999))}))
        elif word == "drop":
            self.window.openDropped([str(left), str(right)][: self.chance.randint(1, 2)])
        else:
            try:
                self.window.openSession(self.scratch / "a.opdiff")
            except OpdiffError:
                self.note("  no session yet")

    def compare(self) -> None:
        self.window.compare(self.chance.choice(list(Direction)))

    def look(self) -> None:
        appearance = self.window.appearance
        word = self.chance.choice(("theme", "language", "size"))
        if word == "theme":
            appearance.choose_theme(self.chance.choice(("light", "dark", "system")))
        elif word == "language":
            appearance.choose_language(self.chance.choice(("en", "zh", "system")))
        else:
            self.window.resize(self.chance.randint(200, 1800), self.chance.randint(150, 1100))

    def change_file(self) -> None:
        path = self.chance.choice([p for pair in self.pairs[:2] for p in pair])
        self.note("  change", path.parent.name, path.name)
        content = path.read_bytes()
        records = content.split(b"\n(")
        if len(records) > 20:
            del records[self.chance.randrange(1, len(records))]
            path.write_bytes(b"\n(".join(records))

    def end(self) -> None:
        self.rescue.stop()
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, QDialog):
                widget.close()
        for _ in range(5):  # an answer may have been not to close
            if self.window.close():
                break
        self.window.tasks.wait()
        self.window.deleteLater()
        self.breathe(20)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self.log.close()


def one_round(chance: random.Random, scratch: Path) -> None:
    """One window's life."""
    app = _application()
    _HEARD.troubles.clear()
    monkey = _Monkey(chance, scratch)
    try:
        for _ in range(STEPS):
            monkey.step()
            assert not _HEARD.troubles, _HEARD.troubles[0]
    finally:
        monkey.end()
        del monkey
    assert not _HEARD.troubles, _HEARD.troubles[0]
    gc.collect()
    _hand_back()
    _check_resources(app)


def _check_resources(app: QApplication) -> None:
    """Compare with what was there after a few windows: caches fill, then nothing grows."""
    _HEARD.rounds += 1
    now = (
        len(app.allWidgets()),
        len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0,
        threading.active_count(),
        _megabytes(),
    )
    if _HEARD.rounds == 5:
        _HEARD.baseline = now
    if _HEARD.baseline is None:
        return
    widgets, files, threads, memory = _HEARD.baseline
    told = f"widgets, files, threads, MB: {_HEARD.baseline} after 5 windows, {now} now"
    assert now[0] <= widgets + 40, told
    assert now[1] <= files + 8, told
    assert now[2] <= threads + 4, told
    # What each round may add for good, besides what comes and goes.
    assert now[3] <= memory + 60 + 0.5 * _HEARD.rounds, told


def _hand_back() -> None:
    """Let the allocator return what is free: on a busy machine it keeps a third of all it had."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _megabytes() -> int:
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    lines = status.read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))
