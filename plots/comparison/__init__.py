"""A against B, cell by cell."""
