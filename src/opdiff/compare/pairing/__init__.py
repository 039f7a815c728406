"""Which ops of both sides are the same: the steps, and the algorithms that they ask."""
