"""The command line: it only wires."""

from opdiff.cli.main import main

__all__ = ["main"]
