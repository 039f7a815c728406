"""Each side made ready by itself: which rows are compared, and what is known of each."""
