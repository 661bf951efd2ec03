"""Values over a setting that was swept: latencies of push, steal and pop by batch, proportion, size, capacity or block, for
sections without a figure of their own (data/sections.py); and times of applications by block and capacity, with the best
setting of each sweep and those that the rule for verdicts does not distinguish from it."""

from dataclasses import dataclass, replace

from harness.judging.cells import bars_are, cells_of, grouped, notes_of, varying_parameters
from plots.data.sections import FIGURES, VARIANT_PARAMETERS
from harness.judging.words import words_for
from plots.figures.grammar import (
    COLUMNS, TIME, Of, alike, caption, ends_of, in_frames, in_words, line, named, rows_frame, settings_of, table, told_of)
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, ticks_of
from plots.figures.styles import EMULATED_DASHES, Looks, variants_of
from harness.judging.statistics import DIFFERENT, LEAST_PAIRS, verdicts_on

# The metrics drawn for a workload (the first that a cell has), and whether they are of one item.
LATENCIES = {
    "push": [(Of("owner", "push_latency_per_item", "ns"), True), (Of("owner", "push_latency", "ns"), False)],
    "pop": [(Of("owner", "pop_latency", "ns"), True), (Of("owner", "drain_latency_per_item", "ns"), True)],
    "steal": [(Of("thief", "steal_latency_per_item", "ns"), True), (Of("thief", "steal_latency", "ns"), False)],
    "pair": [(Of("owner", "pair_latency", "ns"), False)], "growth": [(Of("owner", "push_largest", "ns"), False)]}
TITLES = {"growth": "The longest push while the deque grows"}
# Settings for the x axis: the first that has enough values.
LEAST_VALUES = 3
ALONG = {"block": "items in a block", "batch": "items pushed together", "percent": "stolen (% of the deque's items)",
         "size": "items in the deque", "capacity": "capacity (items)", "fill": "items pushed"}
PLACED = ("same-core", "same-socket", "cross-socket")  # places.py draws these


def latencies(run, sections, summaries):
    drawn = {section.tag for section in sections if section.figure}
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries) if cell.workload in LATENCIES and latency_of(cell)
             and cell.tag not in drawn and cell.tag not in FIGURES
             and cell.params.get("placement") not in PLACED]
    for (tag, workload), mine in grouped(cells, lambda cell: (cell.tag, cell.workload)).items():
        swept = next((name for name in ALONG if len(numbers(mine, name)) >= LEAST_VALUES), None)
        apart = [name for name in settings_of(mine) if name != swept and name not in VARIANT_PARAMETERS]
        for name, setting, some in named(f"{tag or 'cells'}-{workload}", alike(mine, apart), apart):
            text = in_words(setting)
            title = TITLES.get(workload, f"Latency of {workload}") + (f" by {swept}" if swept else "") + (f", {text}" if text else "")
            if swept and len(numbers(some, swept)) > 1:
                yield tag, curves(name, title, some, swept, looks)
            elif len(some) > 1:
                yield tag, bars(name, title, some, looks)


def latency_of(cell):
    """(its Of, is it of one item), or None."""
    return next((found for found in LATENCIES[cell.workload] if found[0](cell)), None)


def nanoseconds(cell):
    return latency_of(cell)[0](cell)


def numbers(cells, name):
    """The values of a setting; 0 leaves the choice to the deque."""
    return sorted({float(cell.params[name]) for cell in cells
                   if cell.params.get(name, "0") != "0" and cell.params[name].replace(".", "", 1).isdigit()})


def variant_of(cell, cells):
    """The settings that distinguish this cell from others of its deque."""
    mine = [one for one in cells if one.deque == cell.deque]
    return in_words(cell.params, [name for name in settings_of(mine) if name in VARIANT_PARAMETERS])


def unit_and_bars(cells):
    unit = "ns an item" if all(latency_of(cell)[1] for cell in cells) else "ns a call"
    return unit, bars_are([latency_of(cell)[0].summary(cell) for cell in cells])


def curves(name, title, cells, swept, looks):
    cells = [cell for cell in cells if cell.params.get(swept, "0") != "0"]
    lines = grouped(cells, lambda cell: (cell.deque, variant_of(cell, cells)))
    xs, drawn = numbers(cells, swept), []
    for ((deque, variant), mine), place in zip(lines.items(), variants_of(lines)):
        emulated = any("emulated" in cell.flags for cell in mine)
        told = variant + (" (emulated)" if emulated else "")
        # A line's cells have different blocks.
        label = mine[0].title + mine[0].marks if swept == "block" else mine[0].label
        label += ("," * bool(variant) + " " + told) if told else ""
        points = [(float(cell.params[swept]), nanoseconds(cell)) for cell in mine]
        drawn.append((deque, mine[0].title, told, line(points, looks.of(deque, place, emulated), label)))
    parts = in_frames(drawn)
    columns = COLUMNS if len(parts) > 1 else 0
    unit, bars_text = unit_and_bars(cells)
    ends = ends_of([layer for *_, layer in drawn])
    wide, logarithmic = max(ends) > 20 * min(ends), xs[-1] > 12 * xs[0]
    x = Axis("" if columns else ALONG[swept], "log2" if logarithmic else "linear",
             ticks=ticks_of(xs) if len(xs) < (5 if columns else 9) and not (columns and logarithmic) else None)
    frames = [Frame(layers, replace(x), Axis("" if columns and place % columns else unit, "log" if wide else "linear",
                                          min(ends) / 1.2 if wide else 0, max(ends) * 1.2), of_whom, "both")
              for place, (of_whom, layers) in enumerate(parts)]
    dashed = " Dashed: emulated, the deque lacks this form." if any(
        layer.look.dash in EMULATED_DASHES for *_, layer in drawn) else ""
    return Picture(name, title, f"In {unit}, over {ALONG[swept]}. {bars_text}{dashed} {notes_of(cells)}"
                   + (" The same axes everywhere, all others in pale grey." if columns else ""), frames,
                   10 if columns else 5.8, 1.7 if columns else 3.4, columns)


def bars(name, title, cells, looks):
    rows = sorted(cells, key=lambda cell: nanoseconds(cell)[0])
    entries = [(row, nanoseconds(cell), looks.of(cell.deque), "") for row, cell in enumerate(rows)]
    labels = [cell.label + (f", {variant}" if (variant := variant_of(cell, cells)) else "")
              + (" (emulated)" if "emulated" in cell.flags else "") for cell in rows]
    unit, bars_text = unit_and_bars(cells)
    return Picture(name, title, f"In {unit}, the fastest first. {bars_text} {notes_of(cells)}",
                   [rows_frame(unit, entries, labels)], height=0.7 + 0.26 * len(rows))


# --- block and capacity

SIZES = ("block", "room", "capacity")
ALONG_SIZES = ALONG | {"room": "room of the deque (items)"}
LEAST_SETTINGS, LEAST_DRAWN = 3, 4
WIDE = 5  # times the least: a logarithmic axis
SIDE_BY_SIDE = 4
OPERATIONS = Of("process", "total_operations", scale=1e-6)


def quality_of(cell):
    """The measure of a workload: its time, or its operations a second."""
    return next((of for of in (TIME, OPERATIONS) if of.summary(cell)), None)


def best_settings(run, _sections, summaries):
    looks = Looks(run)
    cells = [cell for cell in cells_of(run, summaries) if quality_of(cell) and any(name in cell.params for name in SIZES)]
    for tag, mine in grouped(cells, lambda cell: cell.tag).items():
        sweeps = sweeps_of(mine)
        for along in SIZES:
            drawn = [one for one in sweeps if one.along == along and one.is_drawn]
            if drawn:
                yield tag, picture(f"{tag or 'cells'}-by-{along}", along, drawn, looks)
        if sweeps:
            yield tag, table(f"{tag or 'cells'}-best-settings", "The best size of block and capacity, by workload",
                             "The setting with the best median of each sweep; those that the rule for verdicts "
                             "(docs/results.md), over the whole sweep, does not distinguish from it; and how much worse the worst is. "
                             f"block=0 leaves the choice to the pool or the deque. {notes_of(mine)}",
                             [("workload", lambda one: one.text), ("deque", lambda one: one.cells[0].title),
                              ("best", lambda one: one.setting_of(one.cells[0])), ("#there", Sweep.best_text),
                              ("not told from it", Sweep.as_good), ("the worst", Sweep.worst_text)], sweeps)


@dataclass
class Sweep:
    """A workload and deque at one value of all settings that were not swept. cells: the best first."""

    text: str
    quality: Of
    swept: list
    cells: list

    @property
    def along(self):
        """The setting with the most values."""
        return max(self.swept, key=lambda name: len(numbers(self.cells, name)))

    @property
    def is_drawn(self):
        """Operations a second are drawn elsewhere (contention.py)."""
        return self.quality == TIME and len(numbers(self.cells, self.along)) >= LEAST_DRAWN

    def setting_of(self, cell):
        return ", ".join(f"{name}={cell.params[name]}" for name in self.swept)

    def best_text(self):
        return f"{self.quality.text(self.cells[0])} {'ms' if self.quality == TIME else 'million/s'}"

    def as_good(self):
        best, *others = [self.quality.summary(cell).by_invocation for cell in self.cells]
        verdicts = verdicts_on([(best, other) for other in others])
        if None in verdicts:
            return f"not asked: fewer than {LEAST_PAIRS} invocations"
        return "; ".join(self.setting_of(cell) for cell, verdict in zip(self.cells[1:], verdicts)
                         if verdict not in DIFFERENT) or "none"

    def worst_text(self):
        low, high = sorted(self.quality.median(cell) for cell in (self.cells[0], self.cells[-1]))
        return f"{self.setting_of(self.cells[-1])}: {high / low if low else 0:.2f} times"

    def lines(self):
        """{(deque, the other settings swept): its cells}"""
        rest = [name for name in self.swept if name != self.along]
        return grouped([cell for cell in self.cells if cell.params[self.along] not in ("", "0")],
                       lambda cell: (cell.deque, ", ".join(words_for(name, cell.params[name]) for name in rest)))


def sweeps_of(cells):
    found = []
    for workload, mine in grouped(cells, lambda cell: cell.workload).items():
        told = set(told_of(mine)) - set(SIZES)
        for (_, quality, rest), some in grouped(mine, lambda cell: (cell.deque, quality_of(cell), tuple(sorted(
                item for item in cell.params.items() if item[0] not in SIZES)))).items():
            some.sort(key=quality.median, reverse=quality is OPERATIONS)
            swept = [name for name in varying_parameters([cell.params for cell in some]) if name in SIZES]
            sweep = Sweep(", ".join([workload, *(words_for(name, value) for name, value in rest if name in told)]), quality, swept, some)
            if len({sweep.setting_of(cell) for cell in some}) >= LEAST_SETTINGS:
                found.append(sweep)
    return found


def drawn_of(cells):
    """The names of those cells of a section that the picture of a sweep shows."""
    sweeps = sweeps_of([cell for cell in cells if quality_of(cell) == TIME and any(name in cell.params for name in SIZES)])
    return {cell.name for sweep in sweeps if sweep.is_drawn for cell in sweep.cells}


def picture(name, along, sweeps, looks):
    """Times over the setting with the most values: a frame a workload, a line for each deque and other settings."""
    frames = []
    for text, mine in grouped(sweeps, lambda one: one.text).items():
        parts = [mine] if sum(len(one.lines()) for one in mine) <= LINES_MAX else [[one] for one in mine]
        for part in parts:
            title = text if len(parts) == 1 else f"{text}, {part[0].cells[0].title}"
            frames.append(frame_of(title, along, part, looks, first=len(frames) % SIDE_BY_SIDE == 0))
    cells = [cell for one in sweeps for cell in one.cells]
    own = f" {along}=0, which leaves the choice to the pool or the deque, is in the table." if any(
        cell.params[along] == "0" for cell in cells) else ""
    return Picture(name, f"Time by {ALONG_SIZES[along]}",
                   caption("Cross: the best median of a deque. The table says which others the rule for verdicts does not tell "
                           f"from it.{own}", cells, TIME), frames,
                   10 if len(frames) > 1 else 5.8, 2.4, min(SIDE_BY_SIDE, len(frames)))


def frame_of(title, along, sweeps, looks, first):
    lines = [(key, cells) for one in sweeps for key, cells in sorted(
        one.lines().items(), key=lambda item: int(item[0][1].rpartition("=")[2] or 0))]
    layers = [line([(int(cell.params[along]), TIME(cell)) for cell in cells], looks.of(deque, place),
                   cells[0].title + cells[0].marks + (f", {rest}" if rest else ""))
              for ((deque, rest), cells), place in zip(lines, variants_of(key for key, _ in lines))]
    best = [min((cell for cells in one.lines().values() for cell in cells), key=TIME.median) for one in sweeps]
    layers.append(Layer([Mark(int(cell.params[along]), TIME.median(cell)) for cell in best], Look("#222222", "cross"), "points",
                        "the best of a deque", size=1.6))
    ends, label = ends_of(layers), "time (ms)" if first else ""
    xs = sorted({mark.x for layer in layers for mark in layer.marks})
    y = Axis(label, "log") if max(ends) > WIDE * min(ends) else Axis(label, low=0, high=1.1 * max(ends))
    return Frame(layers, Axis(ALONG_SIZES[along], "log2", ticks=ticks_of(xs[::1 if len(xs) < 6 else 2])), y, title, "both")


DRAWN = {"sweeps": latencies, "best_settings": best_settings}
