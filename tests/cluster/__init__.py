"""What is submitted to Slurm, and merged, without a Slurm: made-up parts and a sbatch that only notes what it was given."""
