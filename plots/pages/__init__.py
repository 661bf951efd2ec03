"""The table on the terminal, the report, the sentences under figures, summary.csv."""
