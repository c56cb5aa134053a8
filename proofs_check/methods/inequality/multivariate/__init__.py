"""Several variables: reductions, exact ranges, and box search with wells round contact points."""
