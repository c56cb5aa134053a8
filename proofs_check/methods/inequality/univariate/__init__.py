"""One variable: exact algebra, covers, and expansions at contact points and infinite ends."""
