"""The networks of the lab that run under MindSpore.

A bug is a constant of its cell, so that a compiled graph holds only one branch. Comments say what
the records of a trace, whose stacks name lines, belong to: ``# site: NAME`` a bug, ``# at: PLACE``
the layer. A graph keeps no lines: there a bug is told by what the other side executes, or by an op
of a type that nothing else in the network has. A network may bring a ``Trainer``, which gets the
gradients, tells their norm and steps its ``optimizer``; others are stepped by AdamWeightDecay.
"""
