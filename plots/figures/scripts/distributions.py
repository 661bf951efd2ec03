"""How long single operations took (BWoS thesis, figures 5.8 and 5.9) and how long tasks waited (cells with waits=1): quantiles, and
the tail down to the single operation."""

from harness.judging.cells import cells_of, grouped
from plots.figures.scripts.contention import THESIS, setting_text
from harness.judging.summaries import read_histograms
from plots.data.published import read_published
from harness.judging.words import format_number
from plots.figures.figure import Figure, Measure, Point, Value, alike, caption, in_words, named, settings_of
from plots.figures.styles import OUTCOMES, Look, look_of

QUANTILES = {"p50": ("median", "circle"), "p99": ("99 %", "triangle_up"), "p99.9": ("99.9 %", "square"), "maximum": ("longest", "cross")}
OF_SAMPLE = {"steal": ("thief", "A successful steal"), "push": ("owner", "A push"), "pop": ("owner", "A pop")}
STATED = {"100000": "fig5.8", "20000": "fig5.9"}  # by the frequency
WAITS = "Waiting time of a task, from before its push until it is taken to be run. Every task was timed, which makes the run longer."
SHORTEST = 10  # ns: below a read of the clock


def draw(run, summaries):
    histograms = read_histograms(run)
    sampled = [cell for cell in cells_of(run, summaries, "contention") if cell.metrics and cell.params.get("sample") in OF_SAMPLE
               and cell.params.get("case") == "cycle"]
    apart = ("sample", "thieves", "frequency", "frequency_of", "item", "capacity", "steal", "percent", "pacing", "placement")
    for tag, mine in grouped(sampled, lambda cell: cell.tag).items():
        for name, setting, some in named(f"{tag or 'contention'}-latency", alike(mine, apart), apart):
            role, what = OF_SAMPLE[setting["sample"]]
            metric, text = f"{setting['sample']}_latency", f"{what}, {setting_text(some[0])}"
            cost = [Measure("process", "sampling_cost").median(cell) or 0 for cell in some]
            told = f"Each latency contains one pair of clock reads, {format_number(sorted(cost)[len(cost) // 2])} ns."
            figure = quantiles(name, text, told, [("", some)], role, metric)
            stated = thesis_medians(setting) if figure else {}
            for cell in some:
                value = stated.get(THESIS.get(cell.deque))
                if value and Measure(role, f"{metric}_p50")(cell):
                    figure.parts[0].paper("the thesis's median", "", [(cell.label, value.value, value.text())])
            yield tag, figure
            yield tag, tails(f"{name}-tail", text, told, some, histograms, role, metric)
    waited = [cell for cell in cells_of(run, summaries, stamped=True) if Measure("worker", "task_wait_p50")(cell)]
    for (tag, workload), mine in grouped(waited, lambda cell: (cell.tag, cell.workload)).items():
        names = [name for name in settings_of(mine) if name != "block"]
        groups = [(in_words(some[0].params, names), some) for some in alike(mine, names)]
        stem = f"{tag or 'pool'}-{workload}-waits"
        yield tag, quantiles(stem, f"Waiting time of tasks in {workload}", WAITS, groups, "worker", "task_wait")
        for name, setting, some in list(named(f"{stem}-tail", [some for _, some in groups], names))[:8]:
            yield tag, tails(name, ", ".join(filter(None, [f"Waiting time of tasks in {workload}", in_words(setting)])), WAITS, some,
                             histograms, "worker", "task_wait")


def thesis_medians(setting):
    """{series: value} of the thesis's steals at these settings."""
    return {value.series: value for value in read_published(STATED.get(setting["frequency"], ""), "bwos_thesis.csv")
            if (setting["sample"], setting["thieves"]) == ("steal", value.x)}


def quantiles(name, title, text, groups, role, metric):
    """A row a deque, axes for each group."""
    figure = Figure(name, title, caption(f"{text} A bar goes from the median to 99.9 %.", [cell for _, some in groups for cell in some]),
                    columns=min(3, len(groups)))
    median = Measure(role, f"{metric}_p50", "ns")
    first = [cell for _, some in groups for cell in some if median(cell)]
    order = list(dict.fromkeys(cell.label for cell in sorted(first, key=Measure(role, f"{metric}_p99", "ns").median)))
    for words, some in groups:
        axes = figure.axes("deque", "time", unit="ns", title=words, rows=True, log="y", order=order)
        for cell in (cell for cell in some if median(cell)):
            ends = {what: max(SHORTEST, value.y) for what in QUANTILES if (value := Measure(role, f"{metric}_{what}", "ns")(cell))}
            axes.mark("", "spans", look_of(cell.deque), Point(cell.label, Value(ends.get("p99.9", ends["p50"])), ends["p50"]), cell.deque)
            for what, end in ends.items():
                told, shape = QUANTILES[what]
                axes.mark(told, "points", Look(OUTCOMES["dark"], shape), Point(cell.label, Value(end)), cell.deque)
    return figure


def tail_of(buckets):
    """[(value, share that took longer)], for curves of percentiles."""
    points, seen, count = [], 0, sum(count for _, _, count in buckets)
    for _, upper, some in buckets:
        seen += some
        points.append((upper, 1 - seen / count))
    return points


def tails(name, title, text, cells, histograms, role, metric):
    """The share of operations that took longer, over the time."""
    figure = Figure(name, f"{title}: the tail", caption(f"{text} A point is the share that took longer; a line ends with the longest.",
                                                        cells))
    axes = figure.axes("time (ns)", "share that took longer", log="xy")
    seen = {}
    for cell in cells:
        found = histograms.get((cell.name, role, metric))
        if found:
            place = seen[cell.deque] = seen.get(cell.deque, -1) + 1
            points = [(max(SHORTEST, value), part) for value, part in tail_of(found) if part > 0]
            axes.line(cell.deque, points, cell.label, place)
    return figure
