"""Routes that prove their error, from exact sums, balls and bounded rounding."""
