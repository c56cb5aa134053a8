"""The theory, one result a file: representation (R), inference (I), learning (G), lemmas (S)."""
