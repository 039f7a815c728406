"""A few rounds of every soak, always the same ones; ``make soak`` does new ones for long."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.soak import comparing, options, readers, sessions
from tests.soak.__main__ import NAMES
from tests.soak.samples import ROOT, contents

from opdiff.readers.formats import formats

a_few = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
seeds = st.integers(0, 2**32)


def _scratch(tmp_path: Path, seed: int) -> Path:
    folder = tmp_path / str(seed)
    folder.mkdir(exist_ok=True)
    return folder


@a_few
@given(seeds)
def test_damaged_files(tmp_path: Path, seed: int) -> None:
    readers.one_round(random.Random(seed), _scratch(tmp_path, seed))


@a_few
@given(seeds)
@example(1795022291)  # a parameter that was set up in a later phase was paired twice
def test_pairs_and_questions(tmp_path: Path, seed: int) -> None:
    comparing.one_round(random.Random(seed), _scratch(tmp_path, seed))


@a_few
@given(seeds)
def test_sessions_and_rules(tmp_path: Path, seed: int) -> None:
    sessions.one_round(random.Random(seed), _scratch(tmp_path, seed))


@a_few
@given(seeds)
def test_words_on_the_command_line(tmp_path: Path, seed: int) -> None:
    options.one_round(random.Random(seed), _scratch(tmp_path, seed))


# In a process of their own: one is killed, the other keeps what Qt keeps.
@pytest.mark.parametrize(("name", "rounds"), [("killing", 1), ("window", 3)])
def test_in_a_process_of_its_own(name: str, rounds: int) -> None:
    command = [sys.executable, "-m", "tests.soak", name, "--rounds", str(rounds), "--seed", "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{name}: {rounds} rounds, 0 failed" in done.stdout


def test_every_format_has_a_sample_to_damage() -> None:
    known = {format_.FORMAT for format_ in formats() if hasattr(format_, "FORMAT")}
    assert known <= set(contents())


def test_every_soak_is_run_by_name() -> None:
    own = {"__main__", "samples", "damage", "test_short"}
    there = {path.stem for path in Path(__file__).parent.glob("*.py")} - own
    assert there == set(NAMES)
