# Curves with 95 % intervals, one a series, and the published values as hollow points with what the paper states of
# them: a plain number, "about", or a bound with an arrow towards where the value lies.

do for [i = 1:stated_count] {
    set label i stated[i] at first stated_x[i], first stated_y[i] left offset char 1.3, 0 noenhanced boxed front
}
do for [i = 1:bound_x_count] {
    set arrow i from first bound_x[i], first bound_y[i] rto graph 0, graph 0.07 * bound_way[i] \
        head filled size screen 0.012, 20 lw 1.2 lc rgb "#8A8A8A" front
}
if (crossover_count > 0) {
    set arrow 100 from first crossover[1], graph 0 to first crossover[1], graph 1 nohead dt 3 lw 1 lc rgb "#8A8A8A" back
    if (2 * crossover[1] <= tick[1] + tick[tick_count]) {
        set label 100 crossover_text at first crossover[1], graph 0.97 left offset char 0.6, 0 noenhanced boxed
    } else {
        set label 100 crossover_text at first crossover[1], graph 0.97 right offset char -0.6, 0 noenhanced boxed
    }
}
if (tick_count <= 12) {
    set xtics ()
    do for [i = 1:tick_count] { set xtics add (sprintf("%g", tick[i]) tick[i]) }
}

curve = "for [i = 1:series_count] series[i] using 1:2:3:4 with yerrorlines lw 1.6 ps 0.75 ".\
        "lc rgb colour[i] dt dash[i] pt shape[i] title label[i]"
stated_point = "for [i = 1:paper_count] paper[i] using 1:2:3 with points pt paper_shape[i] ps variable lw 1.6 ".\
               "lc rgb paper_colour[i] title paper_label[i]"
other = "for [i = 1:behind_count] behind[i] using 1:2 with lines lw 0.9 lc rgb '#DADADA' ".\
        "title (i == 1 ? 'all other deques' : '')"
# Texts alone, behind a stroke that cannot be seen.
remarks = "for [i = 1:remark_count] NaN with lines lc rgb '#FFFFFFFF' title remark[i]"
# gnuplot looks at the first element even of a loop over none.
eval "plot ".(behind_count > 0 ? other.", " : "").curve.(paper_count > 0 ? ", ".stated_point : "").\
    (remark_count > 0 ? ", ".remarks : "")
