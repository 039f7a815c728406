"""Two runs of many ranks in the window: a table of ranks, from which traces are opened."""
