# Figure 8 of the bulk paper: one steal by the proportion stolen, with the walk to the tail and without, microseconds.
if (!exists("settings")) { print "run plots/draw.py RUN, which gives this script its numbers"; exit status 2 }
load settings
legend_rows = series_count + paper_count + remark_count + (behind_count > 0)
load scripts."/style.gp"

set xlabel "stolen (% of the deque's items)\n".note
set ylabel "steal latency (µs)"
if (y_logarithmic) {
    set logscale y
    set format y "%g"
    set yrange [y_low / 2 : y_top]
} else {
    set yrange [0 : y_top]
}
span = tick[tick_count] - tick[1]
set xrange [tick[1] - (span > 0 ? 0.05 * span : 5) : tick[tick_count] + (span > 0 ? 0.16 * span : 5)]
load scripts."/curves.gp"
