"""What the values of both runs say of the pairs and of what differs."""
