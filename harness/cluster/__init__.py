"""Submits a run to many nodes by Slurm, and merges the parts. Needs only Python 3.6 and its own library, because these programs
run on login nodes and in jobs."""
