"""Sidecars: what is read, what is a problem with its line, and what is refused."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import numpy as np
import pytest
from sidecar_text import COLUMNS, FIRST, chain, sidecar, written

from opdiff.compare import Request, compare
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.values.measures import Measure, digest_number
from opdiff.values.question import Held
from opdiff.values.sidecar import read_sidecar
from opdiff.values.sources import sidecar_beside
from opdiff.values.table import Values
from opdiff.wording import say

ROW = "0,in,0,6,0,-1,2.5,0.25,3.5,00ff,1 -2.5 3e-05 0"


def problems(values: Values) -> list[tuple[str, int | None]]:
    """Codes and lines."""
    return [
        (problem.sentence.code.removeprefix("values."), problem.line) for problem in values.problems
    ]


def test_a_row_is_read_whole(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(2, 3), (6,)])
    values = read_sidecar(written(tmp_path, sidecar(ROW, "1,out,0,6,2,,,,,,")), trace)
    assert values.measure(0, 0, outputs=False) == Measure(
        count=6,
        nonfinite=0,
        minimum=-1.0,
        maximum=2.5,
        mean=0.25,
        norm=3.5,
        digest="00000000000000ff",
        sketch=(1.0, -2.5, 3e-05, 0.0),
    )
    assert values.measure(1, 0, outputs=True) == Measure(count=6, nonfinite=2)
    assert values.measure(0, 0, outputs=True) is None
    assert values.measure(0, 5, outputs=True) is None
    assert values.known == 2
    assert values.measures.sketch_kind == "count4 seed=1"
    assert values.problems == ()


def test_equal_contents_are_kept_once(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)] * 50)
    end = ROW.removeprefix("0,in,0,")
    rows = [f"{row},{side},0,{end}" for row in range(50) for side in ("in", "out")]
    values = read_sidecar(written(tmp_path, sidecar(*rows)), trace)
    assert len(values.measures) == 1
    assert values.known == 100


def test_plain_and_odd_files_read_alike(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)] * 3)
    rows = [ROW, "0,out,0,6,0,,,,1.5,,1 2 3 4", "1,in,0,6,0,,,,1.5,,1 2 3 4", "2,out,0,6,,,,,,,"]
    plain = sidecar(*rows)
    order = "sketch,op,operand,side,hash,norm,mean,max,min,nonfinite,count,note".split(",")
    names = COLUMNS.strip().split(",")
    turned = [
        ",".join(dict(zip(names, row.split(","), strict=True)).get(name, "?") for name in order)
        for row in rows
    ]
    texts = [
        plain,
        plain.replace("\n", "\r\n"),
        "\N{ZERO WIDTH NO-BREAK SPACE}" + plain,
        plain.replace("\n1,in", "\n\n\n1,in"),
        plain.removesuffix("\n"),
        sidecar(*turned, columns=",".join(order) + "\n"),
        plain.replace("1.5,,1 2 3 4", '"1.5",,"1 2 3 4"'),
    ]
    expected = read_sidecar(written(tmp_path, plain), trace)
    for number, text in enumerate(texts):
        for content in (text.encode(), gzip.compress(text.encode())):
            found = read_sidecar(written(tmp_path, content, f"{number}.csv"), trace)
            assert problems(found) == [], text
            for row in range(3):
                for outputs in (False, True):
                    assert found.measure(row, 0, outputs=outputs) == expected.measure(
                        row, 0, outputs=outputs
                    ), text


def test_a_prototype_of_the_format(tmp_path: Path) -> None:
    """Counts may be missing, and sketches of another kind keep their name."""
    first = "# opdiff-values 1; sketch=count4/4 seed=1\n"
    trace = chain(tmp_path, [(6,)])
    values = read_sidecar(
        written(tmp_path, sidecar("0,out,0,,0,1,2,3,4,,1 2 3 4", first=first)), trace
    )
    assert values.measures.sketch_kind == "count4/4 seed=1"
    found = values.measure(0, 0, outputs=True)
    assert found is not None
    assert (found.count, found.sketch) == (None, (1, 2, 3, 4))


@pytest.mark.parametrize(
    "row",
    [
        "0,out,0,6,0,,,,1.5,,1 2 3",
        "0,out,0,6,0,,,,1.5,,1 2 3 4 5",
        "0,out,0,6,0,,,,1.5,,1 2  4",
        "0,out,0,6,0,,,,x,,1 2 3 4",
        "0,out,0,6,0,,,,1_5,,1 2 3 4",
        "0,out,0,6,0,,,,1.5",
        "0,out,0,6,0,,,,1.5,,1 2 3 4,7",
        "0,over,0,6,0,,,,1.5,,1 2 3 4",
        "0,out,,6,0,,,,1.5,,1 2 3 4",
        "0,out,-1,6,0,,,,1.5,,1 2 3 4",
        "0,out,0,6.0,0,,,,1.5,,1 2 3 4",
        "0,out,0,99999999999999999999,0,,,,1.5,,1 2 3 4",
        "Op0,out,0,6,0,,,,1.5,,1 2 3 4",
        ",out,0,6,0,,,,1.5,,1 2 3 4",
        '0,out,0,6,0,,,,1.5,,"1 2 3 4',
        "\x1b[31m\udcff",
    ],
)
def test_a_damaged_row_is_a_problem_and_costs_itself(tmp_path: Path, row: str) -> None:
    trace = chain(tmp_path, [(6,)] * 4)
    good = [f"{number},out,0,6,0,,,,{number}.5,,1 2 3 4" for number in (1, 2, 3)]
    text = sidecar(good[0], row, *good[1:])
    values = read_sidecar(written(tmp_path, text.encode("utf-8", "surrogateescape")), trace)
    assert problems(values) == [("damaged-row", 4)]
    (problem,) = values.problems
    assert problem.text().startswith(f"{tmp_path / 'x.values.csv'}:4: ")
    assert problem.text("zh") != problem.text()
    assert problem.text().isprintable()
    assert [values.measure(number, 0, outputs=True) is not None for number in range(4)] == [
        False,
        True,
        True,
        True,
    ]


def test_very_many_damaged_rows_are_counted(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)])
    twice = sidecar(ROW, *["?"] * 500, ROW)
    found = problems(read_sidecar(written(tmp_path, twice), trace))
    assert found[:2] == [("damaged-row", 4), ("damaged-row", 5)]
    assert found[100:] == [("more-problems", None), ("twice", 504)]


def test_an_operand_told_twice(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)])
    other = "0,in,0,6,0,,,,9,,1 2 3 4"
    values = read_sidecar(
        written(tmp_path, sidecar(ROW, other, "0,out,0,6,0,,,,1,,1 2 3 4")), trace
    )
    assert problems(values) == [("twice", 4)]
    found = values.measure(0, 0, outputs=False)
    assert found is not None
    assert found.norm == 9.0


def test_a_file_that_ends_early(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)] * 9)
    values = read_sidecar(written(tmp_path, sidecar(ROW)), trace)
    assert problems(values) == [("ends-early", None)]
    assert "1 to 9" in values.problems[0].text()


def test_a_cut_archive_keeps_what_can_be_unpacked(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    numbers = [
        " ".join(f"{number:.9g}" for number in rng.standard_normal(4)) for _ in range(60_000)
    ]
    trace = chain(tmp_path, [(6,)] * len(numbers))
    text = sidecar(*(f"{row},out,0,6,0,,,,1,,{sums}" for row, sums in enumerate(numbers)))
    packed = gzip.compress(text.encode(), 1)
    values = read_sidecar(written(tmp_path, packed[: len(packed) * 9 // 10]), trace)
    codes = [problem.sentence.code for problem in values.problems]
    assert "reading.cut-archive" in codes
    assert "values.ends-early" in codes
    assert values.known > 10_000


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("", None, "no-sidecar"),
        ("hello\n", 1, "no-sidecar"),
        ("# opdiff-values\n", 1, "no-sidecar"),
        ("# opdiff-values 2; sketch=count4 seed=1\n" + COLUMNS, 1, "version"),
        (FIRST, 2, "no-columns"),
        (FIRST + "a,b,c\n", 2, "no-columns"),
        (sidecar(ROW, "9,in,0,6,0,,,,1,,1 2 3 4"), 4, "foreign-op"),
        (sidecar(ROW, "1,in,3,6,0,,,,1,,1 2 3 4"), 4, "foreign-operand"),
        (sidecar(ROW, "1,out,0,7,0,,,,1,,1 2 3 4"), 4, "foreign-count"),
        (sidecar("Mul,out,0,6,0,,,,1,,1 2 3 4"), None, "foreign-names"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, line: int | None, code: str) -> None:
    trace = chain(tmp_path, [(6,), (6,)])
    path = written(tmp_path, text)
    with pytest.raises(OpdiffError) as caught:
        read_sidecar(path, trace)
    error = caught.value
    assert (error.path, error.line, error.sentence.code) == (str(path), line, f"values.{code}")
    assert say(error.sentence, "zh") != say(error.sentence)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)])
    with pytest.raises(OpdiffError, match="cannot be read"):
        read_sidecar(tmp_path / "nothing.csv", trace)


def test_names_as_keys(tmp_path: Path) -> None:
    text = ""
    for row, name in enumerate(["Default/a-A/Add-op0", "Default/Mul-op1", "Default/a-A/Add-op0"]):
        text += (
            f"(%{row}) = {name}(), task_info: {row}, attrs {{stream_id=0}} \n"
            "    (Float32:[6]) <- ()\n    # \n"
        )
    (tmp_path / "x.ir").write_text(text)
    trace = open_trace(tmp_path / "x.ir")
    rows = [
        "Default_a-A_Add-op0,out,0,6,0,,,,1,,1 2 3 4",
        "Default_a-A_Add-op0,out,0,6,0,,,,2,,1 2 3 4",
        "Default/Mul-op1,out,0,6,0,,,,3,,1 2 3 4",
        "Default/Mul-op1,out,0,6,0,,,,4,,1 2 3 4",
        '"net.weight, odd",out,0,6,0,,,,5,,1 2 3 4',
    ]
    values = read_sidecar(written(tmp_path, sidecar(*rows)), trace)
    norms = [found.norm for row in range(3) if (found := values.measure(row, 0, outputs=True))]
    assert norms == [1.0, 3.0, 2.0]
    assert [note.code for note in values.notes] == ["values.strangers", "values.more-runs"]
    assert "net.weight, odd" in say(values.notes[0])
    assert values.problems == ()


def test_ops_that_print_no_operands_have_those_of_the_values(tmp_path: Path) -> None:
    text = "() = Add(), task_info: 1, attrs {stream_id=0} \n    () <- ()\n    # \n" * 2
    (tmp_path / "x.ir").write_text(text)
    trace = open_trace(tmp_path / "x.ir")
    rows = ["1,in,2,6,0,,,,1,,1 2 3 4", "1,out,0,4,0,,,,2,,1 2 3 4"]
    values = read_sidecar(written(tmp_path, sidecar(*rows)), trace)
    assert values.inputs.start.tolist() == [0, 0, 3]
    assert values.inputs.of(1).tolist() == [-1, -1, 0]
    assert values.outputs.of(1).tolist() == [1]


@pytest.mark.parametrize(
    ("trace", "files", "found"),
    [
        ("x.ir", ["x.values.csv"], "x.values.csv"),
        ("x.ir", ["x.values.csv.gz"], "x.values.csv.gz"),
        ("x.ir", ["x.values.csv", "x.values.csv.gz"], "x.values.csv"),
        ("x.ir.gz", ["x.values.csv", "x.values.csv.gz"], "x.values.csv.gz"),
        ("x.ir.gz", ["x.values.csv"], "x.values.csv"),
        ("tracker_graph.ir", ["x.values.csv"], None),
        ("x.log", ["x.log.values.csv"], "x.log.values.csv"),
    ],
)
def test_the_file_beside_a_trace(
    tmp_path: Path, trace: str, files: list[str], found: str | None
) -> None:
    for name in files:
        (tmp_path / name).touch()
    assert sidecar_beside(tmp_path / trace) == (tmp_path / found if found else None)


@pytest.mark.parametrize(
    "text", ["-1", "-" + "f" * 15, "+f", "1_0", "0x", "0xff", "", "x" * 40, "f" * 17, "-1e9", "１"]
)
def test_a_hash_is_a_number_of_64_bits_whatever_it_says(text: str, tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)] * 2)
    rows = [f"0,in,0,6,0,-1,2.5,0.25,3.5,{text},1 -2.5 3e-05 0", ROW.replace("0,in", "1,in", 1)]
    for end in ("", ",more"):  # whole files at once, and odd ones row by row
        values = read_sidecar(written(tmp_path, sidecar(*(row + end for row in rows))), trace)
        assert values.measures.digest.dtype == np.uint64
    assert digest_number("0xff") == 0xFF
    assert digest_number("-1") != digest_number("1")


def test_numbers_at_the_ends_of_what_there_is_warn_nobody(tmp_path: Path) -> None:
    """Warnings are errors here, and on a terminal a line among those of the report."""
    numbers = ("nan", "inf", "-inf", "1.7e308", "-1.7e308", "5e-324", "-0.0", "0")
    chance = random.Random(1)

    def row(op: int, side: str) -> str:
        told = [chance.choice(numbers) for _ in range(4)]
        sums = " ".join(chance.choice(numbers) for _ in range(4))
        return f"{op},{side},0,6,0,{','.join(told)},,{sums}"

    sides = []
    for name in ("left", "right"):
        folder = tmp_path / name
        folder.mkdir()
        trace = chain(folder, [(6,)] * 300)
        rows = [row(op, side) for op in range(300) for side in ("in", "out")]
        sides.append((trace, read_sidecar(written(folder, sidecar(*rows)), trace)))
    (left, mine), (right, its) = sides
    found = compare(left, right, Request(), held=Held(mine, its))
    assert found.left.partner.tolist() == list(range(300))
