#!/usr/bin/python3
"""trust.py on made-up runs: values within and outside each limit, and questions without an answer."""

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from harness.judging.run_folder import Problem, Run
from harness.trust import trust


class MadeUp(FolderTest):
    def run_of(self, cells):
        """cells: the arguments of SyntheticRun.exact() for each cell."""
        run = SyntheticRun(self.folder / "run")
        for workload, deque, params, invocations, *flags in cells:
            run.exact(workload, deque, params, invocations, flags="".join(flags))
        return Run(run.write())


class Planted(MadeUp):
    def rows(self, times):
        """times: [(variant, ns of planted_20)], an invocation each, of push and pop; by hand it takes 20 ns."""
        return trust.planted(self.run_of([
            (workload, deque, {}, [{metric: value, "variant": variant} for variant, value in some])
            for deque, some in (("planted_20", times), ("by_hand_20", [("", 20.0)])) for workload, metric in trust.METRICS.items()]))

    def test_a_planted_time_is_held_to_in_every_variant(self):
        for last, verdict in ((20.3, "within"), (21.0, "OUTSIDE")):
            rows = self.rows([("0", 20.0), ("1", 20.1), ("2", last)] * 3)
            self.assertEqual([row.verdict for row in rows if row.what == "chain of 20 steps"], ["within"] * 2)
            self.assertEqual([row.verdict for row in rows if row.what == "the same in variant 2 of 3"], [verdict] * 2)

    def test_one_disturbed_invocation_is_no_variant(self):
        rows = self.rows([("0", 20.0), ("1", 20.1), ("2", 25.0), ("0", 20.0), ("1", 20.1), ("2", 20.2), ("0", 20.0), ("1", 20.1),
                          ("2", 20.2), ("3", 25.0), ("3", 25.0)])
        self.assertEqual([row.what for row in rows if "variant" in row.what], ["the same in variant 2 of 3"] * 2)
        self.assertEqual({row.verdict for row in rows}, {"within"})


class Methods(MadeUp):
    def test_google_benchmark_finds_our_times(self):
        for factors, counted, verdict in (((1.02, 1.01), 1.0, "within"), ((1.02, 1.01), 0.9, "within"), ((0.96, 0.95), 1.0, "OUTSIDE"),
                                          ((1.08, 1.09), 0.98, "not settled"), ((1.0, 1.04), 1.0, "not settled")):
            rows = trust.google(self.run_of([
                (workload, "chase_lev_shift_0", {"method": method}, [{metric: 9.0 * factor, mean: 10.0 * factor, "share_counted": counted}
                                                                     for factor in some])
                for workload, metric in trust.METRICS_OF_METHODS.items()
                for method, mean, some in (("corrected", "window_mean", (1, 1)), ("google", metric, factors))]))
            self.assertEqual([(row.workload, row.verdict) for row in rows], [(workload, verdict) for workload in ("push", "pop", "steal")])


class Thieves(MadeUp):
    def frequency(self, *ratios, asked=1000, pacing="deadline", flags=""):
        return trust.frequency(self.run_of([("contention", "a", {"frequency": asked, "pacing": pacing},
                                             [{"frequency_ratio": ratio} for ratio in ratios], flags)]))

    def test_a_thief_is_judged_by_the_median_of_its_invocations(self):
        for ratios, verdict in (((1.0, 0.999, 1.2), "within"), ((0.98, 0.989, 1.0), "OUTSIDE"), ((1.0101, 1.02, 1.0), "OUTSIDE")):
            self.assertEqual([row.verdict for row in self.frequency(*ratios)], [verdict])
        row, = self.frequency(0.995, asked=1000000)
        self.assertEqual((row.suite, row.reference, row.unit), (995000.0, 1000000, "Hz"))

    def test_the_thesis_and_a_thief_without_a_core_are_not_judged(self):
        self.assertEqual([row.verdict for row in self.frequency(0.9, pacing="thesis")], [""])
        self.assertEqual([row.verdict for row in self.frequency(0.5, flags="oversubscribed")], [""])

    def test_a_question_without_an_answer_is_a_problem(self):
        for cells in ([("push", "a", {}, [{"push_latency": 1}])],
                      [("contention", "a", {"frequency": 1000, "pacing": "deadline"}, [{"owner_operations": 5}])]):
            self.assertRaises(Problem, trust.frequency, self.run_of(cells))

    def test_items_that_do_not_add_up_are_found(self):
        def items(*counts):
            return dict(zip((f"items_{kind}" for kind in ("pushed", "popped", "stolen", "left")), counts))

        settings = {"frequency": 1000, "pacing": "deadline"}
        rows = trust.conservation(self.run_of([
            ("contention", "a", settings, [items(10, 5, 4, 1), items(7, 7, 0, 0)]),
            ("contention", "b", settings, [items(10, 5, 4, 1), items(7, 6, 0, 0), items(7, 8, 0, 0)])]))
        self.assertEqual([(row.what, row.suite, row.verdict) for row in rows], [("a: 2 runs", 17, "within"), ("b: 3 runs", 24, "OUTSIDE")])


class Parts(MadeUp):
    def test_a_part_of_the_suite_answers_its_questions(self):
        run = SyntheticRun(self.folder / "part")
        for workload, metric in trust.METRICS.items():
            run.exact(workload, "empty", {}, [{metric: 0.1}], tags=("harness_cost",))
        self.assertEqual([row.question for row in trust.answers(Run(run.write()))], ["harness cost"] * 2)


if __name__ == "__main__":
    run_tests()
