"""Supporting lemmas on softmax, norms and matrices."""
