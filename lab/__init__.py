"""Real training steps with one bug switched on: what the engine is measured by.

``make lab`` runs the networks and writes ``cases/``; ``make accuracy`` compares them and says where
the cause stands in the report. ``docs/measures.md`` tells how a bug is added.
"""
