"""Where values are looked for, and how other programs print a sketch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sidecar_text import chain, sidecar, written

from opdiff.errors import OpdiffError
from opdiff.values.measures import Measure
from opdiff.values.sketch import read_sketch
from opdiff.values.sources import open_values

ROW = "0,out,0,6,0,,,,1.5,,1 2 3 4"


def test_values_beside_the_trace(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)])
    assert open_values(trace) is None
    written(tmp_path, sidecar(ROW))
    values = open_values(trace)
    assert values is not None
    assert values.source == str(tmp_path / "x.values.csv")


def test_values_that_are_named(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)])
    written(tmp_path, "damaged")
    values = open_values(trace, written(tmp_path, sidecar(ROW), "other.csv"))
    assert values is not None
    assert values.known == 1
    with pytest.raises(OpdiffError, match="no file of values"):
        open_values(trace)
    with pytest.raises(OpdiffError, match="cannot be read"):
        open_values(trace, tmp_path / "missing.csv")


def test_a_dump_that_is_named(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)])
    folder = tmp_path / "dump"
    folder.mkdir()
    np.save(folder / "Op0.Op0.0.0.5.output.0.DefaultFormat.Float32.npy", np.ones(6, np.float32))
    values = open_values(trace, folder)
    assert values is not None
    assert values.measure(0, 0, outputs=True) is not None


def test_a_printed_sketch() -> None:
    numbers = " ".join(map(str, range(16)))
    assert read_sketch(f"sketch<5000 2 40.5 {numbers}>") == Measure(
        count=5000, nonfinite=2, norm=40.5, sketch=tuple(map(float, range(16)))
    )
    for text in ("sketch<1 2 3>", f"sketch<5 x 1 {numbers}>", f"sketch<5 2 a {numbers}>", "", "12"):
        assert read_sketch(text) is None
