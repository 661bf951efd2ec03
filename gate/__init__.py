"""The timing gate: two builds of the same deques, measured in turns until each cell is decided."""
