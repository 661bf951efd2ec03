"""A Slurm of its own on this host, and what is tested on it."""
