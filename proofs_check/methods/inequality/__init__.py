"""The inequality engine: f >= 0 or f > 0 on a region, proved or refuted."""
