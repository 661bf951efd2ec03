#!/usr/bin/python3
"""What predicts what, on made-up runs with a planted order: one microbenchmark orders the deques as the applications do, one
reverses the order, one is unrelated."""

import random

from tests.plots.support import FolderTest, drawn, rows_of, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data.predictions import agreements, measurements, sets_of
from plots.data.summaries import summarize

NAMES = [f"deque_{letter}" for letter in "abcdefgh"]
SHUFFLED = [3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.6, 5.3]


class Predictions(FolderTest):
    def run_of(self, noise=0.002, names=NAMES, invocations=8):
        """Two applications whose times grow by a fifth from deque to deque."""
        made = SyntheticRun(self.folder / "run", invocations=invocations, repetitions=1, noise=noise,
                            deques={name: {"title": name, "source": "made up", "reference": "0", "sound": "1"} for name in NAMES})
        for tag, workload, metric, unit, of in [
                ("pop", "pop", "pop_latency", "ns", lambda place: 1.2 ** place),
                ("push", "push", "push_latency", "ns", lambda place: 1.2 ** -place),
                ("steal", "steal", "steal_latency", "ns", lambda place: SHUFFLED[place]),
                ("beside", "contention", "owner_operations", "1/s", lambda place: 1e6 * 1.1 ** -place),
                ("fib", "fib", ("pool", "run_time"), "s", lambda place: 0.1 * 1.2 ** place),
                ("uts", "uts", ("pool", "run_time"), "s", lambda place: 0.3 * 1.2 ** place)]:
            made.section(tag, f"About {tag}")
            for place, name in enumerate(names):
                made.cell([tag], workload, name, {"threads": 2}, {metric: (of(place), unit)})
        return made.read()[0]

    def found(self, **options):
        run = self.run_of(**options)
        return measurements(run, summarize(run))

    def test_the_planted_orders_come_out(self):
        by_pair = {(one.micro, one.application): one for one in agreements(self.found())}
        self.assertEqual(len(by_pair), 8)
        self.assertAlmostEqual(by_pair["pop", "fib"].tau, 1.0)
        self.assertAlmostEqual(by_pair["push", "uts"].tau, -1.0)
        self.assertAlmostEqual(by_pair["beside contention", "fib"].tau, 1.0)  # a throughput: more is faster
        self.assertLess(abs(by_pair["steal", "fib"].tau), 0.6)
        self.assertLess(by_pair["steal", "fib"].low, by_pair["steal", "fib"].tau)
        self.assertLess(by_pair["steal", "fib"].low, 0.5)
        self.assertGreater(by_pair["pop", "fib"].low, 0.9)

    def test_pairs_in_the_right_order_are_those_that_the_rule_tells_apart(self):
        by_pair = {(one.micro, one.application): one for one in agreements(self.found())}
        self.assertEqual([(by_pair["pop", "fib"].right, by_pair["pop", "fib"].asked), by_pair["pop", "fib"].apart], [(28, 28), 28])
        self.assertEqual((by_pair["push", "fib"].right, by_pair["push", "fib"].asked), (0, 28))

    def test_below_six_invocations_no_pair_is_told_apart(self):
        self.assertEqual({(one.asked, one.apart) for one in agreements(self.found(invocations=5))}, {(0, 0)})

    def test_the_smallest_set_is_the_planted_one(self):
        sets = sets_of(self.found())
        self.assertEqual(sets.smallest, 1)
        self.assertIn(sets.chosen[1][0], ("pop", "beside contention"))
        self.assertAlmostEqual(sets.held_out[1], 1.0)
        self.assertLess(sets.all_of_them, 1.0)

    def test_noise_predicts_nothing_and_is_not_said_to(self):
        numbers = random.Random(7)
        found = self.found()
        for one in found:
            if one.application:
                one.times = {deque: {i: numbers.random() for i in times} for deque, times in one.times.items()}
        for one in agreements(found):
            self.assertLessEqual(one.low, one.tau)
            self.assertLess(one.high - one.low, 2.0)
            self.assertGreater(one.high - one.low, 0.3)

    def test_too_few_deques_are_no_order(self):
        self.assertEqual(self.found(names=NAMES[:3]), [])

    def test_the_report_has_a_figure_and_tables(self):
        made = drawn(self.run_of(), "predictions")
        self.assertEqual(set(made), {"predictions", "predictions-pairs", "predictions-sets"})
        rows = rows_of(made["predictions-pairs"][1])
        self.assertIn({"microbenchmark": "pop", "application": "fib", "deques": "8", "tau": "1.00", "right": "28 of 28",
                       "told apart": "28"}, [{name: row[name] for name in row if name != "interval"} for row in rows])


if __name__ == "__main__":
    run_tests()
