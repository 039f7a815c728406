"""Measures reading, comparing and painting at sizes that matter; every figure is a ratio."""
