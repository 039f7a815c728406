"""Work that lasts, in the window: pins, rules, notes, undo, sessions, reports and reloading."""

from opdiff.ui.work.bench import Workbench

__all__ = ["Workbench"]
