"""Writes a file whole or not at all: a program that reads it meanwhile sees the old or the new."""

import csv
import io
import os


def write_whole(path, text):
    """Writes the file; returns its path."""
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        with open(unfinished, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def write_rows(path, columns, rows):
    """Writes a CSV file with these columns; returns its path."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return write_whole(path, text.getvalue())
