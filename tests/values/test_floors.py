"""What is noise: precisions, floors set by hand, and jumps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sidecar_text import chain, sidecar, written

from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.values.floors import NO_FLOORS, Floors, Precision, jumps, parse_jump, precision_of
from opdiff.values.measures import Measure, Measures
from opdiff.values.sidecar import read_sidecar
from opdiff.values.table import precisions
from opdiff.wording import say


@pytest.mark.parametrize(
    ("dtypes", "precision"),
    [
        ("Float32 float32 torch.float32 DT_FLOAT Complex64 Float fp32 f32", Precision.F32),
        ("Float64 double torch.float64 Complex128", Precision.F64),
        ("Float16 half f16 torch.float16", Precision.F16),
        ("BFloat16 bf16 torch.bfloat16", Precision.BF16),
        ("Float8E4M3FN torch.float8_e5m2 HiFloat8 f8", Precision.F8),
        ("Bool Int64 UInt8 int int8 torch.int32 Int4 whole torch.bool", Precision.WHOLE),
    ],
)
def test_dtypes_by_any_name(dtypes: str, precision: Precision) -> None:
    assert {precision_of(dtype) for dtype in dtypes.split()} == {precision}


def test_dtypes_that_nobody_knows() -> None:
    assert precision_of("String") is None
    assert precision_of("") is None


def test_the_narrower_precision_has_the_floor() -> None:
    kinds = np.array(list(Precision), np.int8)
    single = np.full(len(kinds), Precision.F32, np.int8)
    floors = Floors().of_pairs(kinds, single)
    assert floors.tolist() == [2e-6, 2e-6, 2e-6, 2e-3, 1.5e-2, 0.25]
    assert Floors().of_pairs(kinds, kinds).tolist() == [0.0, 1e-12, 2e-6, 2e-3, 1.5e-2, 0.25]
    assert not NO_FLOORS.of_pairs(kinds, kinds).any()


def test_floors_set_by_hand() -> None:
    floors = Floors().with_options(["bf16=0.03", "float32=1e-5", "int=0.5", "bf16=0.04"])
    both = np.array([Precision.BF16, Precision.F32, Precision.WHOLE, Precision.F16], np.int8)
    assert floors.of_pairs(both, both).tolist() == [0.04, 1e-5, 0.5, 2e-3]


@pytest.mark.parametrize(
    ("option", "code"),
    [
        ("bf17=0.1", "bad-floor"),
        ("bf16", "bad-floor"),
        ("", "bad-floor"),
        ("=1", "bad-floor"),
        ("bf16=", "bad-floor-number"),
        ("bf16=three", "bad-floor-number"),
        ("bf16=-1", "bad-floor-number"),
        ("bf16=nan", "bad-floor-number"),
        ("bf16=2", "bad-floor-number"),
    ],
)
def test_floors_that_are_none(option: str, code: str) -> None:
    with pytest.raises(OpdiffError) as caught:
        Floors().with_options([option])
    assert caught.value.sentence.code == f"values.{code}"
    assert option in caught.value.text()
    assert option in caught.value.text("zh")


def test_the_factor_of_a_jump() -> None:
    assert parse_jump("4.5") == 4.5
    for text in ("1", "0", "-3", "x", "inf", "nan", ""):
        with pytest.raises(OpdiffError) as caught:
            parse_jump(text)
        assert say(caught.value.sentence, "zh") != say(caught.value.sentence)


def test_jumps() -> None:
    nan = float("nan")
    #        noise  jump   grows  small jump, no source  not known   whole numbers
    error = [1e-6, 1e-2, 1e-2, 1.9e-6, 1e-2, nan, 1e-9, 1e-9, 0.0]
    source = [0.0, 1e-4, 2e-3, 0.0, nan, 0.0, 0.0, 5e-10, 0.0]
    floor = [2e-6] * 6 + [0.0] * 3
    found = jumps(np.array(error), np.array(source), np.array(floor))
    assert found.tolist() == [False, True, False, False, True, False, True, False, False]
    # The floor is not enough: a third of it counts as no error, and a jump is ten times that.
    near = jumps(np.array([3e-6, 7e-6]), np.zeros(2), np.full(2, 2e-6))
    assert near.tolist() == [False, True]
    near = jumps(np.array([3e-6, 7e-6]), np.zeros(2), np.full(2, 2e-6), factor=4.0)
    assert near.tolist() == [True, True]


def test_precisions_of_operands(tmp_path: Path) -> None:
    text = (
        "(%2) = Cast(%1), task_info: 1, attrs {stream_id=0} \n"
        "    (BFloat16:[4]) <- (Int64:[4])\n    # \n"
    )
    (tmp_path / "x.ir").write_text(text)
    trace = open_trace(tmp_path / "x.ir")
    values = read_sidecar(written(tmp_path, sidecar("0,out,0,4,0,,,,1,,1 2 3 4")), trace)
    assert precisions(trace, values, outputs=True).tolist() == [Precision.BF16]
    assert precisions(trace, values, outputs=False).tolist() == [Precision.WHOLE]


def test_precisions_of_operands_that_only_the_values_know(tmp_path: Path) -> None:
    bare = "() = Add(), task_info: 1, attrs {stream_id=0} \n    () <- ()\n    # \n"
    plain = (tmp_path / chain(tmp_path, [(6,)]).source.path).read_text()
    (tmp_path / "y.ir").write_text(bare + plain)
    trace = open_trace(tmp_path / "y.ir")
    values = read_sidecar(written(tmp_path, sidecar("0,out,1,4,0,,,,1,,1 2 3 4")), trace)
    assert precisions(trace, values, outputs=True).tolist() == [Precision.F32] * 3
    told = replace(values, measures=Measures.of([Measure(count=4, dtype="Float16")]))
    assert precisions(trace, told, outputs=True).tolist() == [
        Precision.F32,
        Precision.F16,
        Precision.F32,
    ]
