"""The list of differences: grouped, sorted, filtered."""
