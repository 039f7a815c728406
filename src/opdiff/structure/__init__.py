"""What a trace is made of: phases, repeats, functions. Found in a trace by itself."""

from opdiff.structure.phases import Phase, phase_marks, phases

__all__ = ["Phase", "phase_marks", "phases"]
