"""Going from place to place: the row shown, differences one by one, back and forward, search."""
