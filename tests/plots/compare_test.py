#!/usr/bin/python3
"""compare.py: a planted slowdown trips the gate, identical builds do not, and what cannot be judged does not pass."""

import json

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.comparison.pairs import compare_all, pair_up, select
from plots.data.run_folder import Run
from plots.data.summaries import summarize


class Gate(FolderTest):
    def make(self, name, slower=1.0, seed=1, invocations=9, noise=0.01, deque="chase_lev", cells=4, unit="ns"):
        run = SyntheticRun(self.folder / name, invocations=invocations, noise=noise, seed=seed)
        run.section("fig6", "push")
        for i in range(cells):
            value = 8.0 * (i + 1)
            run.cell(["fig6"], "push", deque, {"batch": 2 ** i},
                     {"push_latency": (value * slower, "ns"), "push_latency_per_item": (value * slower, "ns")}
                     if unit == "ns" else {"throughput": (1e9 / value / slower, unit)})
        run.write()
        return run

    def verdicts(self, a, b):
        pairs, _ = pair_up(select(summarize(Run(a.folder)), None, None), select(summarize(Run(b.folder)), None, None),
                           same_deque=True)
        return [comparison.verdict for comparison in compare_all(pairs, 0.02, 0.95)[0]]

    def test_planted_slowdown_trips_and_identical_does_not(self):
        found = false_alarms = 0
        for seed in range(25):
            base = self.make("base", seed=2 * seed)
            found += all(v == "slower" for v in self.verdicts(self.make("slow", 1.08, seed=2 * seed + 1), base))
            false_alarms += "slower" in self.verdicts(self.make("same", 1.0, seed=2 * seed + 1), base)
        self.assertGreaterEqual(found, 24)
        self.assertEqual(false_alarms, 0)

    def test_identical_on_a_noisy_machine_is_rarely_called(self):
        alarms = rows = 0
        for seed in range(25):
            verdicts = self.verdicts(self.make("a", seed=500 + seed, noise=0.1),
                                     self.make("b", seed=900 + seed, noise=0.1))
            alarms += sum(v in ("slower", "faster") for v in verdicts)
            rows += len(verdicts)
        self.assertLessEqual(alarms / rows, 0.05)

    def test_a_difference_below_the_threshold_is_none(self):
        verdicts = self.verdicts(self.make("a", 1.005, noise=0.002), self.make("b", 1.0, noise=0.002, seed=2))
        self.assertEqual(set(verdicts), {"not told apart"})

    def test_exit_codes_of_the_gate(self):
        base, slow = self.make("base"), self.make("slow", 1.1, seed=2)
        self.expect(1, "compare", slow.folder, base.folder, "--gate", says="4 slower")
        self.expect(0, "compare", slow.folder, base.folder, says="4 slower")
        self.expect(0, "compare", base.folder, slow.folder, "--gate", says="4 faster")
        self.expect(0, "compare", slow.folder, base.folder, "--gate", "--threshold=20", says="4 not told apart")

    def test_deques_that_may_repeat_items_are_named(self):
        base, other = self.make("base", deque="idempotent"), self.make("other", deque="idempotent", seed=2)
        for run in (base, other):
            run.deques = {"idempotent": {"title": "idempotent LIFO", "delivery": "at_least_once"}}
            run.write()
        self.expect(0, "compare", base.folder, other.folder, says="may hand an item out more than once: idempotent")
        self.assertNotIn("more than once", self.expect(0, "compare", self.make("a").folder, self.make("b").folder).stdout)

    def test_higher_throughput_is_faster(self):
        base, slow = self.make("base", unit="items/s"), self.make("slow", 1.1, seed=2, unit="items/s")
        self.expect(1, "compare", slow.folder, base.folder, "--gate", says="4 slower")
        self.expect(0, "compare", base.folder, slow.folder, "--gate", says="4 faster")

    def test_two_deques_of_one_run(self):
        run = SyntheticRun(self.folder / "run", noise=0.005)
        for deque, each, mode in (("chase_lev", 8.0, {}), ("lf_bulk", 9.0, {"walk": "full"}),
                                  ("lf_bulk", 4.0, {"walk": "skip"})):
            run.cell(["fig7"], "steal", deque, {"percent": 10, **mode}, {"steal_latency": (each, "ns")})
        run.write()
        done = self.expect(1, "compare", run.folder, "--deque=lf_bulk", "--against=chase_lev", "--gate")
        self.assertIn("1 slower, 1 faster", done.stdout)
        self.assertIn("skips the walk", done.stdout)

    def test_too_few_invocations_settle_nothing_and_pass_no_gate(self):
        a, b = self.make("a", 2.0, invocations=3), self.make("b", invocations=3, seed=2)
        self.expect(0, "compare", a.folder, b.folder, says="4 not settled")
        self.expect(3, "compare", a.folder, b.folder, "--gate", says="fewer than 6 invocations")
        a, b = self.make("a", 2.0, invocations=5), self.make("b", invocations=5, seed=2)
        self.expect(3, "compare", a.folder, b.folder, "--gate", says="4 not settled")

    def test_a_gate_that_would_miss_one_cell_among_many_does_not_pass(self):
        a, b = self.make("a", invocations=7, noise=0.002), self.make("b", invocations=7, noise=0.002, seed=2)
        self.expect(3, "compare", a.folder, b.folder, "--gate", says="among 4 is found with 8 invocations, 4 have fewer")
        self.expect(0, "compare", a.folder, b.folder, "--gate", "--metric=push_latency", "--confidence=90",
                    says="4 not told apart")

    def test_what_every_pair_shows_is_slower_though_both_sides_drift(self):
        base = self.make("base", noise=0.0, cells=1)
        slow = self.make("slow", noise=0.0, cells=1)
        machine = [1.0, 1.4, 0.9, 1.2, 1.6, 0.8, 1.1, 1.3, 0.7]
        for run, ratios in ((base, [1.0] * 9), (slow, [1.12, 1.25, 1.17, 1.14, 1.21, 1.15, 1.23, 1.19, 1.13])):
            for row in run.rows:
                if row[8] == "push_latency":
                    row[9] = repr(8.0 * machine[row[6]] * ratios[row[6]])
            run.write()
        self.expect(1, "compare", slow.folder, base.folder, "--gate", "--metric=push_latency", says="1 slower")

    def test_a_ratio_that_changes_during_the_run_is_told(self):
        base, other = (self.make(name, noise=0.002, seed=seed, invocations=15) for seed, name in enumerate(("base", "other")))
        for row in other.rows:
            if row[3].startswith("batch=2;") and row[8] == "push_latency" and row[6] >= 7:
                row[9] = repr(1.3 * float(row[9]))
        other.write()
        said = self.expect(0, "compare", other.folder, base.folder, says="drift: ").stdout
        self.assertRegex(said, r"drift: .*: chase_lev, push_latency, batch=2: 1\.\d+ times from pair 8 on\n")
        self.assertNotIn("drift", self.expect(0, "compare", base.folder, base.folder).stdout)

    def test_runs_one_after_the_other_pass_no_gate(self):
        base, slow = self.make("base"), self.make("slow", 1.1, seed=2)
        for run, start, end in ((base, "2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z"),
                                (slow, "2026-01-01T00:10:00Z", "2026-01-01T00:20:00Z")):
            path = run.folder / "manifest.json"
            path.write_text(json.dumps({**json.loads(path.read_text()), "start": start, "end": end}))
        self.expect(0, "compare", slow.folder, base.folder, says="not in turns")
        self.expect(3, "compare", slow.folder, base.folder, "--gate", says="not in turns")
        self.expect(1, "compare", slow.folder, base.folder, "--gate", "--anyway", says="4 slower")

    def test_the_same_number_is_counted_once(self):
        """A run's time, the time of a call and the calls a second are one slowdown."""
        runs = []
        for name, each, seed in (("base", 1.0, 1), ("slow", 1.2, 2)):
            run = SyntheticRun(self.folder / name, invocations=9, noise=0.005, seed=seed)
            run.cell(["fib"], "fib", "chase_lev", {"n": 30, "threads": 2},
                     {"run_time": (0.01 * each, "s"), "time_per_call": (4.0 * each, "ns"),
                      "calls_per_second": (2.5e8 / each, "calls/s"), "nodes_per_second": (1e8 / each, "nodes/s")})
            run.write()
            runs.append(run.folder)
        said = self.expect(1, "compare", runs[1], runs[0], "--gate", says="1 slower, 0 faster").stdout
        self.assertIn("run_time", said)
        self.assertNotIn("per_", said)
        self.expect(1, "compare", runs[1], runs[0], "--gate", "--metric=calls_per_second", says="1 slower, 0 faster")

    def test_a_crash_is_no_speed(self):
        base = self.make("base")
        broken = SyntheticRun(self.folder / "broken", invocations=9)
        for i in range(4):
            broken.cell(["fig6"], "push", "chase_lev", {"batch": 2 ** i}, {"push_latency": (8.0 * (i + 1), "ns")},
                        status="crashed" if i == 0 else "ok")
        broken.write()
        self.expect(1, "compare", broken.folder, base.folder, "--gate", says="crashed or hung")

    def test_all_crashed_fails_the_gate(self):
        base = self.make("base", cells=1)
        broken = SyntheticRun(self.folder / "broken")
        broken.cell(["fig6"], "push", "chase_lev", {"batch": 1}, {"push_latency": (8.0, "ns")}, status="crashed")
        broken.write()
        self.expect(1, "compare", broken.folder, base.folder, "--gate", says="crashed or hung")
        self.expect(3, "compare", broken.folder, base.folder, says="nothing could be compared")

    def test_an_unproven_deque_passes_no_gate_and_fails_none(self):
        base, half = self.make("base"), self.make("half", seed=2)
        cell = half.cells[0]["cell"]
        half.rows = [row for row in half.rows if row[0] != cell] + [
            [*half.rows[0][:5], "process", 0, 0, metric, "", "", "unproven", ""] for metric in ("push", "invocation_time")]
        half.write()
        self.expect(0, "compare", half.folder, base.folder, says="1 cells were not timed in A")
        self.expect(3, "compare", half.folder, base.folder, "--gate", says="not all could be judged")

    def test_runs_of_different_conditions_are_compared_on_request_only(self):
        for part, member, what in [("machine", "cpu", "processor"), ("machine", "kernel", "kernel"),
                                   ("build", "compiler", "compiler"), ("build", "version", "compiler's version"),
                                   ("build", "flags", "flags"), ("build", "cppflags", "preprocessor's flags")]:
            base, other = self.make("base"), self.make("other", seed=2)
            was = getattr(base, part)[member]
            getattr(other, part)[member] = "quite another"
            other.write()
            says = f"another {what}: 'quite another' and {was!r}"
            self.expect(2, "compare", other.folder, base.folder, says=says)
            self.expect(0, "compare", other.folder, base.folder, "--anyway", says=says)
        other.build = None
        other.write()
        self.expect(2, "compare", other.folder, base.folder, says="another compiler: 'unknown' and 'gcc'")

    def test_usage(self):
        run = self.make("run")
        self.expect(2, "compare", run.folder, says="--deque A --against B")
        self.expect(2, "compare", run.folder, "--deque=nothing", "--against=chase_lev", says="it has chase_lev")
        self.expect(2, "compare", run.folder, run.folder, "--threshold=-1", says="threshold")
        self.expect(2, "compare", run.folder, run.folder, "--confidence=100", says="confidence")
        self.expect(2, "compare", run.folder, run.folder, run.folder, says="one run or two")
        self.expect(3, "compare", run.folder, run.folder, "--metric=none", says="nothing could be compared")
        self.expect(2, "compare", run.folder, self.folder / "gone", says="is no folder")


class GoogleBenchmarkFiles(FolderTest):
    def file(self, name, slower=1.0, **context):
        def repetition(index, benchmark, time):
            wobble = 1 + 0.001 * ((7 * index) % 5)
            return dict(name=f"{benchmark}/repeats:9", run_name=benchmark, run_type="iteration", repetition_index=index,
                        real_time=time * wobble, cpu_time=time, time_unit="us")
        rows = [repetition(i, *one) for one in (("BM_push", 2.0 * slower), ("BM_pop", 3.0)) for i in range(9)]
        rows.append(dict(name="BM_push_mean", run_name="BM_push", run_type="aggregate", aggregate_name="mean",
                         real_time=9.0, time_unit="us"))
        path = self.folder / name
        path.write_text(json.dumps(dict(context=dict(date=name, num_cpus=2, host_name="here", **context), benchmarks=rows)))
        return path

    def test_one_benchmark_is_slower(self):
        said = self.expect(0, "compare", self.file("b.json", 1.1), self.file("a.json"), says="1 slower, 0 faster, 1 not told apart")
        self.assertIn("2204", said.stdout.split("BM_push")[1].split("\n")[0])  # µs are ns
        self.expect(1, "compare", self.file("b.json", 1.1), self.file("a.json"), "--gate", "--anyway")
        self.expect(3, "compare", self.file("b.json", 1.1), self.file("a.json"), "--gate", says="not in turns")

    def test_what_cannot_be_compared(self):
        self.expect(2, "compare", self.file("a.json"), self.file("b.json", library_build_type="debug"), says="another flags")
        (self.folder / "c.json").write_text('{"benchmarks": 1}')
        self.expect(3, "compare", self.folder / "c.json", self.file("a.json"), says="no JSON of Google Benchmark")
        self.expect(2, "compare", self.folder, self.file("a.json"), says="no cell in common")


class Restated(FolderTest):
    def test_the_same_number_is_one_verdict(self):
        run = SyntheticRun(self.folder / "run", invocations=6)
        run.section("a", "a")
        run.cell(["a"], "fib", "chase_lev", {}, {"run_time": (1.0, "s"), "time_per_call": (2.0, "ns"),
                                                 "calls_per_second": (5e8, "calls/s")})
        run.cell(["a"], "contention", "chase_lev", {}, {
            "owner_operations": (1e6, "operations/s"), "push_time": (1.0, "ns"), "pop_time": (1.0, "ns"),
            "thief_operations": (1e4, "operations/s"), "items_stolen_rate": (1e4, "items/s"),
            "steal_attempts": (1e5, "attempts/s"), "steal_time": (50.0, "ns")})
        run.write()
        self.assertEqual([one.metric for one in select(summarize(Run(run.folder)), None, None)],
                         ["run_time", "owner_operations", "thief_operations", "steal_time"])

if __name__ == "__main__":
    run_tests()
