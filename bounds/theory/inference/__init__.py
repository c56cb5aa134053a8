"""(b) Inference: attention computes the posterior mean; the error falls with the tokens."""
