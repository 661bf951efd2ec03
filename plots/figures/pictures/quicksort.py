"""Quicksort (BWoS thesis, section 5.3.1): mean times (figure 5.10), stolen tasks (5.11), switches (table 5.4)."""

from harness.judging.cells import cells_of, grouped
from harness.judging.words import DAGGER, threads_text
from plots.figures.grammar import TIME, Of, alike, caption, named, param, rows_frame, table, thesis
from plots.figures.picture import Picture, counts_axis
from plots.figures.styles import Looks

STOLEN, SWITCHES = Of("worker", "items_stolen"), Of("worker", "voluntary_context_switches")
# The thesis's names for a deque with these blocks.
THESIS_NAMES = {("chase_lev", "0"): "CL", ("abp", "0"): "ABP", ("locked_fixed", "0"): "Locked",
                ("bwos_lifo", "8"): "LIFO_BWoS_8", ("bwos_lifo", "16"): "LIFO_BWoS_16",
                ("bwos_lifo", "64"): "LIFO_BWoS_64"}
# The thesis's input. Its number of threads differs from ours, so its column names that.
CONDITIONS = {"size": "10000000", "input": "random"}
THEIRS = "#thesis, 16 threads"
SETTING = ("size", "cutoff", "input", "threads", "victims", "steal", "idle", "slot", "room", "placement")


def draw(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries, "quicksort") if TIME(cell)]
    for tag, mine in grouped(cells, lambda cell: cell.tag).items():
        groups = [some for some in alike(mine, SETTING) if len(some) > 1]
        for stem, _, some in named(f"{tag or 'quicksort'}-times", groups, SETTING):
            some.sort(key=TIME.median)
            yield tag, bars(looks, stem, some)
            yield tag, numbers(f"{stem}-table", some)
            blocks = {cell.params["block"]: cell for cell in some
                      if cell.deque == "bwos_lifo" and cell.params.get("block", "0") != "0"}
            if "8" in blocks and len(blocks) > 1:
                yield tag, block_ratios(f"{stem}-blocks", blocks)


def setting_text(cell):
    params = cell.params
    return (f"{int(params.get('size', '0')):,} numbers, {params.get('input', '')} order, cutoff {params.get('cutoff')}, "
            f"{threads_text(params.get('threads', '1'))}, steals of {params.get('steal')}"
            + (f", deques of {params['room']}" if params.get("room", "1024") != "1024" else "")
            + (", EMPER's sleep" if sleeps_as_theirs(cell) else ""))


def sleeps_as_theirs(cell):
    return cell.params.get("idle") == "wake_each"


def is_theirs(cell):
    return all(cell.params.get(name) == value for name, value in CONDITIONS.items())


def bars(looks, name, cells):
    times = [(row, TIME(cell), looks.of(cell.deque), "") for row, cell in enumerate(cells)]
    stolen = [(row, STOLEN(cell)[:1], looks.of(cell.deque), "") for row, cell in enumerate(cells) if STOLEN(cell)]
    labels = [cell.label for cell in cells]
    frames = [rows_frame("time in ms", times, labels), rows_frame("tasks stolen", stolen, labels, room=counts_axis, named=False)]
    text = "Left: times (the thesis's figure 5.10 shows means). Right: its figure 5.11."
    if cells[0].params.get("threads") == "1":  # nobody to steal from
        frames, text = frames[:1], "Times (the thesis's figure 5.10 shows means)."
    claims = " Of such a deque each task is claimed before it runs." if any(DAGGER in cell.marks for cell in cells) else ""
    return Picture(name, f"Quicksort, {setting_text(cells[0])}", caption(text, cells, TIME) + claims, frames,
                   6 if len(frames) == 1 else 9, 0.8 + 0.28 * len(cells))


def block_ratios(name, cells):
    """Figure 5.10's factor: LIFO BWoS by its blocks against blocks of 8, and what the thesis states of 64."""
    stated = next(value for value in thesis("fig5.10") if value.metric == "time_ratio")
    return table(name, f"Quicksort on LIFO BWoS by size of block; {setting_text(cells['8'])}",
                 "Ratios of medians of this run to blocks of 8. The thesis explains its factor (figure 5.10, 16 threads) by workers "
                 "that find nothing and yield; here an idle worker " + (
                     "is woken by each push, and sleeps again if it finds nothing." if sleeps_as_theirs(cells["8"])
                     else "sleeps until there is a task that it can take."),
                 [("#items in a block", param("block")), ("#time (ms)", TIME),
                  ("#times blocks of 8", lambda cell: f"{TIME.median(cell) / TIME.median(cells['8']):.2f}"),
                  (THEIRS, lambda cell: stated.text() if is_theirs(cell) and stated.series
                   == f"LIFO_BWoS_{cell.params['block']}/LIFO_BWoS_8" else "")],
                 [cells[block] for block in sorted(cells, key=int)])


def numbers(name, cells):
    alike_theirs = is_theirs(cells[0])

    def theirs(figure, metric):
        stated = {one.series: f"{one.value:,.7g}" + (" ms" if one.unit == "ms" else "")
                  for one in (thesis(figure) if alike_theirs else []) if one.metric == metric}
        return lambda cell: stated.get(THESIS_NAMES.get((cell.deque, cell.params.get("block", "0"))), "")

    return table(name, f"Quicksort: time, tasks stolen, voluntary context switches; {setting_text(cells[0])}",
                 "Medians over invocations; switches of all workers in one run. The thesis's values (figures 5.10 and 5.11, "
                 "table 5.4) are from 16 threads of its own machine" + (
                     "." if alike_theirs else ", of other numbers than these, and so not set beside them."),
                 [("deque", lambda cell: cell.label), ("#time (ms)", TIME), (THEIRS, theirs("fig5.10", "mean_time")),
                  ("#stolen", STOLEN), (THEIRS, theirs("fig5.11", "tasks_stolen")),
                  ("#voluntary switches", SWITCHES), (THEIRS, theirs("table5.4", SWITCHES.metric))], cells)
