"""Tables and text for terminals and for Markdown."""

import sys

ASCII_FORMS = {"\N{DAGGER}": "+", "\N{ALMOST EQUAL TO}": "~", "\N{MICRO SIGN}": "u", "\N{HORIZONTAL ELLIPSIS}": "..."}


def in_ascii(text):
    """The text for a terminal that shows only ASCII."""
    for character, form in ASCII_FORMS.items():
        text = text.replace(character, form)
    return text.encode("ascii", "replace").decode("ascii")


def aligned(headings, rows, left):
    """Lines of a table without its empty columns. left: the columns that are flush left."""
    kept = [i for i in range(len(headings)) if any(row[i] for row in rows)]
    widths = {i: max(len(line[i]) for line in [headings, *rows]) for i in kept}
    lines = []
    for line in [headings, *rows]:
        cells = [line[i].ljust(widths[i]) if i in left else line[i].rjust(widths[i]) for i in kept]
        lines.append("  ".join(cells).rstrip())
    return lines


def markdown(headings, rows):
    """Lines of a table in Markdown, aligned for a terminal: the first column flush left, the others flush right."""
    lines = [[text.replace("|", "\\|").replace("<", "&lt;") for text in row] for row in (headings, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    lines.insert(1, ["-" * (width - bool(place)) + ":" * bool(place) for place, width in enumerate(widths)])
    return ["| " + " | ".join([line[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(line[1:], widths[1:]))]) + " |"
            for line in lines]


def show(text):
    """Prints it in characters that the terminal can show."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(text if utf8 else in_ascii(text), flush=True)
