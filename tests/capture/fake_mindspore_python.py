"""Stands in for a Python with MindSpore: answers a request of the jit matrix without any.

It plays a function that is computed rightly under ast, wrongly under trace and not at all under
bytecode with fullgraph.
"""

import json
import sys
from pathlib import Path

import numpy as np

RECORD = (
    "(%{n}) = {op}(), task_info: {n}, attrs {{stream_id=0}} \n    (Float32:[2]) <- ()\n    # \n"
)

if sys.argv[1] == "-c":
    print(json.dumps({"python": "3.11.0", "mindspore": "2.10.0"}))
    sys.exit()

request_path = Path(sys.argv[2])
request = json.loads(request_path.read_text())
options = request["options"]
if request["function"] == "broken":
    sys.exit("ValueError: cannot do that")
if options.get("fullgraph") and options["capture_mode"] == "bytecode":
    sys.exit("[WARNING] noise\nRuntimeError: graph break at line 7\n[WARNING] more noise")

wrong = options.get("capture_mode") == "trace"
np.savez(request_path.parent / "result.npz", **{"0_0": np.ones(2) * (2.5 if wrong else 1)})
(request_path.parent / "times.json").write_text(json.dumps({"prepare": 0.25, "call": 0.0012}))
if not request["repeat"]:
    ops = ["Mul", "Neg", "Erfinv", "Erfinv", "Erfinv", "Mul", "AddExt" if not options else "Add"]
    if not wrong:
        ops.append("Concat")
    text = "".join(RECORD.format(n=n, op=op) for n, op in enumerate(ops))
    Path("tracker_graph.ir").write_text(text)
