"""One module a topic, each with ``SENTENCES``: code → (English, Chinese)."""
