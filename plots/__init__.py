"""Everything after measuring: data -> statistics -> figures and pages; comparison. See README.md."""
