# Figure 8 of the bulk paper: one steal by the proportion stolen, with the walk to the tail and without, microseconds.
if (!exists("settings")) { print "run plots/draw.py RUN, which gives this script its numbers"; exit status 2 }
load settings
legend_rows = series_count + paper_count
load scripts."/style.gp"

set xlabel "stolen (% of the deque's items)\n".note
set ylabel "steal latency (µs)"
set yrange [0 : y_top]
span = tick[tick_count] - tick[1]
set xrange [tick[1] - (span > 0 ? 0.05 * span : 5) : tick[tick_count] + (span > 0 ? 0.16 * span : 5)]
load scripts."/curves.gp"
