"""The library for Excel files, which is not installed with the program unless asked for."""

from __future__ import annotations

from types import ModuleType

from opdiff.errors import OpdiffError
from opdiff.wording import Sentence


def spreadsheets() -> ModuleType:
    """The library; OpdiffError, with how to install it, where it is missing."""
    try:
        import openpyxl
    except ImportError:
        raise OpdiffError(Sentence.of("report.no-spreadsheets")) from None
    module: ModuleType = openpyxl
    return module
