"""(c) Learning: what training finds, free of the number of tokens."""
