"""Producers of operands that a trace does not print, guessed from equal contents."""

from __future__ import annotations

from pathlib import Path

from sidecar_text import chain, sidecar, written

from opdiff.readers import open_trace
from opdiff.values.flow import Flow
from opdiff.values.sidecar import read_sidecar

BARE = "() = {name}(), task_info: 1, attrs {{stream_id=0}} \n    () <- ()\n    # \n"


def test_printed_operands_are_taken_as_they_are(tmp_path: Path) -> None:
    trace = chain(tmp_path, [(6,)] * 3)
    values = read_sidecar(written(tmp_path, sidecar("2,out,0,6,0,,,,1,,1 2 3 4")), trace)
    flow = Flow.of(trace, values)
    assert flow.producer.tolist() == [-1, 0, 1]
    assert len(flow) == 3
    assert flow.input_block.tolist() == trace.inputs.memory.tolist()


def test_equal_contents_are_the_same_tensor(tmp_path: Path) -> None:
    (tmp_path / "x.ir").write_text("".join(BARE.format(name=name) for name in "ABCD"))
    trace = open_trace(tmp_path / "x.ir")
    first, second, weight = "6,0,,,,1,,1 2 3 4", "6,0,,,,2,,1 2 3 4", "6,0,,,,3,,5 6 7 8"
    rows = [
        f"0,in,0,{weight}",
        f"0,out,0,{first}",
        f"1,in,0,{first}",
        f"1,in,1,{weight}",
        f"1,out,0,{second}",
        f"2,in,0,{first}",
        f"2,out,0,{first}",
        f"3,in,0,{first}",
        f"3,in,2,{second}",
    ]
    flow = Flow.of(trace, read_sidecar(written(tmp_path, sidecar(*rows)), trace))
    # The last one that wrote it counts; what is not known has no producer.
    assert flow.start.tolist() == [0, 1, 3, 4, 7]
    assert flow.producer.tolist() == [-1, 0, -1, 0, 2, -1, 1]
    assert flow.output_row.tolist() == [0, 1, 2]
    assert len({flow.input_block[place] for place in (0, 2)}) == 1
    assert flow.input_block[1] == flow.output_block[0]
    assert flow.input_block[5] not in flow.output_block
