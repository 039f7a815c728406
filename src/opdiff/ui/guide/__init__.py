"""For whoever starts or asks: the empty window, hints, samples, the sheets of the Help menu."""
