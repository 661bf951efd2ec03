# What all figures share. Called with `settings` (numbers and texts of this run), `format`, `picture`, `scripts`, and
# legend_rows. Sizes are in pixels of 1/96 inch. A figure is as wide as a column of a report, so that its letters can
# be read on a phone; the legend stands below and makes it longer, never covers a curve and never narrows the plot.

width = 540.0
if (!exists("plot_height")) plot_height = 300.0
above = title_lines * 22.0 + 26
axis = strlen(note) > 0 ? 80.0 : 62.0
legend_row = 21.3
height = above + plot_height + axis + legend_row * (legend_rows + 0.5) + 8

set encoding utf8
if (format eq "svg") {
    set terminal svg size width, height dynamic noenhanced font "DejaVu Sans,Verdana,sans-serif,14" background "white"
} else {
    set terminal pdfcairo size width / 96 in, height / 96 in noenhanced font "DejaVu Sans,10.5"
}
set output picture

set tmargin at screen 1 - above / height
set bmargin at screen 1 - (above + plot_height) / height
set rmargin at screen 0.97
set border 3 lw 1
set tics nomirror out scale 0.6
set xtics offset 0, 0.3
set xlabel offset 0, 0.5
set grid ytics lw 0.6 lc rgb "#C8C8C8" dt 1
set title title_text noenhanced
set key at screen 0.06, screen 1 - (above + plot_height + axis) / height left top horizontal maxcols 1 \
    Left reverse noenhanced spacing 1.0 samplen 3 width 0
set errorbars small
set style textbox opaque noborder margins 0.4, 0.2
