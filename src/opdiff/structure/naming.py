"""Places by name: ``layer 7 › attention › apply_rotary_pos_emb, backward``."""

from __future__ import annotations

from opdiff.structure.tree import ROOT, Node, Structure, What
from opdiff.wording import Sentence

_BY_NAME = (What.MODULE, What.FUNCTION)
_NAMED_BY_PHASE = "forward"


def name_of(node: Node) -> Sentence:
    """What a part is called by itself."""
    if node.what is What.PHASE:
        return Sentence.of(f"structure.{node.name}")
    if node.what in _BY_NAME:
        return Sentence.of("structure.named", name=node.name)
    if node.what is What.LIST:
        return Sentence.of("structure.list", name=node.name)
    return Sentence.of(f"structure.{node.what}", number=node.number)


def place_of(structure: Structure, node: int) -> Sentence | None:
    """Where a part is: its layer and what is inside of that, then its phase; None for the trace.

    A forward is not mentioned: that is where most places are.
    """
    if node == ROOT:
        return None
    path = structure.above(node)
    phase = next((each for each in path if each.what is What.PHASE), None)
    inner = [each for each in path if each is not phase]
    if not inner:
        return name_of(path[-1])
    place = name_of(inner[0])
    for each in inner[1:]:
        place = Sentence.of("structure.inside", outer=place, inner=name_of(each))
    if phase is None or phase.name == _NAMED_BY_PHASE:
        return place
    return Sentence.of("structure.in-phase", place=place, phase=name_of(phase))


def place_of_row(structure: Structure, row: int) -> Sentence | None:
    """Where an op is; None where the trace shows no parts."""
    return place_of(structure, int(structure.of_row[row]))
