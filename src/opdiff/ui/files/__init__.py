"""What is open and what may be opened: paths, ranks, steps, graphs, and trouble while reading."""
