# Figure 6 of the bulk paper: latency of a push by batch size, ns. The paper's axis is linear; here one deque is flat
# at a few nanoseconds while others take thousands, so the axis is logarithmic.
if (!exists("settings")) { print "run plots/draw.py RUN, which gives this script its numbers"; exit status 2 }
load settings
legend_rows = series_count + paper_count + remark_count + (behind_count > 0)
load scripts."/style.gp"

set xlabel "batch (items pushed together)\n".note
set ylabel "push latency (ns)"
set logscale y
set format y "%g"
set yrange [y_low / 2 : y_top]
if (tick_count > 6) {
    # Many small batches: on the paper's linear axis they would fall together.
    set logscale x 2
    set xrange [tick[1] / 1.2 : tick[tick_count] * 2.6]
} else {
    span = tick[tick_count] - tick[1]
    set xrange [tick[1] - (span > 0 ? 0.03 * span : 0.5) : tick[tick_count] + (span > 0 ? 0.16 * span : 0.5)]
}
load scripts."/curves.gp"
