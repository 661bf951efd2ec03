# Latency of a pop, ns: the bulk paper states it in its text and omits the figure. A bar for each deque and method; the
# published method (one operation an iteration under PauseTiming and ResumeTiming) adds its own cost to every deque.
if (!exists("settings")) { print "run plots/draw.py RUN, which gives this script its numbers"; exit status 2 }
load settings
legend_rows = legend_count + remark_count
plot_height = (methods > 1 ? 46.0 : 32.0) * deque_count + 10
load scripts."/style.gp"

set xlabel "pop latency (ns per item)\n".note
set lmargin at screen 0.33
set xrange [0 : x_high * 1.75]
set yrange [deque_count - 0.4 : -0.6]
unset grid
set grid xtics lw 0.6 lc rgb "#C8C8C8" dt 1
set ytics () scale 0
do for [i = 1:deque_count] { set ytics add (deque[i] i - 1) }

thickness = methods > 1 ? 0.38 : 0.6
middle(row, method) = methods > 1 ? row + (method - 0.5) * (thickness + 0.04) : row
end_of(high) = high > 1.1 * x_high ? 1.1 * x_high : high # an interval may end beyond the plot
bar_colour(method, kind) = kind eq "baseline" ? (method == 0 ? "#8A8A8A" : "#BDBDBD") : \
                           kind eq "unsound" ? (method == 0 ? "#D55E00" : "#EFB08A") : (method == 0 ? "#0072B2" : "#E69F00")
method_label(method) = method == 0 ? "corrected method" : "published method (Pause/Resume)"
bar_label(method, kind) = kind eq "baseline" ? "" : method_label(method).(kind eq "unsound" ? ", UNSOUND" : "")

bar = "for [i = 1:bars_count] bars[i] using (0):(middle($1, bars_method[i])):(0):2:".\
      "(middle($1, bars_method[i]) - thickness / 2):(middle($1, bars_method[i]) + thickness / 2) ".\
      "with boxxyerror fs pattern (bars_kind[i] eq 'unsound' ? 4 : 3) ".\
      "lc rgb bar_colour(bars_method[i], bars_kind[i]) notitle"
interval = "for [i = 1:bars_count] bars[i] using 2:(middle($1, bars_method[i])):3:(end_of($4)) ".\
           "with xerrorbars pt -1 lw 1.4 lc rgb '#404040' notitle"
value = "for [i = 1:bars_count] bars[i] using (end_of($4)):(middle($1, bars_method[i])):5 ".\
        "with labels left offset char 0.8, 0 noenhanced notitle"
legend = "for [i = 1:bars_count] NaN with boxes fs pattern (bars_kind[i] eq 'unsound' ? 4 : 3) ".\
         "lc rgb bar_colour(bars_method[i], bars_kind[i]) title bar_label(bars_method[i], bars_kind[i])"
stated = "paper[1] using 3:(middle($1, $2)) with points pt 12 ps 1.3 lw 1.6 lc rgb 'black' title paper_label"
# Texts alone, behind a stroke that cannot be seen. gnuplot looks at the first element even of a loop over none.
remarks = "for [i = 1:remark_count] NaN with lines lc rgb '#FFFFFFFF' title remark[i]"
eval "plot ".bar.", ".interval.", ".value.", ".legend.(paper_count > 0 ? ", ".stated : "").\
    (remark_count > 0 ? ", ".remarks : "")
