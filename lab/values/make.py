"""Record the networks right and wrong, with values: ``python make.py FOLDER [--only NAME …]``.

Needs PyTorch. A folder NETWORK/VARIANT has ``base.ir.gz`` and a trace for every mistake, values
beside them, and ``truth.json``: of each mistake its sort, and the lines of the network or the
number of the record where it shows first.

- ``exact``: eager against eager;
- ``noise``: the wrong run's kernels are one step of precision off;
- ``compiled``: the wrong run is compiled, decomposed and parted as Inductor has it;
- ``bfloat16``: both in bfloat16, the wrong run with noise.

``clean.ir.gz`` is the other run without a mistake: nothing should be found there.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from mistakes import (
    BY_SORT,
    NETWORKS,
    TAMPERINGS,
    Mistakes,
    lines_of,
    places_of,
    source_of,
)
from runs import Below, noise, tampering
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._inductor.decomposition import select_decomp_table

from opdiff.record import OpTrace, recording_backend

VARIANTS = ("exact", "noise", "compiled", "bfloat16")


def record(
    path: Path, network: str, variant: str, mistake: str, *, other: bool
) -> dict[str, object]:
    """One run; the *other* one has what the variant is about."""
    torch._dynamo.reset()
    dtype = torch.bfloat16 if variant == "bfloat16" else torch.float32
    module = importlib.import_module(f"networks.{network}")
    model, train = module.prepared(Mistakes(mistake), dtype)
    below = Below()
    with ExitStack() as stack:
        stack.enter_context(below)
        trace = stack.enter_context(OpTrace(path, values="sketch"))
        if other and variant in ("noise", "bfloat16"):
            below.add(noise(1))
        if mistake in TAMPERINGS[network]:
            source, lines = str(source_of(network)), lines_of(network, mistake)
            spec = TAMPERINGS[network][mistake]
            below.add(tampering(spec, source, lines, lambda: len(trace), below))
        if other and variant == "compiled":
            model = torch.compile(model, backend=backend(trace))
        loss = train(model)
    if other and variant == "compiled":
        trace.require_compiled()
    return {"ops": len(trace), "loss": loss, "tampered": below.tampered_at}


def backend(trace: OpTrace) -> Callable[..., Any]:
    """What Inductor would compile: its decompositions, some of forward computed again."""
    found = recording_backend(trace, decompositions=select_decomp_table())
    found.kwargs["partition_fn"] = min_cut_rematerialization_partition  # type: ignore[attr-defined]
    return found


def make(folder: Path, network: str, variant: str, only: Collection[str]) -> None:
    """Runs of one variant: without a mistake, and with each of these, or of all."""
    folder.mkdir(parents=True, exist_ok=True)
    record(folder / "base.ir.gz", network, variant, "", other=False)
    clean = record(folder / "clean.ir.gz", network, variant, "", other=True)
    truth: dict[str, object] = {}
    counts = dict.fromkeys(BY_SORT[network], 0)
    dropped = []
    for sort, mistake in (
        (sort, name) for sort, names in BY_SORT[network].items() for name in names
    ):
        if only and mistake not in only:
            continue
        facts = record(folder / f"{mistake}.ir.gz", network, variant, mistake, other=True)
        missed = mistake in TAMPERINGS[network] and facts["tampered"] is None
        if missed or _values(folder, mistake) == _values(folder, "clean"):
            dropped.append(mistake)  # no such op in compiled code, or nothing came of it
            for name in (f"{mistake}.ir.gz", f"{mistake}.values.csv.gz"):
                (folder / name).unlink()
            continue
        truth[mistake] = {"sort": sort, **places_of(network, mistake), **facts}
        counts[sort] += 1
    (folder / "truth.json").write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    told = f"{len(truth)} mistakes {counts}, {clean['ops']} ops; without effect: {dropped}"
    print(f"{network}, {variant}: {told}", flush=True)


def _values(folder: Path, name: str) -> bytes:
    return gzip.decompress((folder / f"{name}.values.csv.gz").read_bytes())


if __name__ == "__main__":
    known = sorted(
        {name for sorts in BY_SORT.values() for names in sorts.values() for name in names}
    )
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--network", action="append", choices=NETWORKS)
    parser.add_argument("--variant", action="append", choices=VARIANTS)
    parser.add_argument("--only", action="append", choices=known, help="mistakes", default=[])
    options = parser.parse_args()
    torch.set_num_threads(1)
    for network in options.network or NETWORKS:
        for variant in options.variant or VARIANTS:
            make(options.folder / network / variant, network, variant, options.only)
