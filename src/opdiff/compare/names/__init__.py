"""What ops are called: spellings, names of one job, what names and arguments say."""
