"""(a) Representation: exchangeable tokens, and the posterior as their sufficient and minimal statistic."""
