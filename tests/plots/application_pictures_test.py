#!/usr/bin/python3
"""Figures 9 and 10, irregular costs, speed-up, what a pool did: made-up runs in, the numbers that they must show out."""

from tests.plots.support import FolderTest, rows_of, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data import speedup
from plots.figures.drawing import modules
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Picture
from plots.figures.styles import BEHIND, IDEAL
from plots.data.run_folder import Run
from plots.data.sections import build_sections
from plots.data.summaries import summarize

MINE = ("graph_exploration", "scaling", "pool_work")
GRAPH = {"shape": "random", "degree": 4, "cost": "uniform", "file": "none"}


class ApplicationRuns(FolderTest):
    """A made-up run of applications, and what modules make of it."""

    modules = MINE

    def setUp(self):
        super().setUp()
        self.made = SyntheticRun(self.folder / "run", invocations=7, noise=0.01)

    def add(self, tag, workload, deque, params, seconds, flags="", workers=None):
        """A cell whose application took that many seconds; workers: {metric: value} of its pool."""
        role, time = "pool", "run_time"
        name = self.made.cell([tag], workload, deque, params, {time: (seconds, "s")}, flags=flags)
        for row in self.made.rows:
            if row[0] == name and row[8] == time:
                row[5] = role
        for metric, value in (workers or {}).items():
            last = next(place for place, row in enumerate(self.made.rows) if row[0] == name)
            for invocation in range(self.made.invocations):
                pattern = next(row for row in self.made.rows if row[0] == name and row[6] == invocation)
                place = self.made.rows.index(pattern, last)
                self.made.rows.insert(place, [*pattern[:5], "worker", invocation, 0, metric, repr(value), "", "ok", ""])

    def draw(self):
        self.run_read = Run(self.made.write())
        self.summaries = summarize(self.run_read)
        self.sections = {section.tag: section for section in build_sections(self.run_read, self.summaries)}
        found = {}
        for module in modules():
            if module.__name__.split(".")[-1] in self.modules:
                for tag, made in module.draw(self.run_read, list(self.sections.values()), self.summaries):
                    self.assertNotIn(made.name, found)
                    found[made.name] = (tag, made)
        return found


class Applications(ApplicationRuns):
    def test_more_settings_than_frames_are_rows_of_one_picture(self):
        self.modules = ("application_times",)
        self.made.section("tuned", "Tuned")
        for number, (chunk, window) in enumerate((chunk, window) for chunk in (64, 512, 4096) for window in (1, 1000)):
            for deque in ("abp", "chase_lev"):
                self.add("tuned", "marking", deque, {"threads": 2, "chunk": chunk, "window": window, "half": chunk // 2}, 1.0 + number)
        pictures = {name: made for name, (_, made) in self.draw().items() if name.startswith("tuned-marking-times")}
        self.assertEqual(list(pictures), ["tuned-marking-times"])
        [frame] = pictures["tuned-marking-times"].frames
        self.assertEqual(len(frame.y.ticks), 6)
        self.assertEqual(sum("half" in text and "chunk" in text for _, text in frame.y.ticks), 0)
        self.assertEqual([len(layer.marks) for layer in frame.layers], [6, 6])
        self.assertEqual([round(mark.x) for mark in frame.layers[0].marks], [1, 2, 3, 4, 5, 6])

    def add_figure_9(self):
        self.made.section("fig9", "Figure 9")
        for nodes, seconds in ((2500000, 1.0), (300000000, 100.0)):
            for threads in (1, 2, 4):
                self.add("fig9", "dag", "lf_bulk", {**GRAPH, "nodes": nodes, "threads": threads, "walk": "full"},
                         seconds / min(threads, 2), flags="oversubscribed" if threads > 2 else "")

    def test_figure_9_has_a_line_a_size_and_the_papers_ratio_beside_ours(self):
        self.add_figure_9()
        found = self.draw()
        tag, picture = found["fig9-time"]
        self.assertEqual(tag, "fig9")
        [frame] = picture.frames
        labels = list(picture.labels())
        self.assertTrue(any(label.endswith("2.5 million nodes") for label in labels), labels)
        self.assertTrue(any(label.endswith("300 million nodes") for label in labels), labels)
        self.assertTrue(any("\N{ALMOST EQUAL TO} 0.5" in label for label in labels), labels)
        self.assertEqual((frame.x.scale, frame.y.scale), ("log2", "log"))
        self.assertIn("from 4 on", picture.caption)
        rows = rows_of(found["fig9-doublings"][1])
        self.assertEqual(len(rows), 6)
        for row in rows:
            ratio, paper = row["ratio to half the threads"], row["paper"]
            self.assertEqual(bool(ratio), row["threads"] != "1")
            self.assertEqual(paper, "\N{ALMOST EQUAL TO} 0.5" if ratio else "")
            if ratio:
                self.assertAlmostEqual(float(ratio), {"2": 0.5, "4": 1.0}[row["threads"]], delta=0.03)

    def test_the_papers_ratio_stands_beside_no_other_deque(self):
        self.made.section("fig10", "Figure 10")
        for deque in ("taskflow_unbounded", "chase_lev"):
            for threads in (1, 2):
                self.add("fig10", "dag", deque, {**GRAPH, "nodes": 1000, "threads": threads}, 1 / threads)
        rows = rows_of(self.draw()["fig10-doublings"][1])
        self.assertEqual({row["series"].split(",")[0] for row in rows if row["paper"]}, {"Taskflow unbounded"})

    def test_speedup_and_efficiency_are_those_of_the_times(self):
        self.add_figure_9()
        rows = rows_of(self.draw()["fig9-dag-speedup-table"][1])
        for row in rows:
            threads = int(row["threads"])
            self.assertAlmostEqual(float(row["speed-up"]), min(threads, 2), delta=0.06)
            self.assertAlmostEqual(float(row["efficiency"].rstrip(" %")), 100 * min(threads, 2) / threads, delta=4)
            self.assertEqual(row[""], "oversubscribed" if threads > 2 else "")
            low, high = map(float, row["interval"].split(" to "))
            self.assertTrue(low <= float(row["speed-up"]) + 0.01 and float(row["speed-up"]) - 0.01 <= high)

    def test_without_one_thread_there_is_no_speedup(self):
        self.made.section("knapsack", "Knapsack")
        for threads in (2, 4):
            self.add("knapsack", "knapsack", "chase_lev", {"threads": threads}, 1 / threads)
        self.assertEqual(self.draw(), {})
        [curve] = speedup.curves_of(self.run_read, self.summaries)
        self.assertIsNone(curve.speedup(curve.points[0]))

    def test_any_workload_with_threads_is_an_application_and_no_other(self):
        self.made.section("sort", "Sorting")
        for threads in (1, 2):
            self.add("sort", "quicksort", "lf_bulk", {"threads": threads, "order": "random"}, 2 / threads)
            self.add("sort", "walk", "lf_bulk", {"threads": threads}, 2 / threads)
        self.made.cell(["sort"], "push", "lf_bulk", {"batch": 1}, {"push_latency": (5.0, "ns")})
        self.made.cell(["sort"], "steal", "lf_bulk", {"threads": 1}, {"steal_time": (5.0, "s")})
        found = self.draw()
        self.assertEqual({curve.workload for curve in speedup.curves_of(self.run_read, self.summaries)},
                         {"quicksort", "walk"})
        self.assertIn("sort-walk-speedup", found)
        self.assertIn("sort-quicksort-speedup", found)

    def add_costs(self, heavy):
        self.made.section("irregular", "Costs")
        for cost, slower in (("uniform", 1.1), ("heavy", heavy)):
            for deque, factor in (("lf_bulk", 1.0), ("chase_lev", slower)):
                self.add("irregular", "dag", deque, {**GRAPH, "nodes": 1000, "threads": 2, "cost": cost, "mean": 5,
                                                     "mean_unit": "ns"}, factor)

    def test_many_deques_stand_in_several_frames(self):
        """Of each cost and number of threads; a line a size of each of them: no frame names more than it can tell apart."""
        facts = {f"deque_{i:02d}": {"title": f"Deque {i}", "sound": "1", "reference": "0"} for i in range(11)}
        self.made = SyntheticRun(self.folder / "many", invocations=2, deques=facts)
        self.made.section("irregular", "Costs")
        self.made.section("fig9", "Sizes")
        for deque in facts:
            for threads in (1, 2):
                for cost in ("uniform", "heavy"):
                    self.add("irregular", "dag", deque, {**GRAPH, "nodes": 1000, "threads": threads, "cost": cost}, 1 / threads)
                for nodes in (1000, 2000):
                    self.add("fig9", "dag", deque, {**GRAPH, "nodes": nodes, "threads": threads}, nodes / 1000 / threads)
        pictures = [made for _, made in self.draw().values() if isinstance(made, Picture)]
        frames = [frame for made in pictures for frame in made.frames]
        self.assertGreater(len(frames), 11)
        for frame in frames:
            lines = [layer for layer in frame.layers if layer.marks and layer.look is not BEHIND and layer.look is not IDEAL]
            self.assertLessEqual(len(lines), LINES_MAX)
            looks = [(layer.look.colour, layer.look.shape, layer.look.dash) for layer in lines]
            self.assertEqual(len(set(looks)), len(looks))

    def test_amplification_is_told_where_it_is_settled(self):
        self.add_costs(1.3)
        found = self.draw()
        uniform, heavy = rows_of(found["irregular-amplification"][1])
        self.assertEqual((uniform["cost"], uniform["verdict"], uniform["amplified"]), ("uniform", "settled", ""))
        self.assertAlmostEqual(float(uniform["slowest / fastest"]), 1.1, delta=0.02)
        self.assertEqual((heavy["cost"], heavy["verdict"]), ("heavy", "settled"))
        self.assertAlmostEqual(float(heavy["amplified"].split()[0]), 3.0, delta=0.6)
        self.assertIn("irregular-costs", found)

    def test_amplification_is_not_told_where_it_is_not_settled(self):
        self.add_costs(1.0)
        _, heavy = rows_of(self.draw()["irregular-amplification"][1])
        self.assertEqual((heavy["verdict"], heavy["amplified"]), ("not told apart", ""))

    def test_what_the_pool_did_is_a_table_and_no_row_of_the_section(self):
        self.made.section("knapsack", "Knapsack")
        self.add("knapsack", "knapsack", "chase_lev", {"threads": 2}, 2.0,
                 workers={"tasks": 1000.0, "steals": 12.0, "idle_time": 1.0, "share_on_processor": 0.5})
        found = self.draw()
        [row] = rows_of(found["knapsack-work"][1])
        self.assertEqual((row["tasks"], row["steals"], row["on a processor"]), ("1000", "12.0", "50 %"))
        self.assertAlmostEqual(float(row["idle"].rstrip(" %")), 25, delta=1)
        self.assertEqual(row["items stolen"], "")
        self.assertNotIn("energy", row, "no column where nobody told any")
        self.assertEqual({summary.role for _, summary in self.sections["knapsack"].rows}, {"pool"})

    def test_processor_time_and_energy_stand_beside_the_time(self):
        self.made.section("knapsack", "Knapsack")
        for deque, energy in (("chase_lev", (5.25, "J")), ("abp", None)):
            self.add("knapsack", "knapsack", deque, {"threads": 2}, 2.0, workers={"tasks": 1000.0})
            rows = [row for row in self.made.rows if row[2] == deque and row[8] == "run_time"]
            for row in rows:
                told = [("processor_time", "3.5", "s", "ok"), ("energy", repr(energy[0]) if energy else "", "J", "ok" if energy else "denied")]
                self.made.rows[self.made.rows.index(row):0] = [[*row[:8], *one, ""] for one in told]
        rows = {row["deque"]: row for row in rows_of(self.draw()["knapsack-work"][1])}
        self.assertEqual([rows["chase_lev"][name] for name in ("processor time", "energy", "memory")],
                         ["3.50 s", "5.25 J", "1.23 MB"])
        self.assertEqual([rows["abp"][name] for name in ("processor time", "energy")], ["3.50 s", "denied"])
        self.assertRegex(rows["abp"]["time"], r"^(2\.0|1\.9)\d s$")

    def test_a_walk_without_a_pool_has_its_row_and_its_name(self):
        self.made.section("walk", "Walk")
        for threads, seconds in ((1, 2.0), (2, 1.0)):
            self.add("walk", "walk", "array", {"threads": threads, "version": "shared_queue"}, seconds)
        for row in [row for row in self.made.rows if row[8] == "run_time"]:
            self.made.rows.insert(self.made.rows.index(row), [*row[:8], "processor_time", "3.5", "s", "ok", ""])
        found = self.draw()
        self.assertEqual([(row["deque"], row["processor time"], row["tasks"]) for row in rows_of(found["walk-work"][1])],
                         [("array", "3.50 s", ""), ("array", "3.50 s", "")])
        self.assertEqual({row["deque"] for row in rows_of(found["walk-speedup-table"][1])}, {"thread pool, one queue"})


if __name__ == "__main__":
    run_tests()
