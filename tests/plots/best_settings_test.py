#!/usr/bin/python3
"""The best block and capacity of a sweep, from a made-up run: the best is the best, and what is as good is said."""

from tests.plots.support import FolderTest, rows_of, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data.cells import cells_of
from plots.data.run_folder import Run
from plots.data.summaries import summarize
from plots.figures.picture import Table
from plots.figures.pictures import best_settings

DEQUES = {"bwos_lifo": {"title": "BWoS LIFO", "reference": "0", "sound": "1"}}


class BestSettings(FolderTest):
    def draw(self, seconds, invocations=8, noise=0.003):
        """seconds: {(block, room): run_time}."""
        made = SyntheticRun(self.folder / "run", invocations=invocations, noise=noise, deques=DEQUES)
        made.section("tuning", "Tuning")
        for (block, room), time in seconds.items():
            made.cell(["tuning"], "quicksort", "bwos_lifo", {"threads": 2, "block": block, "room": room},
                      {"run_time": (time, "s")})
        made.rows = [[*row[:5], "pool" if row[8] == "run_time" else row[5], *row[6:]] for row in made.rows]
        read = Run(made.write())
        self.drawn = [one for _, one in best_settings.draw(read, [], summarize(read))]
        return [rows_of(one) for one in self.drawn if isinstance(one, Table)]

    def test_best_is_told_and_what_is_as_good(self):
        (row,), = self.draw({(8, 1024): 0.5, (16, 1024): 0.5001, (64, 1024): 0.9, (8, 256): 0.7})
        self.assertIn(row["best"], ("block=8, room=1024", "block=16, room=1024"))
        other = {"block=8, room=1024", "block=16, room=1024"} - {row["best"]}
        self.assertEqual({row["not told from it"]}, other)
        self.assertTrue(row["the worst"].startswith("block=64, room=1024: 1.8"), row["the worst"])
        self.assertTrue(row["there"].endswith(" ms"))

    def test_few_invocations_settle_nothing(self):
        (row,), = self.draw({(8, 1024): 0.5, (16, 1024): 0.6, (64, 1024): 0.9}, invocations=3)
        self.assertEqual(row["best"], "block=8")
        self.assertIn("not asked", row["not told from it"])

    def test_two_settings_are_no_sweep(self):
        self.assertEqual(self.draw({(8, 1024): 0.5, (16, 1024): 0.6}), [])

    def test_a_line_a_room_over_the_blocks_and_the_best_is_marked(self):
        seconds = {(block, room): 0.5 + abs(block - 16) / 100 + (room == 256) * 0.2
                   for block in (0, 4, 8, 16, 32) for room in (256, 1024)}
        self.draw(seconds, noise=0)
        picture, table = self.drawn
        self.assertEqual((picture.name, table.name), ("tuning-by-block", "tuning-best-settings"))
        frame, = picture.frames
        *lines, best = frame.layers
        self.assertEqual([layer.label for layer in lines], ["BWoS LIFO, room=256", "BWoS LIFO, room=1024"])
        self.assertEqual([mark.x for mark in lines[0].marks], [4, 8, 16, 32], "what is left to the pool has no place there")
        self.assertEqual(len({layer.look.dash for layer in lines}), 2)
        self.assertEqual([(mark.x, round(mark.y)) for mark in best.marks], [(16, 500)])
        self.assertIn("block=0", picture.caption)

    def test_what_a_sweep_shows_is_drawn_once(self):
        self.draw({(block, 1024): 0.5 for block in (4, 8, 16, 32)})
        self.assertEqual(len(self.drawn), 2)
        read = Run(self.folder / "run")
        self.assertEqual(len(best_settings.drawn_of(cells_of(read, summarize(read)))), 4)
        self.draw({(block, 1024): 0.5 for block in (8, 16, 64)})
        read = Run(self.folder / "run")
        self.assertEqual(best_settings.drawn_of(cells_of(read, summarize(read))), set(), "three are bars, elsewhere")

    def test_a_setting_that_one_workload_alone_has_is_not_told(self):
        made = SyntheticRun(self.folder / "other", invocations=8, deques=DEQUES)
        made.section("tuning", "Tuning")
        for workload, params in (("quicksort", {"cutoff": 32}), ("uts", {"tree": "T3"})):
            for block in (8, 16, 64):
                made.cell(["tuning"], workload, "bwos_lifo", {"threads": 2, "block": block, **params}, {"run_time": (1.0, "s")})
        made.rows = [[*row[:5], "pool" if row[8] == "run_time" else row[5], *row[6:]] for row in made.rows]
        read = Run(made.write())
        (_, one), = best_settings.draw(read, [], summarize(read))
        self.assertEqual([row["workload"] for row in rows_of(one)], ["quicksort", "uts"])


if __name__ == "__main__":
    run_tests()
