"""Whole tensors in files of PyTorch's and GE's, read without either."""

from __future__ import annotations

import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ge_file_text import KINDS, PLAIN, TILED, field, ge_file
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.errors import OpdiffError
from opdiff.values.building import measure_file
from opdiff.values.ge_files import tensors_of
from opdiff.values.table import Kept
from opdiff.values.tensor_files import load_tensor

SAVED = Path(__file__).parent / "data" / "torch"


def test_a_bfloat16_that_is_turned() -> None:
    kept = Kept(str(SAVED / "bfloat16_turned.pt"), "BFloat16")
    array = kept.load()
    assert array is not None
    assert array.tolist() == [[0.0, 0.75], [0.25, 1.0], [0.5, 1.25]]


def test_a_parameter_that_is_part_of_a_larger_one() -> None:
    assert load_tensor(str(SAVED / "parameter_part.pt")).tolist() == [4.0, 5.0, 6.0, 7.0]


def test_a_number() -> None:
    array = load_tensor(str(SAVED / "number.pt"))
    assert array.shape == ()
    assert array.dtype == np.int64
    assert int(array) == 7


def archive(path: Path, program: bytes, *, compression: int = zipfile.ZIP_STORED) -> str:
    with zipfile.ZipFile(path, "w", compression) as written:
        written.writestr("a/data.pkl", program)
        written.writestr("a/data/0", b"\0" * 12)
    return str(path)


class Dangerous:
    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('run')",))


@pytest.mark.parametrize("protocol", range(6))
def test_no_program_is_run(protocol: int, tmp_path: Path) -> None:
    path = archive(tmp_path / "x.pt", pickle.dumps(Dangerous(), protocol))
    with pytest.raises(OpdiffError, match="never run"):
        load_tensor(path)


@pytest.mark.parametrize("program", [b"", b"\x80\x02", b"no pickle", b"\x80\x02R."])
def test_what_is_no_pickle(program: bytes, tmp_path: Path) -> None:
    with pytest.raises(OpdiffError, match="never run"):
        load_tensor(archive(tmp_path / "x.pt", program))


def test_several_tensors_are_not_one() -> None:
    with pytest.raises(OpdiffError, match="never run"):
        load_tensor(str(SAVED / "several.pt"))


def test_what_is_packed_may_be_of_any_size(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.pt", b"\0" * 4096, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(OpdiffError, match="larger"):
        load_tensor(path)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_files_of_pytorch_never_raise(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray((SAVED / "parameter_part.pt").read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("pt") / "x.pt"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    Kept(str(path)).load()


ARRAYS = st.builds(
    lambda kind, shape, seed: (np.random.default_rng(seed).random(shape) * 9).astype(kind),
    st.sampled_from(sorted(KINDS)),
    st.lists(st.integers(1, 4), max_size=4),
    st.integers(0, 99),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ARRAYS, max_size=3), st.lists(ARRAYS, max_size=3), st.booleans(), st.booleans())
def test_files_of_ge_read_back_equal(
    tmp_path_factory: pytest.TempPathFactory,
    inputs: list[np.ndarray[Any, Any]],
    outputs: list[np.ndarray[Any, Any]],
    packed: bool,
    newer: bool,
) -> None:
    path = tmp_path_factory.mktemp("ge") / "Add.Add_1.3.1.1706152278787351"
    unknown = field(40, 7) + field(41, b"what a newer version says") if newer else b""
    path.write_bytes(ge_file(inputs, outputs, packed=packed, newer=unknown))
    found = tensors_of(path)
    sides = [(tensor.is_output, tensor.place) for tensor in found]
    assert sides == [
        *((False, place) for place in range(len(inputs))),
        *((True, place) for place in range(len(outputs))),
    ]
    for tensor, array in zip(found, [*inputs, *outputs], strict=True):
        read = load_tensor(str(path), tensor)
        assert read.dtype == array.dtype
        np.testing.assert_array_equal(read, array)


def test_tiles_are_put_together(tmp_path: Path) -> None:
    path = tmp_path / "MatMul.MatMul_1.3.1.1706152278787351"
    matrix = np.arange(20 * 37, dtype=np.float16).reshape(20, 37)
    path.write_bytes(ge_file([], [matrix], layout=TILED))
    [tensor] = tensors_of(path)
    np.testing.assert_array_equal(load_tensor(str(path), tensor), matrix)


@pytest.mark.parametrize(("layout", "kind"), [(4, 1), (PLAIN, 13)])
def test_what_only_the_device_needs_is_not_guessed(layout: int, kind: int, tmp_path: Path) -> None:
    path = tmp_path / "Conv2D.Conv2D_1.3.1.1706152278787351"
    path.write_bytes(ge_file([], [np.ones(4, np.float32)], layout=layout, kind=kind))
    [tensor] = tensors_of(path)
    with pytest.raises(OpdiffError, match=f"format {layout}, type {kind}"):
        load_tensor(str(path), tensor)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_files_of_ge_never_raise(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    ones = np.ones((2, 3), np.float32)
    content = bytearray(ge_file([ones], [ones, ones]))
    for _ in range(data.draw(st.integers(0, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("ge") / "Add.Add_1.3.1.1706152278787351"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        tensors = tensors_of(path)
    except OpdiffError:
        return
    for tensor in tensors:
        Kept(str(path), tensor.dtype, tensor).load()


def array_file(path: Path, described: bytes, content: bytes = b"\0" * 96) -> str:
    """A file of NumPy's form whose header says this."""
    header = described + b" " * (117 - len(described)) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + content)
    return str(path)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3), (2, 1, 2)])
@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<f2", "<i8", "|u1", "|b1", "<c8", "|V2"])
def test_what_numpy_saves(dtype: str, shape: tuple[int, ...], order: Any, tmp_path: Path) -> None:
    array = np.arange(16, dtype=np.uint8).repeat(16).tobytes()
    saved = np.ndarray(shape, dtype, array, order=order)
    np.save(tmp_path / "x.npy", saved)
    loaded = load_tensor(str(tmp_path / "x.npy"))
    assert (loaded.shape, loaded.dtype, loaded.tobytes()) == (shape, saved.dtype, saved.tobytes())


@pytest.mark.parametrize(
    "described",
    [
        b"{'descr': '<f4', 'fort",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (3,",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (True,), }",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': ('3',), }",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627775, 1099511627775), }",
        b"{'descr': '<f9', 'fortran_order': False, 'shape': (3,), }",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
        b"{'descr': '|V0', 'fortran_order': False, 'shape': (3,), }",
        b"{'descr': '<f4', '''",
        b"\x0c" * 40,
        b"(" * 100,
    ],
)
def test_a_damaged_header_of_numpy_is_said(described: bytes, tmp_path: Path) -> None:
    """Warnings, which would stand on the terminal, are errors here."""
    path = array_file(tmp_path / "x.npy", described)
    with pytest.raises(OpdiffError, match="cannot be read"):
        measure_file(path, "Float32")
    assert Kept(path).load() is None


def test_a_tensor_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.npy")
    with pytest.raises(OpdiffError, match="is a pipe"):
        measure_file(str(tmp_path / "x.npy"), "Float32")


def test_sums_that_overflow_warn_nobody(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.full(10_000, 1.7e308))
    found = measure_file(str(tmp_path / "x.npy"), "Float64")
    assert found.count == 10_000
    assert found.maximum == 1.7e308


@pytest.mark.parametrize(
    ("shape", "strides"), [((2**70, 0), (1, 1)), ((1, 2), (2**70, 1)), ((1,) * 80, (1,) * 80)]
)
def test_a_tensor_of_pytorch_with_numbers_that_are_too_large(
    shape: tuple[int, ...], strides: tuple[int, ...], tmp_path: Path
) -> None:
    def number(value: int) -> bytes:
        return b"\x8a\x0a" + value.to_bytes(10, "little")

    def listed(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(map(number, values)) + b"t"

    storage = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x03tQ"
    made = b"(" + storage + number(0) + listed(shape) + listed(strides) + b"\x89NtR."
    program = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n" + made
    with pytest.raises(OpdiffError, match="never run"):
        load_tensor(archive(tmp_path / "x.pt", program))
