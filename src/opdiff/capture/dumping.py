"""MindSpore's tensor dump, set up for a run and brought beside its trace.

MindSpore reads a JSON file named by ``MINDSPORE_DUMP_CONFIG``, and writes a file of NumPy's for
every operand of every kernel of compiled graphs. Eager ops are not dumped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from opdiff.errors import OpdiffError

CONFIG = "MINDSPORE_DUMP_CONFIG"
DUMP = "dump"
_OWN = "opdiff-dump.json"
"""The settings lie in the dump itself: that tells it from a folder of the user's."""
_RANK = re.compile(r"rank_[0-9]+")
_PLAIN = re.compile(r"[A-Za-z0-9_/-]+")


@contextmanager
def dumping(home: Path, environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The environment of a run that dumps its tensors; afterwards they lie in ``dump`` at home.

    An earlier dump of ours stays until there is a new one. Raises OpdiffError where a dump is set
    up already, or something else has the name.
    """
    if environment.get(CONFIG):
        raise OpdiffError("capture.own-dump", variable=CONFIG)
    target = home / DUMP
    if target.exists() and not (target / _OWN).is_file():
        raise OpdiffError("capture.foreign-dump", path=target)
    home.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix="dump-part-", dir=_plain_folder(home)))
    try:
        config = draft / _OWN
        config.write_text(json.dumps(_settings(draft), indent=1) + "\n", encoding="utf-8")
        yield {**environment, CONFIG: str(config)}
        if count_tensors(draft):
            _bring_home(draft, home)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _plain_folder(home: Path) -> Path:
    """Where a dump can be written: MindSpore takes no dots, blanks and so on in its path."""
    for folder in (home.resolve(), Path(tempfile.gettempdir()).resolve()):
        if _PLAIN.fullmatch(str(folder)):
            return folder
    raise OpdiffError("capture.dump-path", path=home)


def _settings(folder: Path) -> dict[str, object]:
    """All inputs and outputs of all kernels in every iteration, as whole tensors."""
    return {
        "common_dump_settings": {
            "op_debug_mode": 0,
            "dump_mode": 0,
            "path": str(folder),
            "net_name": "Net",
            "iteration": "all",
            "saved_data": "tensor",
            "input_output": 0,
            "kernels": [],
            "support_device": list(range(8)),
        },
        "e2e_dump_settings": {"enable": True, "trans_flag": True},
    }


def count_tensors(folder: Path) -> int:
    """How many tensors were dumped."""
    return sum(name.endswith(".npy") for _, _, names in os.walk(folder) for name in names)


def _bring_home(draft: Path, home: Path) -> None:
    """Put the dump beside the trace; of several ranks each beside its own."""
    ranks = [path for path in draft.iterdir() if _RANK.fullmatch(path.name) and path.is_dir()]
    for rank in ranks if len(ranks) > 1 else ():
        folder = home / rank.name
        folder.mkdir(exist_ok=True)
        shutil.copyfile(draft / _OWN, rank / _OWN)
        _put(rank, folder / DUMP)
    if len(ranks) <= 1:
        _put(draft, home / DUMP)


def _put(draft: Path, target: Path) -> None:
    if target.exists():
        if not (target / _OWN).is_file():
            raise OpdiffError("capture.foreign-dump", path=target)
        shutil.rmtree(target)
    draft.chmod(0o755)
    shutil.move(str(draft), target)
