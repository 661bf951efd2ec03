"""Submitting to Slurm and merging, tested without Slurm: made-up parts, and a sbatch that only notes its arguments."""
