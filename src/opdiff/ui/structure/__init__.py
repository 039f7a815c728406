"""What the traces are made of, in the window: a tree, a table of layers, paths above the panes."""
