"""(a) Representation: the posterior is a sufficient and minimal statistic of the tokens."""
