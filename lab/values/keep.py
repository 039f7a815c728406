"""Keep some of the recorded runs, for ``make accuracy``: ``python -m lab.values.keep FOLDER``.

A few mistakes of each sort, and the runs without any: enough to see that nothing got worse.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import re
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from lab.records import ROOT
from lab.values.score import CASES

_PACKAGES = re.compile(rb"(File:| from )[^;|\n]*?/site-packages/")
_LIBRARY = re.compile(rb"(File:| from )[^;|\n]*?/lib/python3\.[0-9]+/")

TWO_OF_EACH = """norm_eps softmax_axis value_of_key rotate_sign no_mask last_norm_left_out key_other
    merge_bias mm_scaled softmax_row"""
MISTAKES = {
    "attention": {
        "noise": TWO_OF_EACH,
        "compiled": TWO_OF_EACH.replace("softmax_row", "bmm_rounded"),  # softmax is taken apart
        "bfloat16": TWO_OF_EACH.replace("norm_eps", "norm_power"),  # so little changes nothing
    },
    "scan": {
        "exact": "detach_state",
        "noise": "smoothing state_row",
        "compiled": """skip_before_conv gate_of_u extra_clamp smoothing no_group_norm softplus_swap
            stale_state initial_state""",
        "bfloat16": "swap_bc",
    },
    "graph": {
        "exact": "detach_alpha bn_momentum",
        "noise": "clip_norm",
        "compiled": """index_add_lost clip_norm count_other residual_of_norm den_by_src no_se
            extra_relu div_swap""",
        "bfloat16": "swap_ends",
    },
    "denoiser": {
        "exact": "detach_weights detach_skip",
        "compiled": "detach_weights detach_skip no_time_silu",
    },
    "experts": {"exact": "no_uneven", "bfloat16": "embed_row"},
    "translate": {"exact": "momentum no_zero_grad", "compiled": "schedule softmax_axis"},
    "windows": {
        "exact": "detach_sharp not_joined",
        "compiled": "detach_gate table_turned",
        "bfloat16": "mean_of_all no_scale",
    },
}
"""By network and variant."""


def keep(folder: Path) -> None:
    """Pack the chosen runs, without the paths of the machine that recorded them."""
    for network, variants in MISTAKES.items():
        if not (folder / network).is_dir():
            continue
        members: dict[str, bytes] = {}
        for variant, names in variants.items():
            members.update(_runs(folder / network / variant, names.split()))
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for name in sorted(members, key=_likeness):
                member = tarfile.TarInfo(name)
                member.size = len(members[name])
                archive.addfile(member, io.BytesIO(members[name]))
        content = lzma.compress(packed.getvalue(), preset=9)
        (CASES / f"{network}.tar.xz").write_bytes(content)


def _runs(folder: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    chosen = {name: truth[name] for name in names}
    yield f"{folder.name}/truth.json", (json.dumps(chosen, indent=1) + "\n").encode()
    for name in ("base", "clean", *chosen):
        trace = gzip.decompress((folder / f"{name}.ir.gz").read_bytes())
        yield f"{folder.name}/{name}.ir", _neutral(trace)
        values = gzip.decompress((folder / f"{name}.values.csv.gz").read_bytes())
        yield f"{folder.name}/{name}.values.csv", values


def _likeness(name: str) -> tuple[str, str]:
    """Files of a kind one after the other: they pack best so."""
    return name.partition(".")[2], name


def _neutral(content: bytes) -> bytes:
    """Without the folders of the environment, whichever one recorded it."""
    content = _PACKAGES.sub(rb"\1/env/site-packages/", content)
    content = _LIBRARY.sub(rb"\1/env/python/", content)
    return content.replace(str(ROOT / "lab").encode() + b"/", b"/lab/")


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
