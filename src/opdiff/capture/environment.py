"""The environment that turns MindSpore's tracker on, merged with what the user has set."""

from __future__ import annotations

from collections.abc import Mapping

from opdiff.capture.masking import masked
from opdiff.data import lines

ALLOC_CONF = "MS_ALLOC_CONF"
LAUNCH_BLOCKING = "MS_DEV_LAUNCH_BLOCKING"
TRACKER, SIMPLE_TRACKER, TRACKER_PATH = "memory_tracker", "simple_tracker", "memory_tracker_path"


def kept_variables() -> frozenset[str]:
    """Those that are written down, by ``data/variables.txt``."""
    return frozenset(name for line in lines("variables") for name in line.split())


def read_alloc_conf(text: str) -> dict[str, str]:
    """``key:value,key:value`` as MindSpore reads it."""
    pairs = (entry.partition(":") for entry in text.split(",") if entry.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def write_alloc_conf(settings: Mapping[str, str]) -> str:
    """The inverse of :func:`read_alloc_conf`."""
    return ",".join(f"{key}:{value}" for key, value in settings.items())


def is_on(settings: Mapping[str, str], key: str) -> bool:
    """Whether a switch is on; MindSpore knows True and true, and takes 1 for off."""
    return settings.get(key, "") in {"True", "true"}


def tracker_environment(base: Mapping[str, str], *, stacks: bool) -> dict[str, str]:
    """A copy of *base* with the tracker on, and synchronous launches where stacks are wanted.

    Ops launched asynchronously run on a worker thread, whose Python stack says nothing.
    """
    environment = dict(base)
    settings = read_alloc_conf(base.get(ALLOC_CONF, ""))
    settings[TRACKER] = "True"
    environment[ALLOC_CONF] = write_alloc_conf(settings)
    if stacks:
        environment[LAUNCH_BLOCKING] = "1"
    return environment


def what_matters(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables to write down that are set, with what looks like a secret masked."""
    return {key: masked(environment[key]) for key in sorted(kept_variables()) if key in environment}
