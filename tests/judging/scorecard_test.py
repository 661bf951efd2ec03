#!/usr/bin/python3
"""The papers' claims against made-up runs: formulas, each verdict, refused formulas; and the claims themselves."""

import csv
import unittest

from tests.plots.support import ROOT, FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun, whole_run

from harness.judging.metrics import known_as
from harness.judging.claims import COLUMNS, PAPERS, read_claims
from harness.judging.defaults import defaults_of
from harness.judging.run_folder import Problem, Run
from harness.judging.summaries import summarize
from harness.judging.words import NANOSECONDS
from plots.data.matrix import build_matrix
from plots.pages.report import report_html
from harness.judging.scorecard import FAILS, HOLDS, OPEN, UNASKED, VERDICTS, counts_text, score, write_scorecard

# A count, which may be compared with a number; a time may not.
PUSH = "{0}: push {1} owner.pushes batch=1"
ROW = {"claim": "a", "paper": "bulk", "place": "figure 6", "line": "1", "quote": "fast", "stated": "fast", "remark": "",
       "cells": PUSH.format("x", "chase_lev"), "formula": "x < 9", "there": "", "conditions": ""}


class ClaimsTest(FolderTest):
    def claims_file(self, *rows):
        path = self.folder / "claims.csv"
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write("# one line\n# and one more\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows([(ROW | row)[name] for name in COLUMNS] for row in rows)
        return path

    def claims(self, *rows):
        return read_claims(self.claims_file(*rows))


class Verdicts(ClaimsTest):
    def made(self, name="run", noise=0.005, **settings):
        return SyntheticRun(self.folder / name, noise=noise, **settings)

    def pushes(self, values, **settings):
        """A run in which each deque pushes batches of 1, 2, ... in those times."""
        run = self.made(**settings)
        for deque, times in values.items():
            for batch, time in enumerate(times, 1):
                run.cell(["fig6"], "push", deque, {"batch": batch, "push": "batch"}, {"pushes": (time, "items")})
        return run

    def scored(self, run, *rows):
        return score(*run.read(), self.claims(*rows))

    def verdict(self, run, cells, formula):
        return self.scored(run, {"cells": cells, "formula": formula})[0].verdict

    def test_orders_ratios_and_shapes(self):
        run = self.pushes({"chase_lev": [10, 10, 10], "abp": [5, 10, 20]})
        both = "c: push chase_lev owner.pushes batch=1,2,3; a: push abp owner.pushes batch=1,2,3"
        c, a = both.split("; ")
        for cells, formula, expected in [
                (c, "c ~ median(c) within 10 %", HOLDS), (a, "a ~ median(a) within 10 %", FAILS),
                (a, "last(a) / first(a) ~ 4 within 5 %", HOLDS), (a, "4.5 < last(a) / first(a)", FAILS),
                (a, "1 < steps(a)", HOLDS), (c, "first(spread(c)) < 0.2", HOLDS), (c, "1 < spread(c)", FAILS),
                (a, "steps(a) < 1", FAILS), (c, "1 < steps(c)", FAILS), (a, "steps(a) ~ 2 within 5 %", HOLDS),
                (both, "a < c", FAILS), (both, "first(a) < first(c)", HOLDS), (both, "first(c) < first(a)", FAILS),
                (both, "first(a) < first(c) and last(c) < last(a)", HOLDS),
                (both, "first(a) < first(c) and last(a) < last(c)", FAILS),
                (both, "first(a) + first(c) ~ 15 within 2 %", HOLDS), (both, "first(a) * 2 ~ c within 2 %", HOLDS),
                (both, "(first(a) + last(a)) / median(c) ~ 2.5 within 2 %", HOLDS), (a, "a < 4", FAILS), (a, "a < 21", HOLDS)]:
            with self.subTest(formula):
                self.assertEqual(self.verdict(run, cells, formula), expected)

    def test_the_value_that_decided_is_shown_with_its_interval(self):
        run = self.pushes({"chase_lev": [10, 30, 20]})
        cells = "c: push chase_lev owner.pushes batch=1,2,3"
        scores = self.scored(run, *({"claim": name, "cells": cells, "formula": formula} for name, formula in
                                    [("over", "c < 15"), ("within", "median(c) / first(c) ~ 2 within 9 %"), ("above", "9 < c"),
                                     ("step", "1 < steps(c)"), ("hardly", "first(c) < first(c)")]))
        over, within, above, step, hardly = (score.answers[0] for score in scores)
        value, low, high = over.numbers
        self.assertAlmostEqual(value, 30, delta=1)
        self.assertTrue(low < value < high)
        self.assertEqual((over.unit, over.invocations), ("items", 7))
        self.assertRegex(over.why, r"^c at batch=2 is [23]\d\.\d items \[.*\], and should be below 15\.$")
        self.assertEqual(within.unit, "")
        self.assertIn("within 9 % of 2", within.why)
        self.assertAlmostEqual(above.numbers[0], 10, delta=1)
        self.assertIn("above 9", above.why)
        self.assertLess(*above.numbers[1:])
        self.assertIn("steps(c) at batch=2 to batch=3 is 0.6", step.why)
        self.assertEqual(hardly.verdict, FAILS)

    def test_the_paper_s_numbers_stand_beside_ours(self):
        run = self.pushes({"chase_lev": [10, 30]}, noise=0)
        [one] = self.scored(run, {"cells": "c: push chase_lev owner.pushes batch=1,2", "formula": "1 < steps(c)",
                                  "there": "c = 100; last(c) / first(c) = 6"})
        self.assertEqual(one.there, "c: 100 items there, 10.0 items to 30.0 items here (0.100 to 0.300 times); "
                                    "last(c) / first(c): 6.00 there, 3.00 here (0.500 times)")

    def test_what_reaches_both_sides_is_not_settled(self):
        run = self.pushes({"chase_lev": [9]}, noise=0.3, invocations=8)
        [one] = self.scored(run, {})
        self.assertEqual(one.verdict, OPEN)
        self.assertIn("not settled with 8 invocations.", one.why)

    def test_what_cannot_be_asked_says_why(self):
        run = self.pushes({"chase_lev": [1]})
        run.cell(["fig6"], "push", "locked", {"batch": 1}, {}, status="crashed")
        run.cell(["fig6"], "push", "abp", {"batch": 1}, {"pushes": (1, "items")}, flags="oversubscribed")
        for deque, says in (("lf_bulk", "no cell push lf_bulk batch=1 in this run."), ("locked", "(crashed)"),
                            ("abp", "more threads than processors")):
            [one] = self.scored(run, {"cells": PUSH.format("x", deque)})
            self.assertEqual((one.verdict, one.answers), (UNASKED, []))
            self.assertIn(says, one.why)
        [one] = self.scored(run, {"cells": PUSH.format("x", "chase_lev").replace("pushes", "odd")})
        self.assertIn("has no odd", one.why)

    def test_settings_not_named_are_at_their_defaults(self):
        run = self.made()
        for method, time in (("corrected", 5), ("published", 500)):
            run.cell(["pop"], "pop", "abp", {"method": method, "take": "one"}, {"pops": (time, "items")})
        default, named = self.scored(run, *({"claim": name, "cells": f"x: pop abp owner.pops{more}"} for name, more in
                                            (("default", ""), ("named", " method=published"))))
        self.assertAlmostEqual(default.answers[0].numbers[0], 5, delta=0.5)
        self.assertAlmostEqual(named.answers[0].numbers[0], 500, delta=50)

    def test_several_cells_are_not_guessed_between(self):
        run = self.made()
        for odd in (1, 2):
            run.cell(["fig6"], "push", "chase_lev", {"batch": 1, "odd": odd}, {"pushes": (odd, "items")})
        self.assertIn("several cells", self.scored(run, {})[0].why)

    def test_a_count_of_nothing_is_less_than_one(self):
        run = self.pushes({"chase_lev": [0]})
        self.assertEqual(self.verdict(run, PUSH.format("x", "chase_lev"), "x < 1"), HOLDS)


class Conditions(ClaimsTest):
    """A claim on stealing that the owner's work reverses, on a run that has some of the conditions."""

    def steals(self, cells, claim, **settings):
        """The Score of a claim on cells: (settings, steals of abp, of chase_lev)."""
        run = SyntheticRun(self.folder / "run", noise=0.005, **settings)
        for params, *values in cells:
            for deque, value in zip(("abp", "chase_lev"), values):
                run.cell(["fig7"], "steal", deque, params, {("thief", "count"): (value, "items")},
                         flags="oversubscribed" if params.get("threads") == 8 else "")
        both = {"cells": "a: steal abp thief.count; c: steal chase_lev thief.count", "formula": "a < c"}
        return score(*run.read(), self.claims(both | claim))[0]

    def test_the_verdict_is_the_first_s_and_a_sentence_tells_where_it_turns_round(self):
        idle = {"owner": "idle"}
        one = self.steals([(idle, 1, 2), ({"owner": "busy"}, 3, 2), ({**idle, "order": "shuffled"}, 1, 3)],
                          {"conditions": "owner=idle; order=shuffled; owner=busy; node=72"})
        self.assertEqual((one.verdict, one.turns), (HOLDS, True))
        self.assertRegex(one.conditions, r"^Holds: owner idle, side by side; also: shuffled; does not hold: owner busy "
                                         r"\(a : c is 1\.\d\d \[.*\]\)\.$")
        self.assertIn("; 1 of them turns round under another condition", counts_text([one]))

    def test_where_the_first_is_missing_the_next_counts_and_it_is_said(self):
        one = self.steals([({}, 1, 2)], {"conditions": "method=published; method=corrected; owner=busy"})
        self.assertEqual((one.verdict, one.turns), (HOLDS, False))
        self.assertEqual(one.conditions, "Asked: corrected method; cannot be asked here: published method (Pause/Resume).")
        one = self.steals([({"owner": "busy"}, 1, 2)], {"conditions": "method=published; method=corrected"})
        self.assertEqual((one.verdict, one.conditions), (UNASKED, ""))

    def test_a_range_is_the_largest_number_of_it_that_the_run_has(self):
        conditions = {"conditions": "size=2..16; size=2"}
        small = ({"size": 2}, 1, 2)
        one = self.steals([small, ({"size": 16}, 1, 2), ({"size": 32}, 9, 2)], conditions)
        self.assertRegex(one.conditions, "^Holds: size=16; also: size=2.$")
        one = self.steals([small, ({"size": 8}, 1), ({"size": 32}, 9, 2)], conditions)  # of 8 there is only one deque
        self.assertEqual((one.conditions, len(one.answers)), ("Asked: size=2 (16 there).", 1))
        self.assertIn("no size from 2 to 16", self.steals([({"size": 32}, 9, 2)], conditions).why)

    def test_a_claim_is_asked_of_all_its_points_or_not_at_all(self):
        claim = {"cells": "a: steal abp thief.count percent=10,20,30", "formula": "1 < steps(a)"}
        cells = [({"percent": percent}, percent) for percent in (10, 30)]
        one = self.steals(cells, claim)
        self.assertEqual((one.verdict, one.why), (UNASKED, "no cell steal abp percent=20 in this run."))
        self.assertIn("steps(a) at percent=20 to percent=30 is 1.5", self.steals([*cells, ({"percent": 20}, 20)], claim).why)


class Formulas(ClaimsTest):
    def refused(self, says, **row):
        path = self.claims_file({}, ROW | {"claim": "b"} | row)
        with self.assertRaises(Problem) as caught:
            read_claims(path)
        self.assertIn(f"{path}:5: ", str(caught.exception))
        self.assertIn(says, str(caught.exception))

    def test_what_is_wrong_is_refused_with_its_line(self):
        one = ROW["cells"]
        for column, text, says in [
                ("formula", "y < 9", "no such name: y"), ("formula", "x ~ 9", "neither A < B"), ("formula", "x < 9 < 10", "neither A < B"),
                ("formula", "x - 1 < 9", "not part of a formula"), ("formula", "x < 0", "no number above 0"),
                ("formula", "mean(x) < 9", "each of one list"), ("formula", "median(x, x) < 9", "each of one list"),
                ("formula", "x[0] < 9", "not part of a formula"), ("formula", "x < (9", "cannot be read"),
                ("cells", "x: push chase_lev push_latency", "not NAME:"), ("cells", one + "|2", "not NAME:"),
                ("cells", f"{one},2; {PUSH.format('y', 'abp')},2,3", "mismatch"),
                ("conditions", "batch=2", "no definition leaves batch"), ("conditions", "push", "not SETTING"),
                ("there", "x", "not SIDE = NUMBER"), ("there", "x = y", "could not convert"), ("paper", "another", "no such paper"),
                ("line", "first", "invalid literal")]:
            with self.subTest(text):
                self.refused(says, **({"formula": "x < y"} if "y" in text and column == "cells" and ";" in text else {}), **{column: text})


class Pages(ClaimsTest):
    def test_it_is_written_and_the_report_shows_it(self):
        folder = whole_run(self.folder / "whole")
        read = Run(folder)
        summaries = summarize(read)
        scores = score(read, summaries)
        write_scorecard(read, scores)
        rows = list(csv.DictReader((folder / "scorecard.csv").read_text(encoding="utf-8").splitlines()))
        claims = read_claims()
        self.assertEqual([(row["paper"], row["claim"]) for row in rows], [(claim.paper, claim.name) for claim in claims])
        verdicts = {row["claim"]: row["verdict"] for row in rows if row["paper"] == "bulk"}
        self.assertEqual({name: verdicts[name] for name in ("push-constant", "push-small-alike", "steal-crossover", "dag-halves",
                                                            "steal-optimized-falls")},
                         {"push-constant": HOLDS, "push-small-alike": FAILS, "steal-crossover": FAILS, "dag-halves": UNASKED,
                          "steal-optimized-falls": HOLDS})
        text = report_html(read, summaries, [], [], scores, build_matrix(read, summaries), [])
        for paper in {claim.paper for claim in claims}:
            self.assertIn(PAPERS[paper], text)
        self.assertRegex(text, r"<td[^>]*>[^<]*holds\s*<")
        self.assertIn("remaining below 500 ns even for 1024 nodes", text)
        self.assertIn(counts_text(scores), text)
        self.assertEqual({row["verdict"] for row in rows} - set(VERDICTS), set())


class TheClaims(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.claims = read_claims()
        cls.queries = [(claim, query) for claim in cls.claims for condition in claim.conditions
                       for one in claim.definitions.values() for query in one.queries(condition)]

    def test_they_name_what_there_is(self):
        headers = {str(path.relative_to(ROOT / "queues").with_suffix("")) for path in (ROOT / "queues").rglob("*.h")}
        for claim, query in self.queries:
            with self.subTest(claim.name, query=query.text):
                self.assertIn(query.deque, headers)
                self.assertTrue(any(query.role in line.role for line in known_as(query.metric)), query.metric)
                self.assertLessEqual(dict(query.settings).keys(), defaults_of(query.workload).keys())

    def test_a_name_and_a_sentence_have_one_row(self):
        for key in (lambda claim: (claim.paper, claim.line, claim.quote), lambda claim: (claim.paper, claim.name)):
            self.assertEqual(len(set(map(key, self.claims))), len(self.claims))

    def test_no_time_of_another_machine_decides_and_no_band_reaches_over_1(self):
        for claim, side, other, within in [(claim, *sides, one.within) for claim in self.claims for one in claim.comparisons
                                           for sides in ((one.left, one.right), (one.right, one.left))]:
            if side.constant is not None and other.name:
                one = claim.definitions[other.name]
                [unit, *_] = {line.unit for line in known_as(one.metric) if one.role in line.role}
                self.assertFalse(unit in NANOSECONDS or unit.endswith("/s"), claim.name)
            if within and side.constant not in (None, 1):
                self.assertLess(1 + within, max(side.constant, 1 / side.constant), claim.name)


if __name__ == "__main__":
    run_tests()
