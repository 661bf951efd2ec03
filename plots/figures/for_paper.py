"""Figures for papers and slides: `./run.sh report RUN --style=acm|ieee|slides`, into RUN/figures-STYLE.

A picture is as wide as a column of that publisher, or as both columns if it has several frames. Its letters have one size,
TrueType and embedded. It has no title: a paper's caption says that.
"""

from dataclasses import dataclass, replace

WIDE = 7.5  # inches: wider pictures take both columns
SLIDE, LINE = 6.75, 0.155  # inches: height of a slide; of a line of a legend in 8 points
DENSER = 0.8  # heights, for letters are smaller


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
                                             "figure.titlesize", "xtick.labelsize", "ytick.labelsize")} | {
            "legend.fontsize": self.legend}

    @property
    def legend(self):
        """Size of a legend's letters: smaller on a slide, to leave room for the frames."""
        return 0.75 * self.size if self.titled else self.size

    def fitted(self, picture):
        """The picture at this style's width."""
        wide = picture.width > WIDE or picture.shape[1] > 1
        fitted = replace(picture, width=self.both if wide else self.column, height=picture.height * DENSER)
        if not self.titled:
            return fitted
        # A slide holds title, frames and legend; rows of bars need their height.
        lines = -(-len(fitted.labels()) // fitted.legend_columns(self.legend)) + 4 + picture.title.count("\n")
        left = (SLIDE - lines * LINE * self.legend / 8) / picture.shape[0]
        return replace(fitted, height=max(left, picture.height, 3.2))


# acmart (sigconf): columns of 241 pt, 506 pt for both; IEEEtran: 252 pt and 516 pt. Slides: 16 by 9.
STYLES = {"acm": Style(3.335, 7.0, 8), "ieee": Style(3.487, 7.14, 8), "slides": Style(12.0, 12.0, 18, True)}
