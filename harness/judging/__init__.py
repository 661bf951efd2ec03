"""Reads a run and judges it: medians, intervals, verdicts; compare and the CI job. Knows nothing of plots/."""
