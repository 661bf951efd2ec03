"""A run on many nodes: submitted to Slurm, merged. Nothing but Python 3.6 and its own library is needed here: these
programs run on login nodes and in jobs."""
