#!/usr/bin/python3
"""simulate_test.py: predictions of machines that are not here: the same to the byte in each run; a deque whose top and bottom share
a line is predicted slower; all tasks of a pool of 64 workers are run; and the order of the deques is that of a kept run."""

import csv
import io
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).resolve().parent), str(ROOT)]
sys.dont_write_bytecode = True
import figures  # noqa: E402
import machines  # noqa: E402
import simulate  # noqa: E402
import validate  # noqa: E402
from harness.judging.run_folder import Problem, Run  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

DEQUES = ["abp", "bwos_lifo", "chase_lev", "idempotent", "lf_bulk", "locked", "phanes", "weir"]
LEAST_RANK, LARGEST_ERROR = 0.85, 0.15  # the error: where processors are near
SHARED = "one_line"  # chase_lev with top and bottom on one line


def likely(machine):
    return machines.sets_of(machines.machine_named(machine))[0][1]


def case(deque, threads, workload="contention", **settings):
    return simulate.Case(deque, workload, threads, tuple(settings.items()))


class Predicting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.chdir(ROOT)
        simulate.build(DEQUES)

    def predict(self, one, numbers=None):
        outcome = simulate.predict(one, numbers or likely("8358"), machines.counted())
        self.assertEqual(outcome.status, "ok", outcome.said)
        return outcome

    def owners_rate(self, *arguments):
        return self.predict(*arguments).values["owner", "owner_operations"]

    def test_traits_are_read(self):
        self.assertEqual([simulate.traits_of("chase_lev")[name] for name in ("title", "sound", "reference")], ["Chase-Lev", "1", "0"])

    def test_the_same_to_the_byte(self):
        for one in (case("chase_lev", 8, frequency="1000000"), case("weir", 16, "fib", n="18")):
            self.assertEqual(self.predict(one).text, self.predict(one).text)

    def test_more_distance_costs_the_owner_more(self):
        near, far = (self.owners_rate(case("chase_lev", 2, frequency="1000000"), {**likely("epyc"), "same_group": distance})
                     for distance in (28, 123))
        self.assertGreater(near, 1.1 * far)

    def test_a_shared_line_is_slower(self):
        source = (ROOT / "queues/chase_lev.h").read_text()
        together = source.replace("alignas(DEQUE_LINE) _Atomic uint64_t bottom", "_Atomic uint64_t bottom")
        self.assertNotEqual(source, together)
        with tempfile.TemporaryDirectory() as work:
            header = Path(work) / f"{SHARED}.h"
            header.write_text(together.replace('#include "', f'#include "{ROOT}/queues/'))
            try:
                simulate.build([SHARED], SIMULATED_HEADER=str(header))
                apart, shared = (self.owners_rate(case(deque, 4, frequency="1000000")) for deque in ("chase_lev", SHARED))
            finally:
                subprocess.run(["rm", "-rf", f"{simulate.BUILD}/predicted/{SHARED}", f"{simulate.BUILD}/obj/predicted/{SHARED}"], check=True)
        self.assertGreater(apart, 1.05 * shared)

    def test_a_pool_of_64_workers_runs_every_task(self):
        for deque in ("bwos_lifo", "weir"):  # fib checks its answer
            self.assertGreaterEqual(self.predict(case(deque, 64, "fib", n="16")).values["worker", "tasks"], 1596)

    def test_the_order_is_that_of_a_kept_run(self):
        measured = {key: value for key, value in validate.kept().items() if key[0] in DEQUES}
        rows = [row for row in validate.compare(measured, validate.predict_kept(measured, machines.machine_named("epyc"))) if row[0] == "all"]
        self.assertEqual(len(rows), 4)  # two frequencies, near and far
        for _, frequency, where, _, (rank, error, _), _ in rows:
            self.assertGreaterEqual(rank, LEAST_RANK, (frequency, where))
            if where == "near":
                self.assertLessEqual(error, LARGEST_ERROR, frequency)

    def test_batches_at_least_once_and_what_cannot_be(self):
        for one in (case("lf_bulk", 4, steal="batch"), case("idempotent", 4)):
            self.assertGreater(self.owners_rate(one), 1e6)
        with self.assertRaisesRegex(simulate.Usage, "frequency"):
            simulate.predict(case("chase_lev", 4, frequency="often"), likely("8358"), {})

    def test_tables_and_figures_say_predicted_and_no_judge_reads_them(self):
        cases = [case("chase_lev", threads, frequency="1000000") for threads in (2, 4)] + [case("weir", 2, "fib", n="12")]
        found = simulate.predict_all(cases, machines.sets_of(machines.machine_named("8358"))[:3], machines.counted())
        made = [one for workload in ("contention", "fib") for one in
                figures.quantities(workload, {one: found[one] for one in cases if one.workload == workload})]
        self.assertEqual([len(one.values) for one in made], [2, 2, 2, 1, 1])
        with redirect_stdout(io.StringIO()) as said:
            figures.print_table(made[0], "8358")
        self.assertIn("PREDICTED for 8358", said.getvalue())
        for one in made:
            picture = figures.picture(one, "8358")
            self.assertTrue(picture.title.startswith("PREDICTED for 8358"))
            self.assertEqual(any(point.value.low < point.value.high for axes in picture.parts for line in axes.series for point in line.points),
                             one is not made[-1])  # a deque against itself
        with tempfile.TemporaryDirectory() as work:
            here = Path(work) / "predicted"
            paths = figures.write(here, made, "8358")
            self.assertEqual([path.suffix for path in paths].count(".svg"), 5)
            rows = list(csv.DictReader((here / "predicted.csv").read_text().splitlines()))
            self.assertTrue(all(float(row["low"]) <= float(row["likely"]) <= float(row["high"]) for row in rows))
            with self.assertRaisesRegex(Problem, "no run"):
                Run(here)


class Numbers(unittest.TestCase):
    def test_every_number_of_every_machine_lies_in_its_range(self):
        for name, machine in machines.machines().items():
            machines.environment({one: values[0] for one, values in machine.items()}, {})
            for one, (value, low, high) in machine.items():
                self.assertTrue(low <= value <= high, (name, one))

    def test_unknown_names_suggest_the_nearest(self):
        with self.assertRaisesRegex(machines.NoMachine, "did you mean 8358"):
            machines.machine_named("8385")
        with self.assertRaisesRegex(simulate.Usage, "did you mean contention"):
            simulate.options_of(["contentoin"])
        with self.assertRaisesRegex(simulate.Usage, "1 to 255"):
            simulate.numbers_of_threads("1..1000")

    def test_numbers_of_threads(self):
        self.assertEqual(simulate.numbers_of_threads("1..128"), [1, 2, 4, 8, 16, 32, 64, 128])
        self.assertEqual(simulate.numbers_of_threads("3,1..24"), [1, 2, 3, 4, 8, 16, 24])

    def test_rank_correlation_and_pairs(self):
        self.assertEqual(validate.held([(1, 10), (2, 20), (4, 15)])[0::2], (0.5, 2 / 3))
        self.assertEqual(validate.rank([10, 10.4, 30], validate.SAME), [1, 1, 2.5])

    def test_saturation_is_where_thieves_wait_for_each_other(self):
        def outcome(time):
            return [simulate.Outcome("ok", {("thief", "steal_time"): time, ("thief", "frequency_ratio"): 1})]

        cases = [case("abp", threads) for threads in (2, 4, 8, 16)]
        found = dict(zip(cases, map(outcome, (100, 200, 301, 400))))
        self.assertEqual(figures.saturation(found), {"abp": 8})
        self.assertEqual(figures.quantities("contention", found)[1].values["abp", 16], "saturated")


if __name__ == "__main__":
    run_tests()
