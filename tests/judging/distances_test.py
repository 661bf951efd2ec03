#!/usr/bin/python3
"""Samples of two distances: a comparison without classes is wrong; only samples of one distance are compared."""

import csv
import unittest
from unittest import mock

from harness.judging import statistics
from harness.judging import pairs
from harness.judging.conditions import circumstances_of, distances_seen
from harness.judging.run_folder import Problem, Run
from plots.data.matrix import Entry, rank
from harness.judging.summaries import APART, distance_of, read_histograms, summarize
from harness.judging.deciding import UNDECIDED, Watched
from harness.judging.bench import Bench, Suite, distances_told, measure_until_decided, measured
from plots.pages.trust import remarks
from harness.judging.statistics.distances import MOVED, at_one_place, classes_of, most_in_common
from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

NEAR, FAR = 28.0, 107.0
SLOWER_FAR = 3.5  # as for a steal on the machine where we found this


class Classes(unittest.TestCase):
    def found(self, *distances):
        return [(one.low, one.high, one.count) for one in classes_of(distances)]

    def test_they_end_where_the_machine_has_gaps(self):
        self.assertEqual(self.found(29, 105, 27, 110, 28), [(27, 29, 3), (105, 110, 2)])
        self.assertEqual(self.found(51, 108, 10, 50, 11, 109), [(10, 11, 2), (50, 51, 2), (108, 109, 2)])
        self.assertEqual(self.found(*range(40, 80)), [(40, 79, 40)])
        self.assertEqual(self.found(None, None), [])

    def test_what_may_be_compared(self):
        self.assertTrue(at_one_place(27, 29) and at_one_place(None, None))
        self.assertFalse(at_one_place(27, 105) or at_one_place(27, None) or at_one_place(MOVED, MOVED))

    def test_the_class_with_most_pairs(self):
        a, b = {0: 27, 1: 27, 2: 105, 3: 105, 4: None}, {0: 28, 1: 105, 2: 110, 3: 107, 4: None, 5: 28}
        most, keys = most_in_common([a, b])
        self.assertEqual((most.middle, keys), (105, {2, 3}))
        self.assertEqual(most_in_common([{0: 27}, {0: 105}])[1], set())
        self.assertEqual(most_in_common([{0: None, 1: 27, 2: None}] * 2), (None, {0, 2}))


class Samples(FolderTest):
    def run_of(self, name="run", classed=True, repetitions=2, **places):
        """A run of steal by deques of the same speed, whose invocations were measured at these places: n, f, or m, moved; b: the second
        repetition near, the others far. classed False: as from before there were distances."""
        run = SyntheticRun(self.folder / name, invocations=max(map(len, places.values())), repetitions=repetitions, noise=0.004)
        run.section("fig7", "steal")
        run.deques = {deque.replace("__", "/"): {"title": deque, "source": "made up", "reference": "0", "sound": "1"} for deque in places}
        for deque, at in places.items():
            cell = run.cell(["fig7"], "steal", deque.replace("__", "/"), {"size": 100, "percent": 50, "owner": "busy"},
                            {"steal_latency": (100.0, "ns")})
            for row in run.rows:
                if row[0] != cell:
                    continue
                where, distance = at[row[6] % len(at)].replace("b", "n" if row[7] == 1 else "f"), ""
                if row[8] == "steal_latency":
                    row[9] = repr(float(row[9]) * {"n": 1, "f": SLOWER_FAR, "m": 2}[where])
                if classed:
                    distance = {"n": NEAR + row[6] / 10, "f": FAR + row[6] / 10, "m": ""}[where]
                    row[12] = MOVED if where == "m" else ""
                row += ["", "", distance]
        run.write()
        return Run(run.folder)

    def compare(self, run, other=None):
        chosen = [pairs.select(summarize(one), {deque}, "steal_latency") for one, deque in ((run, "abp"), (other or run, "chase_lev"))]
        return pairs.compare_all(pairs.pair_up(*chosen, False)[0], 0.02)

    def rows(self, run):
        return {row.deque: row for row in summarize(run) if row.metric == "steal_latency"}

    def test_across_a_move_equal_deques_differ_and_within_a_class_they_do_not(self):
        places = {"abp": "n" * 16 + "n" * 8 + "f" * 7, "chase_lev": "f" * 16 + "n" * 8 + "f" * 7}
        (wrong,), _ = self.compare(self.run_of("before", classed=False, **places))
        self.assertEqual((wrong.verdict, wrong.pairs), (statistics.FASTER, 31))
        (right,), _ = self.compare(self.run_of(**places))
        self.assertEqual((right.verdict, right.pairs, right.left_out), (statistics.ALIKE, 8, 23))
        self.assertAlmostEqual(right.judged.median, 100, delta=2)
        self.assertAlmostEqual(right.reference.median, 100, delta=2)
        self.assertIn("threads near (30 ns), 23 pairs at other distances left out", right.what)

    def test_without_a_pair_at_one_distance_none_is_left_and_that_is_said(self):
        run = self.run_of(abp="n" * 9, chase_lev="f" * 9)
        compared, without = self.compare(run)
        self.assertEqual(compared, [])
        self.assertIn("no pair is left whose threads' processors were equally far apart", without[0][2])
        said = self.expect(3, "judging.compare", run.folder, "--deque", "abp", "--against", "chase_lev", says="no pair is left")
        self.assertNotIn("faster", said.stdout.replace("0 faster", ""))

    def test_a_table_shows_what_was_measured_on_one_machine(self):
        """One deque's samples are mostly near, the other's far: both are shown near, because most of all samples are."""
        rows = self.rows(self.run_of(abp="n" * 12 + "f" * 3, chase_lev="n" * 6 + "f" * 9))
        for deque, here, elsewhere in (("abp", 12, 3), ("chase_lev", 6, 9)):
            row = rows[deque]
            self.assertEqual((row.invocations, row.elsewhere, row.distance_class), (here, elsewhere, "near (28 ns)"))
            self.assertAlmostEqual(row.median, 100, delta=2)
            self.assertLess(row.high, 105)
        verdicts = statistics.verdicts_on([(rows["abp"].by_invocation, rows["chase_lev"].by_invocation)])
        self.assertNotIn(verdicts[0], statistics.DIFFERENT)

    def test_a_cell_that_has_none_of_the_others_distance_is_paired_with_none_of_them(self):
        rows = self.rows(self.run_of(abp="n" * 9, chase_lev="n" * 9, ptr="f" * 9))
        self.assertAlmostEqual(rows["ptr"].median, 350, delta=7)
        self.assertEqual((rows["ptr"].distance_class, rows["ptr"].flags, rows["abp"].flags), ("far (107 ns)", [APART], []))
        self.assertEqual(statistics.verdicts_on([(rows["abp"].by_invocation, rows["ptr"].by_invocation)]), [None])
        case = mock.Mock(entries={deque: Entry(row) for deque, row in rows.items()}, kind=mock.Mock(higher=True))
        rank(mock.Mock(deque_facts=lambda deque: {}), [case])  # of rates, it would be the best
        self.assertEqual((case.entries["ptr"].state, case.entries["abp"].ratio < 2), (Entry(None).state, True))

    def test_summary_csv_has_distance_class_and_what_is_elsewhere(self):
        run = self.run_of(abp="n" * 7 + "f" * 2, chase_lev="n" * 8 + "m")
        self.expect(0, "judging.summaries", run.folder)
        with open(run.folder / "summary.csv", encoding="utf-8", newline="") as file:
            told = {row["deque"]: (row["distance"], row["class"], row["elsewhere"]) for row in csv.DictReader(file)
                    if row["metric"] == "steal_latency"}
        self.assertEqual(told, {"abp": ("28.3", "near (28 ns)", "2"), "chase_lev": ("28.4", "near (28 ns)", "1")})

    def test_a_distribution_is_of_one_distance(self):
        run = self.run_of(abp="nnnf")
        cell = run.planned_cells()[0]["cell"]
        rows = [f"{cell},thief,{i},0,steal_latency,{lower},{lower + 1},5,ns" for i, lower in enumerate((100, 100, 101, 350))]
        (run.folder / "histograms.csv").write_text("\n".join(["cell,role,invocation,repetition,metric,lower,upper,count,unit", *rows, ""]))
        (found,) = read_histograms(run).values()
        self.assertEqual(found, [(100, 101, 10), (101, 102, 5)])
        with open(run.folder / "histograms.csv", "a", encoding="utf-8") as file:
            file.write(rows[0] + "\n")
        self.assertRaisesRegex(Problem, "histograms.csv:6: this bucket is there twice", read_histograms, run)

    def test_of_repetitions_at_two_distances_those_at_the_commoner_one_count(self):
        rows = [{"distance": distance, "flags": "" if distance else MOVED, "value": value}
                for value, distance in enumerate((105.0, 27.0, 104.0, 106.0, None))]
        distance, there = distance_of(rows)
        self.assertEqual((distance, [row["value"] for row in there]), (105, [0, 2, 3]))
        run = self.run_of(abp="b" * 6, repetitions=3)  # the shortest of each process was measured near
        self.assertGreater(self.rows(run)["abp"].minimum, 300)
        (side,) = measured(run.folder).values()
        self.assertGreater(min(side.values["thief", "steal_latency"].values()), 300)

    def test_who_reads_a_run_is_told(self):
        run = self.run_of(abp="n" * 6 + "f", chase_lev="n" * 7)
        summaries = summarize(run)
        seen = "hreads near (28 ns) in 26 samples, far (108 ns) in 2"
        told = circumstances_of(run, summaries)
        self.assertIn(seen, told[0])
        self.assertIn("The host moved processors: in 1 of 2 cells only the invocations at one distance count", told[1])
        self.assertIn(seen, next(remark.text for remark in remarks(run, summaries) if remark.what == "distance"))
        moving = self.run_of("moving", abp="nnm")
        moving.invocations[next(iter(moving.invocations))][1].update(distance=None, flags="emulated+no_distance")
        self.assertEqual(distances_seen(moving), "28 ns in 3 samples, moving in 2, at no known distance in 1")
        self.assertIn(seen, " ".join(self.expect(0, "pages.table", run.folder).stdout.split()))

    def test_what_is_no_distance_is_refused(self):
        for wrong in "0", "-3", "nan":
            run = self.run_of(f"wrong{wrong}", abp="n")
            path = run.folder / "samples.csv"
            path.write_text(path.read_text().replace(",28.0\n", f",{wrong}\n", 1))
            self.expect(3, "judging.summaries", run.folder, says="samples.csv:2: ")

    def bench(self, base, head):
        run = self.run_of("a", base__a=base, head__a=head)
        suite = mock.Mock(cells={"fig7": {"workload": "steal"}})
        cell = Watched("a", "fig7", asked=len(base))
        bench = Bench("no driver", suite, "a", [cell], (self.folder, self.folder), self.folder, run.folder.parent)
        with mock.patch.object(Bench, "measure", lambda self, unsound: self._look("")):
            ticks = iter(range(100))
            measure_until_decided([bench], 3, clock=lambda: next(ticks))
        return cell

    def test_the_job_drops_pairs_across_a_move_and_asks_for_others(self):
        cell = self.bench("nnnnfffnnm", "nnffffnnnn")
        self.assertEqual((len(cell.logs), cell.across, len(cell.distances)), (6, 4, 6))
        self.assertLess(max(map(abs, cell.logs)), 0.03)
        (self.folder / "a.suite").write_text("[fig7] Steal\nsteal size=100\n")
        watched = [Watched("a", "fig7", asked=8, left_out=4)]
        self.assertIn("invocations 12\n", Suite(self.folder / "a.suite").text(watched, ["base/a", "head/a"]))
        self.assertEqual(distances_told([cell]), ["threads near (28 ns) in 4 pairs, far (107 ns) in 2; 4 across a move of the "
                                                  "processors dropped and measured again"])

    def test_a_job_without_a_pair_at_one_distance_says_so(self):
        cell = self.bench("n" * 8, "f" * 8)
        self.assertEqual((cell.verdict, cell.logs, cell.across), (UNDECIDED, [], 8))
        self.assertIn("no pair is left", cell.why)


if __name__ == "__main__":
    run_tests()
