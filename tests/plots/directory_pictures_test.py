#!/usr/bin/python3
"""The walk's four versions, figure 5.12 and table 5.5: made-up runs in, the numbers that they must show out."""

from tests.plots.support import FolderTest, rows_of, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.figures.pictures import directory_walk, duplicates
from plots.data.run_folder import Run
from plots.data.summaries import summarize

DEQUES = {name: {"title": title, "source": "", "reference": "0", "sound": "1"} for name, title in [
    ("empty", "empty"), ("locked", "mutex"), ("phanes", "Phanes"), ("chase_lev", "Chase-Lev"), ("bwos_lifo", "BWoS LIFO"),
    ("lace", "Lace")]}
TREE = {"path": "generated", "directories": 100, "files": 300, "symlinks": 4}
FILES = {"io": "uring", "compute": 0, "bytes": 2 ** 28, "directories": 600, "files": 2500, "copies": 30,
         "path": "generated", "hash_bits": 64, "block": 0}


class Directories(FolderTest):
    def setUp(self):
        super().setUp()
        self.made = SyntheticRun(self.folder / "run", invocations=6, noise=0.001, deques=DEQUES)

    def add(self, workload, deque, params, metrics, **more):
        """metrics: {(role, metric): (value, unit)}"""
        roles = {metric: role for role, metric in metrics}
        name = self.made.cell(["here"], workload, deque, params, {metric: value for (_, metric), value in
                                                                  metrics.items()}, **more)
        for row in self.made.rows:
            if row[0] == name and row[8] in roles:
                row[5] = roles[row[8]]

    def draw(self, module):
        if not self.made.sections:
            self.made.section("here", "Here")
        run = Run(self.made.write())
        return {made.name: made for _, made in module.draw(run, [], summarize(run))}

    def add_walk(self, deque, version, threads, seconds, cache="warm", **more):
        self.add("walk", deque, {**TREE, "version": version, "threads": threads, "cache": cache},
                 {("pool", "run_time"): (seconds, "s"),
                  ("pool", "entries_per_second"): (405 / seconds, "entries/s"),
                  ("pool", "directories"): (100, "directories"), ("pool", "files"): (300, "files"),
                  ("pool", "symlinks"): (4, "links")}, **more)

    def add_versions(self):
        self.add_walk("empty", "one_thread", 1, 0.8)
        self.add_walk("empty", "shared_queue", 2, 0.5)
        self.add_walk("locked", "pool", 2, 0.45)
        self.add_walk("phanes", "pool", 2, 0.4)
        self.add_walk("phanes", "pool", 8, 0.35, flags="oversubscribed")
        self.add_walk("chase_lev", "pool", 2, 0.1)  # none of the posts' versions

    def test_versions_stand_beside_the_posts(self):
        self.add_versions()
        found = self.draw(directory_walk)
        self.assertEqual(set(found), {"here-versions", "here-versions-table", "here-versions-results"})
        rows = rows_of(found["here-versions-table"])
        self.assertEqual([(row["version"][0], row["threads"]) for row in rows],
                         [("1", "1"), ("2", "2"), ("3", "2"), ("4", "2"), ("4", "8")])
        self.assertEqual([row["posts: Linux (ms)"] for row in rows], ["15660", "10031", "8452", "2839", "2839"])
        self.assertAlmostEqual(float(rows[3]["ratio"]), 2.0, delta=0.02)
        self.assertEqual(rows[3]["ratio: Linux"], "5.52")
        self.assertEqual(rows[4][""], "oversubscribed")

    def test_results_are_of_threads_that_have_processors(self):
        self.add_versions()
        rows = {row[""]: row for row in rows_of(self.draw(directory_walk)["here-versions-results"])}
        self.assertAlmostEqual(float(rows["warm (ms)"]["ours"]), 400, delta=4)
        self.assertEqual(rows["directories"]["ours"], "100")
        self.assertEqual([rows["files"][f"posts: {of}"] for of in ("Linux, 22 threads", "Windows, 32 threads")],
                         ["1985366", "1275311"])
        over = rows["times as fast as version 3"]
        self.assertAlmostEqual(float(over["ours"]), 0.45 / 0.4, delta=0.02)
        self.assertEqual([over["posts: Linux, 22 threads"], over["posts: Windows, 32 threads"]],
                         ["\N{ALMOST EQUAL TO} 2.97; by the table 2.98",
                          "\N{ALMOST EQUAL TO} 2.02; by the table 2.00"])
        self.assertEqual(rows["cold (ms)"]["ours"], "not run")
        self.assertEqual(rows["warm (ms)"]["posts: Linux, 22 threads"], "2839")

    def test_ratios_of_the_picture(self):
        self.add_versions()
        picture = self.draw(directory_walk)["here-versions"]
        bars = [round(mark.x, 1) for layer in picture.frames[1].layers for mark in layer.marks]
        self.assertEqual(bars[:4], [1.0, 1.6, 1.8, 2.0])
        self.assertEqual(bars[4:8], [1.0, 1.6, 1.9, 5.5])

    def test_one_version_alone_is_no_comparison(self):
        self.add_walk("phanes", "pool", 2, 0.4)
        self.assertEqual(self.draw(directory_walk), {})

    def add_duplicates(self, deque, params, seconds, **more):
        self.add("duplicates", deque, {**FILES, "threads": 2, **params},
                 {("pool", "run_time"): (seconds, "s"), ("worker", "tasks"): (1000, "tasks"),
                  ("worker", "items_stolen"): (50, "items"), ("pool", "io_tasks_stolen"): (7, "tasks")}, **more)

    def test_table_5_5_has_ours_and_the_thesis(self):
        self.add_duplicates("lace", {}, 0.3)
        self.add_duplicates("bwos_lifo", {"block": 64}, 0.2)
        self.add_duplicates("chase_lev", {}, 0.1)
        self.add_duplicates("chase_lev", {"io": "pread"}, 0.4)
        found = self.draw(duplicates)
        rows = [row for row in found["here-uring-compute0-2threads-table"].rows]
        self.assertEqual([row[0] for row in rows], ["Chase-Lev", "BWoS LIFO (64)", "Lace"])
        self.assertAlmostEqual(float(rows[0][1]), 100, delta=1)
        self.assertEqual([row[2] for row in rows], ["549.7", "864.6", ""])
        self.assertEqual([row[4] for row in rows], ["29", "44.2", ""])  # the thesis's deviations
        self.assertEqual(rows[0][9:11], ["7.00", "291"])
        self.assertEqual(rows[0][11], "")  # nothing was reported
        self.assertIn("here-uring-compute0-2threads", found)
        self.assertEqual(len(found["here-pread-compute0-2threads-table"].rows), 1)
        layers = found["here-uring-compute0-2threads"].frames[0].layers
        self.assertEqual([mark.x for layer in layers if layer.look.hollow for mark in layer.marks], [549.7, 864.6])

    def test_what_building_the_tree_costs(self):
        for tree, factor in (("counted", 1), ("built", 1.5)):
            for deque, version, threads, seconds in (("empty", "one_thread", 1, 0.8), ("phanes", "pool", 2, 0.4), ("chase_lev", "pool", 2, 0.2)):
                self.add("walk", deque, {**TREE, "version": version, "threads": threads, "cache": "warm", "tree": tree},
                         {("pool", "run_time"): (factor * seconds, "s")})
        found = self.draw(directory_walk)
        rows = {(row["version"], row["deque"]): row for row in rows_of(found["here-built"])}
        self.assertEqual(list(rows), [("1: one thread, depth first", ""), ("4: work stealing, lock-free", "phanes"),
                                      ("work stealing", "chase_lev")])
        for row in rows.values():
            self.assertAlmostEqual(float(row["ratio"]), 1.5, delta=0.02)
        self.assertIn("built in memory", found["here-versions-tree-built"].title)

    def test_a_room_has_a_table_of_its_own_and_sleeps_of_the_pool_are_said(self):
        for room in (256, 1024):
            for deque in ("chase_lev", "lace"):
                self.add_duplicates(deque, {"room": room}, 0.1)
        found = self.draw(duplicates)
        self.assertEqual({name for name in found if name.endswith("table")},
                         {f"here-uring-compute0-2threads-room-{room}-table" for room in (256, 1024)})
        table = found["here-uring-compute0-2threads-room-256-table"]
        self.assertIn("room=256", table.title)
        self.assertIn("each 200 \N{MICRO SIGN}s", table.caption)


if __name__ == "__main__":
    run_tests()
