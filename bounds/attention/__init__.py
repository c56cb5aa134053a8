"""Attention as it is computed: kernels, CME attention, softmax attention."""
