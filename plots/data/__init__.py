"""What was measured, and what the papers state: a run's folder, its cells, sections and distributions."""
