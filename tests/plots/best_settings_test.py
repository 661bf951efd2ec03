#!/usr/bin/python3
"""The best block and capacity of a sweep, from a made-up run: the best is the best, and what is as good is said."""

from tests.plots.support import FolderTest, rows_of, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data.run_folder import Run
from plots.data.summaries import summarize
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
        return [rows_of(one) for _, one in best_settings.draw(read, [], summarize(read))]

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


if __name__ == "__main__":
    run_tests()
