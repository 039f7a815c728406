"""The style sheet of a theme: everything that is not painted by hand."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from PySide6.QtGui import QColor, QFontMetrics

from opdiff.compare import Kind
from opdiff.ui.look.fonts import code_font, ui_font
from opdiff.ui.look.theme import Theme, blend

_IMAGES = Path(__file__).with_name("images")


def stylesheet(theme: Theme) -> str:
    """The rules for one theme, in sizes of the font as it is now."""
    metrics = QFontMetrics(ui_font())
    values = ((each.name, getattr(theme, each.name)) for each in fields(theme))
    words = {
        **{name: colour.name() for name, colour in values if isinstance(colour, QColor)},
        "strong_line": blend(theme.dim, theme.line, 0.35).name(),
        "accent_hover": blend(theme.text, theme.accent, 0.12).name(),
        "accent_off": blend(theme.accent, theme.panel, 0.45).name(),
        "error_tint": blend(theme.error, theme.background, 0.1).name(),
        "handle": blend(theme.dim, theme.background, 0.35).name(),
        "images": _IMAGES.as_posix(),
        "name": theme.name,
        "field": str(metrics.height() + 4),
        "radius": str(round(metrics.height() * 0.4)),
        # More than half of the height, and Qt draws no round corners at all.
        "round": str(min(round(metrics.height() * 0.7), (metrics.height() + 8) // 2)),
        "pad": str(round(metrics.height() * 0.5)),
        "small": str(ui_font(0.86).pixelSize()),
        "large": str(ui_font(1.5).pixelSize()),
        "code_family": ", ".join(f'"{name}"' for name in code_font().families()),
        "code_size": str(code_font().pixelSize()),
    }
    rules = _RULES
    for word, value in words.items():
        rules = rules.replace(f"@{word};", f"{value};").replace(f"@{word}@", value)
    return rules + "".join(_kind_rules(theme, kind) for kind in Kind)


def _kind_rules(theme: Theme, kind: Kind) -> str:
    chip = f'*[chip="true"][kind="{kind}"]'
    off = blend(theme.tint(kind), theme.panel, 0.35)
    sign = f"background: {theme.tint(kind).name()}; color: {theme.ink(kind).name()};"
    return (
        f'QLabel[sign="true"][kind="{kind}"] {{ {sign} }}\n'
        f"{chip}:checked {{ background: {theme.tint(kind).name()}; }}\n"
        f"{chip}:checked:hover {{ border-color: {theme.full(kind).name()}; }}\n"
        f"{chip}:disabled {{ background: {off.name()}; border-color: transparent; }}\n"
    )


_RULES = """
QToolTip { background: @background; color: @text; border: 1px solid @line; padding: 4px 6px; }
QMainWindow, QDialog { background: @panel; }
QDialog#commandPalette { border: 1px solid @strong_line; }
QDialogButtonBox, QMessageBox { dialogbuttonbox-buttons-have-icons: 0; }
*[panel="true"] { background: @panel; }
*[sheet="true"] { background: @background; }
*[trouble="true"] { background: @error_tint; }
QLabel[sign="true"] { background: @chip; border-radius: 6px; }
QLabel { background: transparent; }
QScrollArea[ring="true"] { border: 1px solid transparent; }
QScrollArea[ring="true"]:focus { border: 1px solid @accent; }
*[dim="true"] { color: @dim; }
*[small="true"] { font-size: @small@px; }
*[heading="true"] { font-weight: 600; }
*[large="true"] { font-size: @large@px; }
*[code="true"] { font-family: @code_family@; font-size: @code_size@px; }
QLabel[error="true"] { color: @error; }
QLabel[message] { background: @background; border: 1px solid @error; border-radius: @radius@px; }
QLabel[message="offer"] { border: 1px dashed @accent; }
QLabel[pill="true"] { background: @chip; color: @text; border-radius: @round@px;
  padding: 1px @pad@px; font-weight: 600; font-size: @small@px; }

QPushButton, QComboBox, QLineEdit, QSpinBox, QPlainTextEdit, QTextEdit {
  background: @background; color: @text; border: 1px solid @line; border-radius: @radius@px; }
QPushButton { min-height: @field@px; padding: 3px @pad@px; font-weight: 500; }
QPushButton:hover, QComboBox:hover { background: @hover; }
QPushButton:pressed { background: @selection; }
QPushButton:disabled, QComboBox:disabled, QLineEdit:disabled { color: @faint; background: @panel; }
QPushButton:focus, QComboBox:focus, QLineEdit:focus, QSpinBox:focus, QPlainTextEdit:focus,
QTextEdit:focus { border: 1px solid @accent; }
QPushButton[primary="true"], QDialogButtonBox QPushButton { font-weight: 600; padding: 3px 16px; }
QPushButton[primary="true"], QDialogButtonBox QPushButton:default { background: @accent;
  color: @on_accent; border-color: @accent; }
QPushButton[primary="true"]:hover, QDialogButtonBox QPushButton:default:hover {
  background: @accent_hover; border-color: @accent_hover; }
QPushButton[primary="true"]:focus, QDialogButtonBox QPushButton:default:focus {
  border: 2px solid @text; padding: 2px 15px; }
QPushButton[primary="true"]:disabled, QDialogButtonBox QPushButton:default:disabled {
  background: @accent_off; border-color: @accent_off; }

*[chip="true"] { background: @chip; color: @text; border: 1px solid transparent;
  border-radius: @round@px; padding: 2px @pad@px; font-weight: 500; min-height: @field@px; }
*[chip="true"]:hover { border-color: @strong_line; }
*[chip="true"]:!checked { background: transparent; color: @dim; border-color: @line; }
*[chip="true"]:disabled { background: transparent; color: @faint; border-color: @line; }
*[chip="true"]:focus { border-color: @accent; }

QLineEdit, QComboBox, QSpinBox { min-height: @field@px; padding: 2px 6px;
  selection-background-color: @accent; selection-color: @on_accent; }
QLineEdit[error="true"] { border: 1px solid @error; background: @error_tint; }
QComboBox::drop-down { border: none; width: @field@px; }
QComboBox::down-arrow { image: url("@images@/chevron-@name@.svg"); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @background; border: 1px solid @line; outline: none;
  selection-background-color: @selection; selection-color: @text; }

QToolButton { background: transparent; color: @text; border: 1px solid transparent;
  border-radius: @radius@px; padding: 3px 6px; }
QToolButton:hover { background: @hover; }
QToolButton:pressed, QToolButton:checked { background: @selection; }
QToolButton[tab="true"] { color: @dim; padding: 3px 4px; border-radius: 0;
  border-bottom: 2px solid transparent; }
QToolButton[tab="true"]:checked { color: @text; background: transparent; font-weight: 600;
  border-bottom: 2px solid @accent; }
QFrame[toast="true"] { background: @text; border-radius: @radius@px; }
QFrame[toast="true"] QLabel { color: @background; }
QPushButton[quiet="true"] { background: transparent; border: 1px solid transparent;
  color: @background; font-weight: 600; padding: 1px @pad@px; }
QPushButton[quiet="true"]:hover, QPushButton[quiet="true"]:focus { border-color: @background; }
QLineEdit[inner="true"] { border: none; background: transparent; padding: 0 2px; }
QPlainTextEdit[bare="true"] { border: none; border-radius: 0; }
QToolButton:focus { border-color: @accent; }
QToolButton:disabled { color: @faint; }
QToolButton::menu-indicator { image: none; }

QCheckBox { spacing: 6px; background: transparent; }
QCheckBox:focus { color: @accent; }
QCheckBox::indicator, QTreeView::indicator, QListView::indicator, QMenu::indicator {
  width: 12px; height: 12px; border: 1px solid @strong_line; border-radius: 3px;
  background: @background; }
QMenu::indicator { margin-left: 6px; }
QCheckBox::indicator:checked, QTreeView::indicator:checked, QListView::indicator:checked,
QMenu::indicator:checked { image: url("@images@/check-@name@.svg"); }

QMenu::indicator:exclusive { border-radius: 7px; }
QMenu::indicator:exclusive:checked { image: none; width: 6px; height: 6px;
  border: 4px solid @accent; }
QSpinBox::up-button, QSpinBox::down-button { border: none; background: transparent; width: 16px; }
QSpinBox::up-arrow { image: url("@images@/chevron-up-@name@.svg"); width: 9px; height: 9px; }
QSpinBox::down-arrow { image: url("@images@/chevron-@name@.svg"); width: 9px; height: 9px; }

QMenuBar { background: @panel; color: @text; }
QMenuBar::item { padding: 4px 9px; background: transparent; border-radius: @radius@px; }
QMenuBar::item:selected { background: @selection; }
QMenu { background: @background; color: @text; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }

QListView, QTreeView, QTableView, QListWidget, QTreeWidget { background: @background; color: @text;
  border: none; outline: none; selection-background-color: @selection; selection-color: @text; }
QListWidget::item, QTreeWidget::item { padding: 2px 4px; }
QTreeView#structureView::item { padding: 2px 8px 2px 2px; }
QTableView#summaryTable::item { padding: 0 4px; }
QTableView#ranksTable::item { padding: 0 8px; }
QHeaderView::section { background: @panel; color: @dim; border: none;
  border-bottom: 1px solid @line; padding: 4px 8px; font-size: @small@px; }

QSplitter::handle { background: @line; }
QSplitter::handle:hover { background: @accent; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QProgressBar { background: @line; border: none; border-radius: 3px; max-height: 6px;
  min-height: 6px; text-align: center; color: transparent; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }

QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @handle; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @dim; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QFrame[frameShape="4"], QFrame[frameShape="5"] { color: @line; }
"""
