"""Data that ships with the program: the table of op names that do the same job."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where it lies; every start reads some of it, and ``importlib.resources`` is slow to import."""
