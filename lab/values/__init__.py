"""How well values name the cause: a network, its mistakes, and how often they are found."""
