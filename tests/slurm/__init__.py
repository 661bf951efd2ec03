"""A Slurm of its own on this host, and tests on it."""
