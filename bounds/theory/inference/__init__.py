"""(b) Inference: attention computes the posterior mean, up to an error that falls with the tokens."""
