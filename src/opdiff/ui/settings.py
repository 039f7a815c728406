"""What the window remembers from one day to the next."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from opdiff.ui.numbers import whole_number

MOST_RECENT = 12
TRACES, SESSIONS = "recent", "recentSessions"
"""What was opened lately, by the names that the settings keep it under."""


class Settings:
    """Typed access to the settings; *file* is the user's own where none is given."""

    def __init__(self, file: QSettings | None = None) -> None:
        if file is None:
            file = QSettings(
                QSettings.Format.IniFormat, QSettings.Scope.UserScope, "opdiff", "opdiff"
            )
        self._file = file

    def text(self, key: str, default: str) -> str:
        """A remembered word."""
        value = self._file.value(key, default)
        return value if isinstance(value, str) else default

    def flag(self, key: str, default: bool) -> bool:
        """A remembered yes or no."""
        return self.text(key, "yes" if default else "no") == "yes"

    def number(self, key: str, default: int) -> int:
        """A remembered number."""
        number = whole_number(self.text(key, str(default)))
        return default if number is None else number

    def state(self, key: str) -> QByteArray | None:
        """A remembered layout, or None."""
        value = self._file.value(key)
        return value if isinstance(value, QByteArray) else None

    def put(self, key: str, value: str | bool | int | QByteArray) -> None:
        """Remember something."""
        if isinstance(value, bool):
            value = "yes" if value else "no"
        self._file.setValue(key, str(value) if isinstance(value, int) else value)

    def recent(self, what: str = TRACES) -> list[str]:
        """Files opened lately, the latest first; those that are gone are left out."""
        kept = self._file.value(what, [])
        # An ini file gives a list of one back as a mere text.
        paths = [kept] if isinstance(kept, str) else kept if isinstance(kept, list) else []
        return [path for path in paths if isinstance(path, str) and os.path.exists(path)]

    def add_recent(self, path: str | Path, what: str = TRACES) -> None:
        """Remember a file as the latest."""
        whole = str(Path(path).absolute())
        others = [known for known in self.recent(what) if known != whole]
        self._file.setValue(what, [whole, *others][:MOST_RECENT])
