"""What differs between the ops of a pair, and what stands alone: one record a kind and place."""
