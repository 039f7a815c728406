"""The networks: each with switches for its mistakes, and one step of training."""
