#!/usr/bin/python3
"""The figures and tables of applications, pool, directories, sweeps, places and nodes: made-up runs in, what they must show out.
That a number is its cell's median in the right unit is golden_test.py's; here is what is drawn at all, beside which value of a
paper, and what is said in words."""

import itertools

from tests.plots.support import FolderTest, drawn, rows_of, run_tests
from tests.plots.synthetic_contention import ContentionRun
from tests.plots.synthetic_run import DEQUES, SyntheticRun

from plots.data import speedup
from harness.judging.cells import cells_of
from harness.judging.run_folder import Run
from plots.data.sections import build_sections
from harness.judging.summaries import summarize
from plots.figures.drawing import made_of
from plots.figures.groups import LINES_MAX
from plots.figures.picture import Layer, Look, Mark, Picture, Table, counts_axis
from plots.figures.pictures import nodes, pool, sweeps
from plots.figures.styles import BEHIND, IDEAL
from plots.pages.findings import completeness

TIME = "pool", "run_time"
MORE = {name: {"title": title, "reference": "0", "sound": "1"} for name, title in (
    ("bwos_lifo", "BWoS LIFO"), ("bwos_fifo", "BWoS FIFO"), ("phanes", "Phanes"), ("lace", "Lace"), ("volt", "Volt"),
    ("idempotent", "idempotent LIFO"))}
MORE["idempotent"]["delivery"] = "at_least_once"


class MadeUp(FolderTest):
    figures = ()  # those that are drawn

    def setUp(self):
        super().setUp()
        self.begin()

    def begin(self, name="run", make=SyntheticRun, **settings):
        self.made, self.tag = make(self.folder / name, **{"invocations": 7, "noise": 0, **settings}), "here"
        self.made.deques = DEQUES | MORE | settings.get("deques", {})
        self.made.section("here", "Here")

    def add(self, workload, deque, params, seconds=None, more=(), **settings):
        """A cell whose application took that many seconds. more: {metric of the workers, or (role, metric): value, or (value,
        unit)}."""
        metrics = {} if seconds is None else {TIME: (seconds, "s")}
        for metric, value in dict(more).items():
            metrics[metric if isinstance(metric, tuple) else ("worker", metric)] = value if isinstance(value, tuple) else (value, "")
        return self.made.cell([self.tag], workload, deque, params, metrics, **settings)

    def draw(self, *names):
        self.run_read = Run(self.made.write())
        return {name: made for name, (_, made) in drawn(self.run_read, *(names or self.figures)).items()}


class Applications(MadeUp):
    figures = ("application_times", "scaling", "pool_work")

    def test_more_settings_than_frames_are_rows_of_one_picture(self):
        for number, (chunk, window) in enumerate((chunk, window) for chunk in (64, 512, 4096) for window in (1, 1000)):
            for deque in ("abp", "chase_lev"):
                self.add("marking", deque, {"threads": 2, "chunk": chunk, "window": window, "half": chunk // 2}, 1.0 + number)
        [frame] = self.draw()["here-marking-times"].frames
        self.assertEqual(sum("half" not in text and "chunk" in text for _, text in frame.y.ticks), 6, "half follows from chunk")
        self.assertEqual([[round(mark.x) for mark in layer.marks] for layer in frame.layers], [[1, 2, 3, 4, 5, 6]] * 2)

    def test_speedup_is_of_applications_with_one_thread_and_more(self):
        for threads in (1, 2, 4):
            self.add("quicksort", "lf_bulk", {"threads": threads}, 2 / min(threads, 2), flags="oversubscribed" * (threads > 2))
            self.add("uts", "lf_bulk", {"threads": threads + 1}, 2 / threads)
        self.made.cell(["here"], "push", "lf_bulk", {"batch": 1}, {"push_latency": (5.0, "ns")})
        found = self.draw("scaling")
        self.assertEqual(set(found), {"here-quicksort-speedup", "here-quicksort-speedup-table"})
        self.assertIn("from 4 on", found["here-quicksort-speedup"].caption)
        self.assertEqual([row[""] for row in rows_of(found["here-quicksort-speedup-table"])], ["", "", "oversubscribed"])
        curves = speedup.curves_of(self.run_read, summarize(self.run_read))
        self.assertEqual({curve.workload for curve in curves}, {"quicksort", "uts"})
        self.assertIsNone(next(curve.speedup(curve.points[0]) for curve in curves if curve.workload == "uts"))

    def test_what_the_pool_did_is_a_table_and_no_row_of_the_section(self):
        times = {("pool", "processor_time"): (3.5, "s")}
        self.add("knapsack", "chase_lev", {"threads": 2}, 2.0, {
            "tasks": 1000.0, "idle_time": 1.0, "share_on_processor": 0.5, **times})
        denied = self.add("knapsack", "abp", {"threads": 2}, 2.0, {"tasks": 1000.0, **times})
        for row in self.made.rows:
            if (row[0], row[8]) == (denied, "processor_time"):
                row[9], row[11] = "", "denied"
        first, second = rows_of(self.draw()["here-work"])
        self.assertEqual([first[name] for name in ("tasks", "on a processor", "idle", "processor time", "memory")],
                         ["1000", "50 %", "25.0 %", "3.50 s", "1.23 MB"])
        self.assertEqual((second["processor time"], second["items stolen"]), ("denied", ""))
        section, = build_sections(self.run_read)
        self.assertEqual({summary.role for _, summary in section.rows}, {"pool"})

    def test_a_walk_without_a_pool_has_its_row_and_its_name(self):
        for threads in (1, 2):
            self.add("walk", "array", {"threads": threads, "version": "shared_queue"}, 2.0 / threads,
                     {("pool", "processor_time"): (3.5, "s")})
        found = self.draw()
        rows = rows_of(found["here-work"])
        self.assertEqual([(row["deque"], row["processor time"], row["tasks"]) for row in rows], [("array", "3.50 s", "")] * 2)
        self.assertEqual({row["deque"] for row in rows_of(found["here-walk-speedup-table"])}, {"thread pool, one queue"})


class Graphs(MadeUp):
    figures = ("graph_exploration",)

    def graph(self, deque, threads, seconds, **params):
        self.add("dag", deque, {"shape": "random", "degree": 4, "cost": "uniform", "file": "none", "nodes": 1000, "threads": threads,
                                **params}, seconds)

    def test_figure_9_has_a_line_a_size_and_the_papers_ratio_beside_ours(self):
        for self.tag, deque in (("fig9", "lf_bulk"), ("fig10", "chase_lev")):
            self.made.section(self.tag, "Figure")
            for nodes in (2500000, 300000000):
                for threads in (1, 2, 4):
                    self.graph(deque, threads, nodes / 1e6 / min(threads, 2), nodes=nodes)
        found = self.draw()
        labels = list(found["fig9-time"].labels())
        for end in ("2.5 million nodes", "300 million nodes", "(\N{ALMOST EQUAL TO} 0.5)"):
            self.assertTrue(any(label.endswith(end) for label in labels), labels)
        self.assertEqual([found["fig9-time"].frames[0].x.scale, found["fig9-time"].frames[0].y.scale], ["log2", "log"])
        ours, theirs = zip(*((row["ratio to half the threads"], row["paper"]) for row in rows_of(found["fig9-doublings"])))
        self.assertEqual(ours, ("", "0.500", "1.00") * 2)
        self.assertEqual(theirs, ("", *["\N{ALMOST EQUAL TO} 0.5"] * 2) * 2)
        self.assertEqual({row["paper"] for row in rows_of(found["fig10-doublings"])}, {""}, "of another deque")

    def test_many_deques_stand_in_several_frames(self):
        for deque in (f"deque_{i:02d}" for i in range(11)):
            for threads in (1, 2):
                for cost in ("uniform", "heavy"):
                    self.graph(deque, threads, 1 / threads, cost=cost)
        frames = [frame for made in self.draw("graph_exploration", "scaling").values() if isinstance(made, Picture)
                  for frame in made.frames]
        self.assertGreater(len(frames), 11)
        for frame in frames:
            lines = [layer for layer in frame.layers if layer.marks and layer.look is not BEHIND and layer.look is not IDEAL]
            self.assertLessEqual(len(lines), LINES_MAX)
            self.assertEqual(len({(layer.look.colour, layer.look.shape, layer.look.dash) for layer in lines}), len(lines))

    def test_amplification_is_told_where_it_is_settled(self):
        for heavy, told in ((1.3, ("settled", "3.0 times")), (1.0, ("not told apart", ""))):
            self.begin(f"by {heavy}")
            for cost, slower in (("uniform", 1.1), ("heavy", heavy)):
                for deque, factor in (("lf_bulk", 1.0), ("chase_lev", slower)):
                    self.graph(deque, 2, factor, cost=cost)
            uniform, irregular = rows_of(self.draw()["here-amplification"])
            self.assertEqual((uniform["verdict"], uniform["amplified"]), ("settled", ""))
            self.assertEqual((irregular["verdict"], irregular["amplified"]), told)


class Quicksort(MadeUp):
    figures = ("quicksort",)

    def quicksort(self, name="run", **settings):
        self.begin(name, invocations=5)
        base = {"size": 10000000, "cutoff": 32, "input": "random", "threads": 2, "steal": "one", **settings}
        for deque, block, seconds in (("bwos_lifo", 8, 0.5), ("bwos_lifo", 64, 0.9), ("abp", 0, 0.6), ("idempotent", 0, 0.7)):
            self.add("quicksort", deque, {**base, "block": block}, seconds, {"items_stolen": 120.0, "voluntary_context_switches": 31.0})
        return self.draw().values()

    def test_time_stolen_and_switches_beside_the_thesis(self):
        picture, table, blocks = self.quicksort()
        self.assertEqual(blocks.rows, [["8", "500", "1.00", ""], ["64", "900", "1.80", "\N{ALMOST EQUAL TO} 65"]])
        self.assertIn("10,000,000 numbers", picture.title)
        self.assertIn("more than once", picture.caption)
        self.assertEqual([row[0] for row in table.rows], ["BWoS LIFO, blocks of 8", "ABP", "idempotent LIFO \N{DAGGER}",
                                                          "BWoS LIFO, blocks of 64"])
        self.assertEqual(table.rows[3][1:], ["900", "", "120", "", "31.0", "1,211,343"])
        self.assertEqual(table.rows[1][1:], ["600", "", "120", "0", "31.0", "162"])

    def test_how_workers_sleep_is_told(self):
        for name, idle, words in (("ours", "sleep", "a task that it can take"), ("emper", "wake_each", "woken by each push")):
            picture, _, blocks = self.quicksort(name, idle=idle)
            self.assertIn(words, blocks.caption)
            self.assertEqual("EMPER's sleep" in picture.title, idle == "wake_each")

    def test_the_thesis_stands_beside_no_other_numbers(self):
        for name, settings in (("smaller", {"size": 1000000}), ("sorted", {"input": "sorted"})):
            _, table, blocks = self.quicksort(name, **settings)
            stated = [row[place] for row in table.rows for place, heading in enumerate(table.headings) if "thesis" in heading]
            self.assertEqual(set(stated) | {row[3] for row in blocks.rows}, {""})
            self.assertIn("not set beside them", table.caption)

    def test_one_that_steals_much_hides_no_others(self):
        def axis(*counts):
            return counts_axis("tasks stolen", [Layer([Mark(count, y)], Look("#000000"), "bars") for y, count in enumerate(counts)])

        self.assertEqual({axis(*some).scale for some in ((14, 9, 12), (0, 0, 0), ())}, {"linear"})
        far = axis(14, 9, 12, 56715)
        self.assertEqual((far.scale, far.low, [place for place, _ in far.ticks]), ("asinh", 0, [0, 1, 100, 10000]))
        self.assertGreater(far.high, 56715)

    def test_one_thread_has_nobody_to_steal_from(self):
        picture, *_ = self.quicksort(threads=1)
        self.assertEqual([frame.x.label for frame in picture.frames], ["time in ms"])
        self.assertNotIn("5.11", picture.caption)


class Directories(MadeUp):
    figures = ("directory_walk", "duplicates")

    def walk(self, deque, version, threads, seconds, cache="warm", tree="counted", **more):
        self.add("walk", deque, {"path": "generated", "directories": 100, "files": 300, "symlinks": 4, "version": version,
                                 "threads": threads, "cache": cache, "tree": tree}, seconds,
                 {("pool", "directories"): 100, ("pool", "files"): 300}, **more)

    def versions(self):
        for deque, version, threads, seconds in (
                ("empty", "one_thread", 1, 0.8), ("empty", "shared_queue", 2, 0.5), ("locked", "pool", 2, 0.45),
                ("phanes", "pool", 2, 0.4), ("chase_lev", "pool", 2, 0.1)):  # the last is not one of the posts' versions
            self.walk(deque, version, threads, seconds)
        self.walk("phanes", "pool", 8, 0.35, flags="oversubscribed")
        return self.draw()

    def test_versions_stand_beside_the_posts(self):
        found = self.versions()
        self.assertEqual(set(found), {"here-versions", "here-versions-table", "here-versions-results"})
        rows = rows_of(found["here-versions-table"])
        self.assertEqual([(row["version"][0], row["threads"]) for row in rows], [("1", "1"), ("2", "2"), ("3", "2"), ("4", "2"), ("4", "8")])
        self.assertEqual([row["posts: Linux (ms)"] for row in rows], ["15660", "10031", "8452", "2839", "2839"])
        self.assertEqual([rows[3]["ratio"], rows[3]["ratio: Linux"], rows[4][""]], ["2.00", "5.52", "oversubscribed"])
        bars = [round(mark.x, 1) for layer in found["here-versions"].frames[1].layers for mark in layer.marks]
        self.assertEqual(bars[:8], [1.0, 1.6, 1.8, 2.0, 1.0, 1.6, 1.9, 5.5])

    def test_results_are_of_threads_that_have_processors(self):
        rows = {row[""]: list(row.values())[1:] for row in rows_of(self.versions()["here-versions-results"])}
        self.assertEqual(rows["warm (ms)"][:2], ["400", "2839"])
        self.assertEqual(rows["files"], ["300", "1985366", "1275311"])
        self.assertEqual(rows["cold (ms)"][0], "not run")
        self.assertEqual(rows["times as fast as version 3"], [
            "1.12", "\N{ALMOST EQUAL TO} 2.97; by the table 2.98", "\N{ALMOST EQUAL TO} 2.02; by the table 2.00"])

    def test_one_version_alone_is_no_comparison(self):
        self.walk("phanes", "pool", 2, 0.4)
        self.assertEqual(self.draw(), {})

    def test_what_building_the_tree_costs(self):
        for tree, factor in (("counted", 1), ("built", 1.5)):
            for deque, version, threads in (("empty", "one_thread", 1), ("phanes", "pool", 2), ("chase_lev", "pool", 2)):
                self.walk(deque, version, threads, factor * 0.4, tree=tree)
        found = self.draw()
        rows = [(row["version"], row["deque"], row["ratio"]) for row in rows_of(found["here-built"])]
        self.assertEqual(rows, [("1: one thread, depth first", "", "1.50"), ("4: work stealing, lock-free", "phanes", "1.50"),
                                ("work stealing", "chase_lev", "1.50")])
        self.assertIn("built in memory", found["here-versions-tree-built"].title)

    def duplicates(self, deque, seconds, **params):
        self.add("duplicates", deque, {"io": "uring", "compute": 0, "bytes": 2 ** 28, "directories": 600, "files": 2500,
                                       "path": "generated", "block": 0, "threads": 2, **params}, seconds,
                 {"tasks": 1000, ("pool", "io_tasks_stolen"): 7})

    def test_table_5_5_has_ours_and_the_thesis(self):
        self.duplicates("lace", 0.3)
        self.duplicates("bwos_lifo", 0.2, block=64)
        self.duplicates("chase_lev", 0.1)
        self.duplicates("chase_lev", 0.4, io="pread")
        found = self.draw()
        rows = found["here-uring-compute0-2threads-table"].rows
        self.assertEqual([row[:3] for row in rows], [["Chase-Lev", "100", "549.7"], ["BWoS LIFO (64)", "200", "864.6"], ["Lace", "300", ""]])
        self.assertEqual([row[4] for row in rows], ["29", "44.2", ""])  # the thesis's deviations
        self.assertEqual(rows[0][9:12], ["7.00", "291", ""])  # the last was not reported
        self.assertEqual(len(found["here-pread-compute0-2threads-table"].rows), 1)
        layers = found["here-uring-compute0-2threads"].frames[0].layers
        self.assertEqual([mark.x for layer in layers if layer.look.hollow for mark in layer.marks], [549.7, 864.6])

    def test_a_run_from_before_a_file_was_a_task_is_told_from_one_after(self):
        for task in ({}, {"task": "file"}):
            for deque in ("chase_lev", "abp"):
                self.duplicates(deque, 0.1, **task)
        found = self.draw()
        older, newer = (found[f"here-uring-compute0-2threads-task-{task}"] for task in ("block", "file"))
        self.assertIn("a task a block", older.title)
        self.assertIn("Every block that is read is a task", older.caption)
        self.assertNotIn("block", newer.title + newer.caption)

    def test_a_room_has_a_table_of_its_own_and_sleeps_of_the_pool_are_said(self):
        for room in (256, 1024):
            self.duplicates("chase_lev", 0.1, room=room)
        found = self.draw()
        self.assertEqual(set(found), {f"here-uring-compute0-2threads-room-{room}-table" for room in (256, 1024)})
        table = found["here-uring-compute0-2threads-room-256-table"]
        self.assertIn("room=256", table.title)
        self.assertIn("every 200 \N{MICRO SIGN}s", table.caption)


BAG = {"tasks": 1000, "mean": 100, "cost": "heavy", "threads": 4, "steal": "one", "idle": "sleep", "pool": "general"}
WORKER = {"steals": 100, "attempts_empty": 40, "attempts_lost": 10, "attempts_busy": 0, "jain_work": 0.8}


class Pool(MadeUp):
    figures = ("overflow", "static_distribution", "victim_policies")

    def room(self, room, seconds, overflowed, cost=(), **settings):
        self.add("bag", "volt", {**BAG, "threads": 1, **settings, "room": room}, seconds, {"tasks_overflowed": overflowed, **dict(cost)})

    def test_an_overflow_stands_beside_the_run_with_room_for_all(self):
        self.room(256, 0.002, 744, {"overflow_cost": 40}, mean=7)
        self.assertEqual(self.draw(), {}, "without it there is nothing to compare")
        for mean in (0, 1000):
            self.room(256, 0.002, 744, {"overflow_cost": 40 + mean / 100}, mean=mean)
            self.room(65536, 0.001, 0, mean=mean)
        costs, times = self.draw()["here-overflow"].frames
        self.assertEqual([round(layer.marks[0].x) for layer in costs.layers], [40, 50])
        self.assertEqual([round(layer.marks[0].x) for layer in times.layers], [2000, 1000, 2000, 1000])
        self.assertIn("empty tasks", costs.y.ticks[0][1])
        self.assertIn("1000", costs.y.ticks[1][1])

    def test_a_frame_a_cost_and_a_row_an_arrangement(self):
        for victims, first, time in (("random", "one", 1.0), ("none", "one", 2.0), ("none", "each", 1.5), ("random", "each", 1.0)):
            for cost in ("uniform", "heavy"):
                for deque in ("chase_lev", "locked"):
                    self.add("bag", deque, {**BAG, "cost": cost, "victims": victims, "first": first}, time)
            if victims == "random" and first == "one":
                self.assertEqual(self.draw(), {}, "stealing alone is no comparison")
        frames = self.draw()["here-distribution"].frames
        self.assertEqual([len(frame.y.ticks) for frame in frames], [4, 4])
        self.assertEqual(sorted(round(mark.x) for layer in frames[0].layers for mark in layer.marks),
                         [1000] * 4 + [1500] * 2 + [2000] * 2)

    def policies(self, deque, more=WORKER, **seconds):
        for policy, time in seconds.items():
            self.add("bag", deque, {**BAG, "victims": policy}, time, more)

    def test_each_policy_is_held_against_random_victims(self):
        self.policies("bwos_lifo", random=1.5, probabilistic=1.0, sequential=1.5)
        self.policies("chase_lev", random=1.0, probabilistic=1.0, sequential=2.0)
        found = self.draw()
        rows = [(row["deque"], row["victims"], row["ratio"], row["verdict"]) for row in rows_of(found["here-bag-victims-table"])]
        self.assertEqual(rows, [("BWoS LIFO", "sequential", "1.000", "not told apart"), ("BWoS LIFO", "random", "", ""),
                                ("BWoS LIFO", "probabilistic", "0.667", "faster"), ("Chase-Lev", "sequential", "2.000", "slower"),
                                ("Chase-Lev", "random", "", ""), ("Chase-Lev", "probabilistic", "1.000", "not told apart")])
        frames = found["here-bag-victims"].frames
        self.assertEqual([text for _, text in frames[0].y.ticks], ["sequential", "random", "probabilistic"])
        self.assertEqual([len(layer.marks) for layer in frames[0].layers], [3, 3])

    def test_of_many_deques_eight_are_drawn_together(self):
        for number in range(11):
            self.policies(f"deque{number}", random=1.0, probabilistic=1.0, nearest=1.0)
        found = self.draw()
        self.assertEqual([len(found[name].labels()) for name in ("here-bag-victims", "here-bag-victims-2")], [8, 3])

    def test_failed_steals_have_an_axis_with_numbers_apart_and_a_crowd_is_said(self):
        for policy, empty in (("random", 3000), ("nearest", 40), ("probabilistic", 0)):
            self.policies("chase_lev", {**WORKER, "attempts_empty": empty}, **{policy: 1.0})
        picture = self.draw()["here-bag-victims"]
        failed = next(frame.x for frame in picture.frames if frame.x.label.startswith("failed"))
        self.assertEqual([text for _, text in failed.ticks], ["0", "1", "10"])
        self.assertNotIn("more workers than processors", picture.caption)
        for row in self.made.rows:
            row[12] = "oversubscribed"
        self.assertIn("more workers than processors", self.draw()["here-bag-victims"].caption)

    def test_two_policies_or_one_worker_are_no_question(self):
        self.policies("bwos_lifo", random=1.5, probabilistic=1.0)
        for policy in ("random", "nearest", "probabilistic"):
            self.add("bag", "chase_lev", {**BAG, "threads": 1, "victims": policy}, 1.0, WORKER)
        self.assertEqual(self.draw("victim_policies"), {})

    def test_how_much_a_thief_takes(self):
        for taken, time, steals in (("one", 1.0, 500), ("50", 1.0, 7), ("100", 2.0, 380)):
            self.add("bag", "chase_lev", {**BAG, "victims": "random", "steal": taken}, time,
                     {**WORKER, "steals": steals, "items_stolen": 10 * steals})
        found = self.draw("victim_policies")
        self.assertEqual([(row["steal"], row["steals"], row["verdict"]) for row in rows_of(found["here-bag-steal-table"])],
                         [("one", "500", "not told apart"), ("50", "7.00", ""), ("100", "380", "slower")])
        frames = found["here-bag-steal"].frames
        self.assertEqual([frame.x.label for frame in frames], ["time (ms)", "steals", "items stolen", "balance (Jain)"])
        self.assertEqual([text for _, text in frames[0].y.ticks], ["one", "50 %", "100 %"])
        self.assertEqual([mark.x for layer in frames[1].layers for mark in layer.marks], [500, 7, 380])

    def test_ways_of_being_idle(self):
        for way, time in (("spin", 1.0), ("yield_each", 2.0), ("sleep", 1.0)):
            self.add("bag", "chase_lev", {**BAG, "victims": "random", "idle": way}, time, {**WORKER, ("pool", "processor_time"): (2.5, "s")})
        found = self.draw("victim_policies")
        self.assertEqual([(row["idle"], row["verdict"]) for row in rows_of(found["here-bag-idle-table"])],
                         [("spin", "not told apart"), ("yield_each", "slower"), ("sleep", "")])
        self.assertEqual(found["here-bag-idle"].frames[1].x.label, "processor time of all workers (ms)")


class Waiting(MadeUp):
    figures = ("waiting",)

    def setUp(self):
        super().setUp()
        self.begin(invocations=2, deques={name: {**facts, "owner_order": "FIFO" if name == "lf_bulk" else "LIFO"}
                                          for name, facts in DEQUES.items()})

    def wait(self, deque, p50, longest, waits="1", **params):
        scale = {"p50": p50, "p90": p50, "p99": p50 * 10, "p99.9": longest, "maximum": longest, "moved_p50": 3000.0, "moved_p99": 4000.0}
        more = {f"task_wait_{name}": (value, "ns") for name, value in scale.items()} | {
            "task_wait_count": 1000.0, "task_wait_moved_count": 250.0, "task_wait_maximum_of_run": 0.25, "tasks_starved": 1.5}
        name = self.add("uts", deque, {"threads": 2, "waits": waits, **params}, 1.0, more if waits == "1" else ())
        self.made.histograms += [[name, "worker", invocation, 0, "task_wait", lower, lower * 1.1, count, "ns"]
                         for invocation in range(2) for lower, count in ((p50, 999), (longest, 1))]

    def test_rows_show_median_tail_and_the_longest_the_shortest_tail_on_top(self):
        self.wait("chase_lev", 500.0, 9e6)
        self.wait("lf_bulk", 100.0, 8e8)
        found = self.draw()
        frame, = found["here-uts-waits"].frames
        self.assertEqual([text for _, text in frame.y.ticks], ["LF bulk list (FIFO)", "Chase-Lev (LIFO)"])
        longest = next(layer for layer in frame.layers if layer.label == "the longest")
        self.assertEqual({mark.y: round(mark.x) for mark in longest.marks}, {0: 800000, 1: 9000})
        self.assertEqual([text for _, text in frame.x.ticks][:2], ["100 ns", "1 \N{MICRO SIGN}s"])
        ends = [[(mark.x, round(mark.y, 6)) for mark in layer.marks] for layer in found["here-uts-waits-tail"].frames[0].layers]
        self.assertEqual(sorted(ends)[1], [(0.5, 1.0), (9000.0, 0.001)], "a tail ends with the longest")
        row = rows_of(found["here-uts-waits-table"])[1]
        self.assertEqual([row[name] for name in ("order", "p50", "longest", "of the run", "starved", "moved", "moved p50")],
                         ["LIFO", "0.500", "9000", "25.0 %", "1.50 %", "25.0 %", "3.00"])

    def test_every_setting_has_a_frame_with_ticks_and_a_tail_of_its_own(self):
        for victims in ("random", "nearest", "probabilistic"):
            for deque in ("chase_lev", "lf_bulk"):
                self.wait(deque, 5000.0, 3e6, victims=victims)
        found = self.draw()
        frames = found["here-uts-waits"].frames
        self.assertEqual([frame.title for frame in frames], ["victims=random", "victims=nearest", "victims=probabilistic"])
        self.assertGreater(min(len(frame.x.ticks) for frame in frames), 1)
        self.assertIn("here-uts-waits-tail-victims-nearest", found)
        self.assertEqual([sum(isinstance(one, kind) for one in found.values()) for kind in (Table, Picture)], [1, 4])

    def test_time_of_a_stamped_run_stands_in_no_figure_of_times(self):
        for deque in ("chase_lev", "locked"):
            self.wait(deque, 500.0, 9e6, waits="0")
            self.wait(deque, 500.0, 9e6)
        picture, = self.draw("application_times").values()
        self.assertEqual(len(picture.frames[0].layers), 2)
        self.assertEqual({curve.params["waits"] for curve in speedup.curves_of(self.run_read, summarize(self.run_read))}, {"0"})

    def test_more_settings_than_deques_are_rows_and_short_spans_have_ticks(self):
        for victims in ("random", "nearest", "probabilistic", "sequential", "none"):
            self.wait("chase_lev", 2e8, 4e9, victims=victims, steal="one", slot=0, turns=0)
            self.wait("chase_lev", 2e8, 4e9, victims=victims, steal="half", slot=1, turns=1)
        found = self.draw()
        frame, = found["here-uts-waits"].frames
        self.assertEqual((frame.title, len(frame.y.ticks)), ("Chase-Lev (LIFO)", 10))
        self.assertEqual(frame.y.ticks[0][1], "steal=one, victims=nearest", "what is switched off is not told")
        self.assertFalse([name for name in found if "tail" in name])
        self.assertGreaterEqual(len(pool.time_axis(2e5, 2e6, 1).ticks), 3)


class Timeline(MadeUp):
    figures = ("timeline",)
    # worker: {state: [(from, to)]} in ns
    SPANS = {"worker0": {"timeline_work": [(0, 600), (800, 1000)], "timeline_steal": [(600, 800)]},
             "worker1": {"timeline_search": [(0, 100)], "timeline_work": [(100, 500)], "timeline_sleep": [(500, 1000)]}}

    def test_every_worker_has_a_line_and_its_time_adds_up_if_its_invocation_ended(self):
        name = self.add("uts", "chase_lev", {"tree": "T3", "threads": 2}, 1e-6)
        for invocation in (0, 7):  # of 7
            self.made.histograms = [[name, role, invocation, 0, metric, lower, upper, 1, "ns"] for role, states in self.SPANS.items()
                            for metric, spans in states.items() for lower, upper in spans]
            if invocation:
                self.assertEqual(self.draw(), {})
                continue
            picture, = self.draw().values()
            self.assertIn("works 60.0 %, looks, and steals 10.0 %, looks in vain 5.0 %, sleeps 25.0 %", picture.caption)
            frame, = picture.frames
            self.assertEqual([text for _, text in frame.y.ticks], ["worker 0", "worker 1"])
            self.assertEqual((frame.x.low, frame.x.high, frame.x.label[-2:]), (0, 1, "\N{MICRO SIGN}s"))


class Sweeps(MadeUp):
    figures = ("sweeps", "best_settings")

    def test_a_line_over_block_sizes_or_capacities_is_the_deques(self):
        for setting, values in (("block", [8, 32, 128]), ("capacity", [64, 256, 1024])):
            self.begin(setting)
            for deque in ("bwos_lifo", "bwos_fifo"):
                for value in values:
                    self.made.cell(["here"], "push", deque, {"batch": 1, setting: value}, {"push_latency_per_item": (2.0 + 8 / value, "ns")})
            picture, = self.draw().values()
            self.assertEqual(set(picture.labels()), {"BWoS LIFO", "BWoS FIFO"})
            self.assertEqual([[mark.x for mark in layer.marks] for layer in picture.frames[0].layers], [values, values])
            self.assertIn(setting, picture.frames[0].x.label)

    def settings(self, seconds, name="run", **settings):
        """seconds: {(block, room): run_time}."""
        self.begin(name, **settings)
        for (block, room), time in seconds.items():
            self.add("quicksort", "bwos_lifo", {"threads": 2, "block": block, "room": room}, time)
        return self.draw()

    def test_best_is_told_and_what_is_as_good(self):
        table, = self.settings({(8, 1024): 0.5, (16, 1024): 0.501, (64, 1024): 0.9, (8, 256): 0.7}).values()
        row, = rows_of(table)
        self.assertEqual([row[name] for name in ("best", "not told from it", "the worst", "there")], [
            "block=8, room=1024", "block=16, room=1024", "block=64, room=1024: 1.80 times", "500 ms"])
        few, = self.settings({(8, 1024): 0.5, (16, 1024): 0.6, (64, 1024): 0.9}, "few", invocations=3).values()
        self.assertIn("not asked", rows_of(few)[0]["not told from it"])
        self.assertEqual(self.settings({(8, 1024): 0.5, (16, 1024): 0.6}, "two"), {}, "two settings are no sweep")

    def test_a_line_a_room_over_the_blocks_and_the_best_is_marked(self):
        picture, _ = self.settings({(block, room): 0.5 + abs(block - 16) / 100 + (room == 256) * 0.2
                                    for block in (0, 4, 8, 16, 32) for room in (256, 1024)}).values()
        frame, = picture.frames
        *lines, best = frame.layers
        self.assertEqual([layer.label for layer in lines], ["BWoS LIFO, room=256", "BWoS LIFO, room=1024"])
        self.assertEqual([mark.x for mark in lines[0].marks], [4, 8, 16, 32], "what is left to the pool has no place there")
        self.assertEqual(len({layer.look.dash for layer in lines}), 2)
        self.assertEqual([(mark.x, round(mark.y)) for mark in best.marks], [(16, 500)])
        self.assertIn("block=0", picture.caption)

    def test_what_a_sweep_shows_is_drawn_once(self):
        for blocks, elsewhere in (((4, 8, 16, 32), 4), ((8, 16, 64), 0)):  # three are bars, in another figure
            self.settings({(block, 1024): 0.5 for block in blocks}, f"{blocks}")
            self.assertEqual(len(sweeps.drawn_of(cells_of(self.run_read, summarize(self.run_read)))), elsewhere)

    def test_a_setting_that_one_workload_alone_has_is_not_told(self):
        for workload, params in (("quicksort", {"cutoff": 32}), ("uts", {"tree": "T3"})):
            for block in (8, 16, 64):
                self.add(workload, "bwos_lifo", {"threads": 2, "block": block, **params}, 1.0)
        table, = self.draw().values()
        self.assertEqual([row["workload"] for row in rows_of(table)], ["quicksort", "uts"])


class Nodes(MadeUp):
    figures = ("nodes",)

    def test_a_slower_node_is_as_far_as_it_is_slower(self):
        factors = {"n1": 1, "n2": 1.1, "n3": 1}
        self.begin(invocations=len(factors))
        slowed = self.made.cell(["here"], "push", "chase_lev", {"batch": 1}, {"push_latency": (10.0, "ns")})
        self.made.cell(["here"], "push", "locked", {"batch": 1}, {"push_latency": (20.0, "ns")})
        self.assertEqual(self.draw(), {}, "one host has no spread")
        for row in self.made.rows:
            if (row[0], row[8]) == (slowed, "push_latency"):
                row[9] = repr(float(row[9]) * list(factors.values())[row[6]])
            row += ["", list(factors)[row[6]]]
        found = drawn(Run(self.made.write()), "nodes")
        (tag, picture), (_, table) = found["nodes"], found["nodes-table"]
        self.assertEqual(tag, nodes.TAG)
        cells, middles = picture.frames[0].layers
        self.assertEqual({(round(mark.y), round(mark.x, 6)) for mark in cells.marks}, {(0, 0), (1, 10), (1, 0), (2, 0)})
        self.assertEqual([round(mark.x, 6) for mark in middles.marks], [0, 5, 0])
        self.assertIn("10.0 % in the worst", picture.caption)
        self.assertEqual([row[:2] + row[3:] for row in table.rows],
                         [["chase_lev", "push", "3", "n1", "n2", "10.0"], ["locked", "push", "3", "n1", "n1", "0"]])


COUNTED = {("owner", "instructions_per_operation"): (20.0, ""), ("owner", "instructions"): (2e6, ""),
           ("owner", "instructions_per_cycle"): (1.97, ""), ("owner", "cache_references"): (1e6, ""),
           ("owner", "cache_misses"): (84000.0, ""), ("owner", "l1_data_misses_per_operation"): (0.3, ""),
           ("owner", "voluntary_context_switches"): (3.0, "switches")}


class Counted(MadeUp):
    figures = ("counted",)

    def setUp(self):
        super().setUp()
        self.begin(make=ContentionRun, invocations=3)

    def count(self, deque, params, metrics, **more):
        return self.made.measured(["here"], deque, params, metrics, **more)

    def test_values_and_payloads_of_a_machine_with_counters(self):
        """The sets that were counted of one cell stand in one row."""
        for item in (4, 8):
            self.count("bwos_lifo", {"counters": "perf", "item": item, "thieves": 0}, COUNTED)
            self.count("bwos_lifo", {"counters": "caches", "item": item, "thieves": 0}, {("owner", "l1_data_misses_per_operation"): (0.3, "")})
        self.count("abp", {"counters": "none"}, COUNTED)
        found = self.draw()
        table = found["here-counted"]
        self.assertEqual(table.headings[3:6], ["l1 data misses", "instructions", "per cycle"])
        self.assertEqual([row[3:6] for row in table.rows], [["0.300", "20.0", "1.97"]] * 2)
        self.assertNotIn("no hardware counters", table.caption)
        rows = {(row[1], row[2]): row[3:] for row in found["here-payload"].rows}
        self.assertEqual([rows["8 bytes", "cache miss rate"], rows["4 bytes", "ipc"]], [["8.40 %", "8.4"], ["1.97", "1.51"]])

    def test_any_event_is_drawn_over_what_the_times_are_drawn_over(self):
        for place in ("same-core", "cross-socket"):
            for thieves, frequency in itertools.product((1, 5), (1000, "max")):
                self.count("abp", {"counters": "none", "events": "A:B", "placement": place, "thieves": thieves, "frequency": frequency}, {
                    ("owner", "A:B_per_operation"): (thieves * 0.01, ""), ("thief", "A:B_per_operation"): (0.0 if thieves == 1 else 2.0, ""),
                    ("thief", "A:B"): (7.0, "")})
        found = self.draw()
        self.assertEqual([name for name in found if "counted-" in name], ["here-counted-A-B-owner", "here-counted-A-B-thief"])
        (frame,) = found["here-counted-A-B-owner"].frames
        self.assertEqual((frame.x.label, [text for _, text in frame.x.ticks], frame.y.scale), ("frequency", ["1 kHz", "max"], "log"))
        self.assertEqual(sorted((layer.label, [(mark.x, round(mark.y, 6)) for mark in layer.marks]) for layer in frame.layers), sorted(
            (f"ABP, placement={place}, thieves={thieves}", [(0, thieves * 0.01), (1, thieves * 0.01)]) for place in ("same-core", "cross-socket") for thieves in (1, 5)))
        (frame,) = found["here-counted-A-B-thief"].frames
        self.assertEqual(len(frame.layers), 2, "a count of 0 has no place on a logarithmic axis")

    def test_of_a_counted_section_only_counts_are_drawn(self):
        self.made.section("a-counted", "Counted: A")
        for frequency in (0, 1000):
            self.made.measured(["a-counted"], "abp", {"counters": "perf", "thieves": 1, "frequency": frequency}, COUNTED | {
                ("owner", "owner_operations"): (1e8, "operations/s"), ("owner", "all_operations"): (1e8, "operations/s")})
        self.made.write()
        run = Run(self.made.folder)
        summaries = summarize(run)
        names = [made.name for _, made in made_of(run, build_sections(run, summaries), summaries)]
        self.assertEqual([name for name in names if name.startswith("a-")],
                         ["a-counted", "a-counted-instructions", "a-counted-l1_data_misses"])

    def test_a_machine_without_counters_says_so_in_words_and_shows_no_zero(self):
        for item in (4, 8):
            self.count("bwos_lifo", {"counters": "perf", "item": item}, {
                ("owner", metric): (3.0, "")
                for metric in ("voluntary_context_switches", "instructions", "cache_misses", "instructions_per_cycle")})
        for row in self.made.rows:
            if row[8] in ("instructions", "cache_misses", "instructions_per_cycle"):
                row[9], row[11] = "", "denied"
        found = self.draw()
        for name in ("here-counted", "here-payload"):
            self.assertIn("no hardware counters", found[name].caption)
        self.assertEqual(found["here-counted"].headings[3:], ["voluntary switches"])
        self.assertEqual({row[3] for row in found["here-payload"].rows if row[2] == "ipc"}, {"(denied)"})
        self.assertRegex(completeness(summarize(self.run_read)), r"has no value \(\d+ denied\)")
        self.assertFalse([name for name in found if "counted-" in name])


SIBLINGS, SOCKET, ACROSS = 40.0, 110.0, 320.0
FACTORS = {"same-core": 0.5, "same-socket": 1.0, "cross-socket": 2.0}


class Places(MadeUp):
    figures = ("places",)

    def machine(self, name, sockets, cores, siblings, turn=False):
        """So many sockets of so many cores; turn: the sockets' processors are numbered in turn."""
        self.begin(name, invocations=3)
        has = {"same-core": siblings, "same-socket": cores > 1, "cross-socket": sockets > 1}
        every = [(socket, core, core * sockets + socket if turn else socket * cores + core)
                 for socket in range(sockets) for core in range(cores)]
        metrics = {}
        for place, (socket, _, one) in enumerate(every):
            metrics[str(one), "socket"] = float(socket), ""
            for other, _, number in every[place + 1:]:
                metrics[f"{one}-{number}", "ping_pong_time"] = SOCKET if other == socket else ACROSS, "ns"
            if siblings:
                metrics[f"{one}-{one + len(every)}", "ping_pong_time"] = SIBLINGS, "ns"
        metrics |= {(relation, "ping_pong_time"): (time, "ns") for relation, time in zip(FACTORS, (SIBLINGS, SOCKET, ACROSS))}
        self.made.cell(["here"], "pingpong", "empty", {"pairs": "cores"}, metrics)
        for relation, factor in FACTORS.items():
            for deque, time in (("abp", 70.0), ("chase_lev", 80.0)):
                self.made.cell(["here"], "steal", deque, {"placement": relation, "owner": "busy"}, {"steal_latency": (time * factor, "ns")})
        for row in self.made.rows:
            if not has.get(dict(part.split("=") for part in row[3].split(";"))["placement"], True) and row[8] == "steal_latency" or (
                    not has.get(row[5], True)):
                row[9], row[11] = "", "denied"
        return self.draw()

    def test_both_numberings_give_the_same_matrix_socket_by_socket(self):
        for turn in (False, True):
            picture = self.machine(f"turn {turn}", 2, 4, True, turn)["here-matrix"]
            self.assertEqual([int(text) for _, text in picture.frames[0].x.ticks], [0, 2, 4, 6, 1, 3, 5, 7] if turn else list(range(8)))
            self.assertEqual(picture.frames[0].field.rows, [[SIBLINGS if row == column else SOCKET if row // 4 == column // 4 else ACROSS
                                                             for column in range(8)] for row in range(8)])
            self.assertNotIn("On this machine", picture.caption)

    def test_steals_stand_beside_the_line_of_their_place(self):
        made = self.machine("run", 2, 4, True)
        rows = [[text.split(" [")[0] for text in row] for row in made["here-steal-by-place-table"].rows]
        self.assertEqual(rows, [["a line there and back", "40.0", "110", "320"], ["ABP", "35.0", "70.0", "140"],
                                ["Chase-Lev", "40.0", "80.0", "160"]])
        self.assertEqual([[rule.at for rule in frame.rules] for frame in made["here-steal-by-place"].frames], [[20.0], [55.0], [160.0]])

    def test_what_the_machine_lacks_is_said_in_words(self):
        made = self.machine("run", 1, 2, False)
        for name, said in made.items():
            self.assertIn("no core has a second processor (SMT)", said.caption, name)
            self.assertIn("there is no second socket", said.caption, name)
        self.assertEqual(["not measured here" in frame.says for frame in made["here-steal-by-place"].frames], [True, False, True])
        self.assertIn("no second socket", made["here-matrix"].frames[0].title)
        self.assertEqual(made["here-steal-by-place-table"].rows[1][1::2], ["(not measured)"] * 2)

    def test_pairs_do_not_flood_the_tables_and_denied_cells_are_told(self):
        self.machine("run", 2, 4, False)
        section, = build_sections(self.run_read)
        self.assertFalse([summary.role for _, summary in section.rows if summary.role[0].isdigit()])
        self.assertEqual([missing.status for missing in section.missing], ["denied"] * 2)


if __name__ == "__main__":
    run_tests()
