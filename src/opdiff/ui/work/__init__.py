"""Work that lasts, in the window: pins, rules, notes, undo, sessions, reports and reloading."""

from opdiff.ui.work.action_table import ALL_ACTIONS, ROW_MENU
from opdiff.ui.work.bench import Workbench

__all__ = ["ALL_ACTIONS", "ROW_MENU", "Workbench"]
