"""Record the network right and wrong, with values: ``python make.py FOLDER [--only NAME …]``.

Needs PyTorch. A variant is a folder with ``base.ir.gz`` and a trace for every mistake, values
beside them, and ``truth.json``: of each mistake its sort, and the lines of net.py or the number of
the record where it shows first.

- ``exact``: eager against eager;
- ``noise``: the wrong run's kernels are one step of precision off;
- ``compiled``: the wrong run is compiled, with decompositions;
- ``bfloat16``: both in bfloat16, the wrong run with noise.

``clean.ir.gz`` is the other run without a mistake: nothing should be found there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import torch
from mistakes import BY_SORT, SORT_OF, TAMPERINGS, called_from, lines_of
from net import Mistakes, prepared, train
from runs import Below, noise, tampering

from opdiff.record import OpTrace, recording_backend

VARIANTS = ("exact", "noise", "compiled", "bfloat16")


def record(path: Path, variant: str, mistake: str, *, other: bool) -> dict[str, object]:
    """One run; the *other* one has what the variant is about."""
    torch._dynamo.reset()
    dtype = torch.bfloat16 if variant == "bfloat16" else torch.float32
    model, words, angles = prepared(Mistakes(mistake), dtype)
    below = Below()
    with ExitStack() as stack:
        stack.enter_context(below)
        trace = stack.enter_context(OpTrace(path, values="sketch"))
        if other and variant in ("noise", "bfloat16"):
            below.add(noise(1))
        if mistake in TAMPERINGS:
            below.add(tampering(TAMPERINGS[mistake], lambda: len(trace), below))
        called: torch.nn.Module = model
        if other and variant == "compiled":
            decompositions = torch._decomp.core_aten_decompositions()
            backend = recording_backend(trace, decompositions=decompositions)
            called = torch.compile(model, backend=backend)
        lr = 2e-2 if mistake == "learning_rate" else 1e-2
        loss = train(called, words, angles, lr)
    if other and variant == "compiled":
        trace.require_compiled()
    return {"ops": len(trace), "loss": loss, "tampered": below.tampered_at}


def make(folder: Path, variant: str, mistakes: Sequence[str]) -> None:
    """Runs of one variant: without a mistake, and with each of these."""
    folder.mkdir(parents=True, exist_ok=True)
    record(folder / "base.ir.gz", variant, "", other=False)
    clean = record(folder / "clean.ir.gz", variant, "", other=True)
    truth: dict[str, object] = {}
    for mistake in mistakes:
        facts = record(folder / f"{mistake}.ir.gz", variant, mistake, other=True)
        missed = mistake in TAMPERINGS and facts["tampered"] is None
        if missed:  # no such op in compiled code
            for name in (f"{mistake}.ir.gz", f"{mistake}.values.csv.gz"):
                (folder / name).unlink()
            continue
        places = {"lines": lines_of(mistake), "calls": called_from(mistake)}
        truth[mistake] = {"sort": SORT_OF[mistake], **places, **facts}
    (folder / "truth.json").write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    counts = {sort: sum(name in truth for name in names) for sort, names in BY_SORT.items()}
    print(f"{variant}: {len(truth)} mistakes {counts}, {clean['ops']} ops")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--variant", action="append", choices=VARIANTS)
    parser.add_argument("--only", action="append", choices=list(SORT_OF), help="mistakes")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for chosen in options.variant or VARIANTS:
        make(options.folder / chosen, chosen, options.only or list(SORT_OF))
