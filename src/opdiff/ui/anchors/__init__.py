"""Where comparing starts: the anchors, the finder, what is offered for the other side."""
