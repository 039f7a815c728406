"""Makes the synthesised samples: ``python samples/make_samples.py [--out DIR]``.

No Ascend device was at hand: these pairs are played by programs (``decoder.py``, and ``cluster.py``
for runs of several ranks), in the syntax that MindSpore prints there. The same files come out
every time.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cluster import Cluster, dropped, renamed
from decoder import ROOT, Decoder, Variant
from synthesis import Run


def play(path: Path, variant: Variant, *, first_stamp: int, workspace_every: int) -> Decoder:
    """One run of the program, written to a file."""
    run = Run(ROOT, first_stamp=first_stamp, workspace_every=workspace_every)
    decoder = Decoder(run, variant)
    decoder.forward()
    run.save(path)
    return decoder


def write_anchors(folder: Path, left: int, right: int) -> None:
    """The anchors of a pair, as options of the command line."""
    (folder / "anchors").write_bytes(f"--left-anchor {left} --right-anchor {right}\n".encode())


def make_rope(folder: Path) -> None:
    """Rotary embedding eager, and compiled."""
    left = play(folder / "eager.ir", Variant(), first_stamp=0, workspace_every=3)
    compiled = Variant(compiled_rope=True)
    right = play(folder / "jit.ir", compiled, first_stamp=12, workspace_every=2)
    write_anchors(folder, left.attention_line, right.attention_line)


def make_vocabulary(folder: Path) -> None:
    """The mask of the vocabulary embedding eager, and compiled and fallen back to the CPU."""
    left = play(folder / "eager.ir", Variant(layers=2), first_stamp=0, workspace_every=3)
    compiled = Variant(layers=2, compiled_mask=True)
    right = play(folder / "jit.ir", compiled, first_stamp=7, workspace_every=3)
    write_anchors(folder, left.mask_line, right.mask_line)


def make_activation(folder: Path) -> None:
    """SiLU in one run, GeLU in the other; both eager."""
    left = play(folder / "silu.ir", Variant(), first_stamp=0, workspace_every=3)
    right = play(folder / "gelu.ir", Variant(activation="GeLU"), first_stamp=4, workspace_every=4)
    write_anchors(folder, left.loss_line, right.loss_line)


def make_identical(folder: Path) -> None:
    """The same program twice: only ids, time stamps and workspace differ."""
    left = play(folder / "first.ir", Variant(), first_stamp=0, workspace_every=3)
    right = play(folder / "second.ir", Variant(), first_stamp=31, workspace_every=2)
    write_anchors(folder, left.loss_line, right.loss_line)


def make_ranks(folder: Path) -> None:
    """Two runs of eight ranks: two stages of a pipeline, each of four shards; one of them hangs."""
    Cluster(2, 1, 4, layers=1).write(folder / "healthy")
    mistakes = {3: renamed("AllReduce", 1, "AllGather"), 6: dropped("Mul")}
    names = {"Slice": "StridedSlice"}
    hanging = Cluster(2, 1, 4, layers=1, names=names, mistakes=mistakes, missing=frozenset({5}))
    hanging.write(folder / "hanging")


def main() -> None:
    """Make all pairs."""
    parser = argparse.ArgumentParser(description="Make the synthesised samples.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    folder: Path = parser.parse_args().out
    make_rope(folder / "rope")
    make_vocabulary(folder / "vocab")
    make_activation(folder / "activation")
    make_identical(folder / "identical")
    make_ranks(folder / "ranks")


if __name__ == "__main__":
    main()
