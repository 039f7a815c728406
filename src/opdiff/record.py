"""Placeholder for the recorder."""
