"""Gaussian latent models whose posteriors and attention errors have closed forms."""
