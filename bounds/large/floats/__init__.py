"""Routes in float64: fast, each result with a bound on its error."""
