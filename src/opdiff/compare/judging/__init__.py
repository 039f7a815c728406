"""What matters of it: regions, harm, causes, groups in reading order, what cannot be seen."""
