"""Figures for papers and slides: `./run.sh draw RUN --style=acm|ieee|slides`, into RUN/figures-STYLE.

A picture is as wide as a column of that publisher, or as both columns where it has several frames; its letters have one
size, TrueType and embedded; it has no title, for a paper's caption says that.
"""

from dataclasses import dataclass, replace

WIDE = 7.5  # inches: pictures that were made wider take both columns
DENSER = 0.8  # of heights, where letters are smaller


@dataclass(frozen=True)
class Style:
    """column, both: widths in inches; size: of letters, in points."""

    column: float
    both: float
    size: float
    titled: bool = False

    def settings(self):
        """For matplotlib."""
        return {name: self.size for name in ("font.size", "axes.titlesize", "axes.labelsize", "legend.fontsize",
                                             "figure.titlesize", "xtick.labelsize", "ytick.labelsize")}

    def fitted(self, picture):
        """The picture at this style's width."""
        wide = picture.width > WIDE
        height = picture.height * (DENSER if self.size <= 8 else self.both / picture.width)
        return replace(picture, width=self.both if wide else self.column, height=height)


# acmart (sigconf): columns of 241 pt, 506 pt for both; IEEEtran: 252 pt and 516 pt. Slides: 16 by 9.
STYLES = {"acm": Style(3.335, 7.0, 8), "ieee": Style(3.487, 7.14, 8), "slides": Style(12.0, 12.0, 18, True)}
