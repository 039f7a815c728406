"""What was read before, as files that are mapped instead of read again."""
