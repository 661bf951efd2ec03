#!/usr/bin/python3
"""Quicksort's figures and table, from a made-up run."""

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.figures.picture import Layer, Look, Mark, Picture, Table, counts_axis
from plots.figures.pictures import quicksort
from plots.data.run_folder import Run
from plots.data.summaries import summarize

DEQUES = {"bwos_lifo": {"title": "BWoS LIFO", "delivery": "once"}, "abp": {"title": "ABP", "delivery": "once"},
          "idempotent": {"title": "idempotent LIFO", "delivery": "at_least_once"}}


class Quicksort(FolderTest):
    def made(self, **settings):
        run = SyntheticRun(self.folder / f"run{len(settings)}", invocations=5, noise=0, deques=DEQUES)
        run.section("5.3-quicksort", "Quicksort")
        base = {"size": 10000000, "cutoff": 32, "input": "random", "threads": 2, "steal": "one", **settings}
        for deque, block, seconds in (("bwos_lifo", 8, 0.5), ("bwos_lifo", 64, 0.9), ("abp", 0, 0.6),
                                      ("idempotent", 0, 0.7)):
            run.cell(["5.3-quicksort"], "quicksort", deque, {**base, "block": block},
                     {"run_time": (seconds, "s"), "items_stolen": (120.0, "items"),
                      "voluntary_context_switches": (31.0, "switches")})
        roles = {"run_time": "pool", "items_stolen": "worker", "voluntary_context_switches": "worker"}
        run.rows = [[*row[:5], roles.get(row[8], row[5]), *row[6:]] for row in run.rows]
        read = Run(run.write())
        made = [one for _, one in quicksort.draw(read, [], summarize(read))]
        picture, = (one for one in made if isinstance(one, Picture))
        return picture, *(one for one in made if isinstance(one, Table))

    def test_time_stolen_and_switches_beside_the_thesis(self):
        picture, table, blocks = self.made()
        self.assertEqual(blocks.rows, [["8", "500", "1.00", ""], ["64", "900", "1.80", "\N{ALMOST EQUAL TO} 65"]])
        self.assertIn("10,000,000 numbers", picture.title)
        self.assertIn("more than once", picture.caption)
        rows = {row[0]: row[1:] for row in table.rows}
        self.assertEqual(list(rows), ["BWoS LIFO, blocks of 8", "ABP", "idempotent LIFO \N{DAGGER}",
                                      "BWoS LIFO, blocks of 64"])
        self.assertEqual(rows["BWoS LIFO, blocks of 64"], ["900", "", "120", "", "31.0", "1,211,343"])
        self.assertEqual(rows["ABP"], ["600", "", "120", "0", "31.0", "162"])
        self.assertEqual([heading for heading in table.headings if "thesis" in heading], 3 * ["thesis, 16 threads"])

    def test_the_thesis_stands_beside_no_other_numbers(self):
        for settings in ({"size": 1000000}, {"size": 10000000, "input": "sorted"}):
            _, table, blocks = self.made(**settings)
            stated = [row[place] for row in table.rows for place, heading in enumerate(table.headings) if "thesis" in heading]
            self.assertEqual(set(stated) | {row[3] for row in blocks.rows}, {""})
            self.assertIn("not set beside them", table.caption)

    def test_one_that_steals_much_hides_no_others(self):
        def axis(*counts):
            return counts_axis("tasks stolen", [Layer([Mark(count, y)], Look("#000000", "square"), "bars")
                                                for y, count in enumerate(counts)])

        self.assertEqual(axis(14, 9, 12).scale, "linear")
        self.assertEqual(axis(0, 0, 0).scale, "linear")
        self.assertEqual(axis().scale, "linear")
        far = axis(14, 9, 12, 56715)
        self.assertEqual((far.scale, far.low, [place for place, _ in far.ticks]), ("asinh", 0, [0, 1, 100, 10000]))
        self.assertGreater(far.high, 56715)

    def test_one_thread_has_nobody_to_steal_from(self):
        picture, *_ = self.made(threads=1)
        self.assertEqual([frame.x.label for frame in picture.frames], ["time in ms"])
        self.assertNotIn("5.11", picture.caption)


if __name__ == "__main__":
    run_tests()
