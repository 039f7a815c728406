"""What a trace is made of: phases, repeats, functions. Found in a trace by itself."""

from opdiff.structure.building import structure_of
from opdiff.structure.phases import Phase, names_gradients, phase_marks, phases
from opdiff.structure.tree import ROOT, NodeKind, Structure

__all__ = [
    "ROOT",
    "NodeKind",
    "Phase",
    "Structure",
    "names_gradients",
    "phase_marks",
    "phases",
    "structure_of",
]
