"""Work that lasts, in the window: pins, rules, notes, undo, sessions, reports and reloading."""
