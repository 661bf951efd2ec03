"""Submits a run to many nodes by Slurm, and merges the parts. Only Python 3.6 with its library: login nodes have no more."""
