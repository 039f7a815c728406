"""opdiff: where two runs of the same model stop doing the same thing."""

__version__ = "0.1.0"
