"""The networks of the lab, each with its bugs and its other ways of running."""
