"""Micro-batches and steps that one side runs more often are one statement."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.structure.programs import Program, play

from opdiff.compare import Comparison, Group, Kind, Request, compare
from opdiff.wording import say


def compared(left: Program, right: Program) -> Comparison:
    return compare(play(left)[0], play(right)[0], Request())


def only_group(comparison: Comparison) -> Group:
    """The group that nothing explains; sums of gradients may follow from it."""
    [group] = [group for group in comparison.groups if group.root]
    return group


@pytest.mark.parametrize("stacks", [True, False], ids=["stacks", "bare"])
@pytest.mark.parametrize(("more", "fewer"), [(4, 2), (3, 2), (2, 1)])
def test_micro_batches_are_counted(more: int, fewer: int, stacks: bool) -> None:
    program = Program(layers=3, stacks=stacks)
    left, right = replace(program, batches=more), replace(program, batches=fewer)
    group = only_group(compared(left, right))
    ops = len(play(left)[0]) - len(play(right)[0])
    few = f"{fewer} on the right: {ops} ops more"
    assert say(group.title) == f"{more} micro-batches on the left, {few}"
    assert say(group.title, "zh") == f"左侧 {more} 个微批，右侧 {fewer} 个：多出 {ops} 个算子"
    assert (group.kind, group.count) == (Kind.ONLY_LEFT, ops)
    region = group.region
    assert region is not None
    assert (region.what.value, region.of, region.counts) == ("repeat", more, (more, fewer))
    assert len(region.left_rows) == ops
    assert region.right_rows == ()


def test_the_mirror_image_says_the_same() -> None:
    left, right = Program(batches=1), Program(batches=3)
    group, mirrored = only_group(compared(left, right)), only_group(compared(right, left))
    assert say(group.title).startswith("1 micro-batch on the left, 3 on the right")
    assert say(mirrored.title).startswith("3 micro-batches on the left, 1 on the right")
    assert group.count == mirrored.count
    assert group.kind is Kind.ONLY_RIGHT
    assert mirrored.kind is Kind.ONLY_LEFT


def test_steps_are_counted() -> None:
    group = only_group(compared(Program(steps=3), Program(steps=2)))
    assert say(group.title).startswith("3 training steps on the left, 2 on the right")


def test_a_layer_less_is_no_micro_batch() -> None:
    found = compared(Program(layers=5, batches=2), Program(layers=4, batches=2))
    assert found.groups
    assert all(group.region is None or group.region.parts is None for group in found.groups)


@pytest.mark.parametrize(("more", "fewer"), [((2, 2), (1, 1)), ((3, 2), (2, 1)), ((3, 3), (1, 2))])
def test_micro_batches_of_a_step_that_is_missing_are_told_once(
    more: tuple[int, int], fewer: tuple[int, int]
) -> None:
    left, right = (Program(steps=steps, batches=batches) for steps, batches in (more, fewer))
    found = compared(left, right)
    members = [index for group in found.groups for index in group.members]
    assert sorted(members) == list(range(len(found.divergences)))
    parts = {group.region.parts for group in found.groups if group.region is not None}
    assert "steps" in parts
