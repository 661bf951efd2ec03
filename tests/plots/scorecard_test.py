#!/usr/bin/python3
"""The papers' claims against made-up runs: formulas, each verdict, what a formula may not be; and the claims themselves."""

import csv
import itertools
import os
import re
import unittest
from pathlib import Path

from tests.plots.support import ROOT, FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun, whole_run

from plots.data.metrics import known_as
from plots.data.claims import COLUMNS, PAPERS, read_claims
from plots.data.defaults import defaults_of
from plots.data.run_folder import Problem, Run
from plots.data.summaries import summarize
from plots.pages.report import report_html
from plots.pages.scorecard import FAILS, HOLDS, OPEN, UNASKED, VERDICTS, score, scorecard_text

PUSH = "{0}: push {1} owner.push_latency batch=1"
ROW = {"claim": "a", "paper": "bulk", "place": "figure 6", "line": "1", "quote": "fast", "stated": "fast", "remark": "",
       "cells": PUSH.format("x", "chase_lev"), "formula": "x < 9"}


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
                run.cell(["fig6"], "push", deque, {"batch": batch, "push": "batch"}, {"push_latency": (time, "ns")})
        return run

    def scored(self, run, *rows):
        read = Run(run.write())
        return score(read, summarize(read), self.claims(*rows))

    def verdict(self, run, cells, formula):
        return self.scored(run, {"cells": cells, "formula": formula})[0].verdict

    def test_orders_ratios_and_shapes(self):
        run = self.pushes({"chase_lev": [10, 10, 10], "abp": [5, 10, 20]})
        both = "c: push chase_lev owner.push_latency batch=1,2,3; a: push abp owner.push_latency batch=1,2,3"
        c, a = both.split("; ")
        for cells, formula, expected in [
                (c, "max(c) / min(c) ~ 1 within 10 %", HOLDS), (a, "max(a) / min(a) ~ 1 within 10 %", FAILS),
                (a, "last(a) / first(a) ~ 4 within 5 %", HOLDS), (a, "4.5 < last(a) / first(a)", FAILS),
                (both, "a < c", FAILS), (both, "first(a) < first(c)", HOLDS), (both, "first(c) < first(a)", FAILS),
                (both, "first(a) < first(c) and last(c) < last(a)", HOLDS),
                (both, "first(a) < first(c) and last(a) < last(c)", FAILS),
                (both, "first(a) + first(c) ~ 15 within 2 %", HOLDS), (both, "first(a) * 2 ~ c within 2 %", HOLDS),
                (both, "(min(a) + max(a)) / max(c) ~ 2.5 within 2 %", HOLDS), (a, "a < 4", FAILS), (a, "a < 21", HOLDS)]:
            with self.subTest(formula):
                self.assertEqual(self.verdict(run, cells, formula), expected)

    def test_the_value_that_decided_is_shown_with_its_interval(self):
        run = self.pushes({"chase_lev": [10, 30, 20]})
        cells = "c: push chase_lev owner.push_latency batch=1,2,3"
        over, within, above = self.scored(run, *({"claim": name, "cells": cells, "formula": formula} for name, formula in
                                                 [("over", "c < 15"), ("within", "max(c) / min(c) ~ 3 within 9 %"),
                                                  ("above", "9 < c")]))
        self.assertAlmostEqual(over.value, 30, delta=1)
        self.assertLess(over.low, over.value)
        self.assertGreater(over.high, over.value)
        self.assertEqual((over.unit, over.invocations), ("ns", 7))
        self.assertRegex(over.why, r"^c at batch=2 is [23]\d\.\d ns \[.*\], and is to be below 15\.$")
        self.assertEqual(within.unit, "")
        self.assertIn("within 9 % of 3", within.why)
        self.assertAlmostEqual(above.value, 10, delta=1)
        self.assertIn("above 9", above.why)
        self.assertLess(above.low, above.high)

    def test_below_six_invocations_nothing_is_settled(self):
        for invocations, expected in ((2, OPEN), (5, OPEN), (6, HOLDS)):
            run = self.pushes({"chase_lev": [1]}, name=f"run{invocations}", invocations=invocations)
            [one] = self.scored(run, {"formula": "x < 9"})
            self.assertEqual((one.verdict, one.invocations), (expected, invocations))
        run = self.pushes({"chase_lev": [30]}, name="slow", invocations=5)
        self.assertEqual(self.scored(run, {})[0].verdict, OPEN)

    def test_among_many_questions_a_verdict_needs_more_than_alone(self):
        run = self.pushes({"chase_lev": [1, *[9] * 20]}, noise=0.1, invocations=6)
        others = [{"claim": f"c{i}", "cells": f"x: push chase_lev owner.push_latency batch={i}"} for i in range(2, 22)]
        self.assertEqual(self.scored(run, {})[0].verdict, HOLDS)
        self.assertEqual(self.scored(run, {}, *others)[0].verdict, OPEN)

    def test_what_reaches_both_sides_is_not_settled(self):
        run = self.pushes({"chase_lev": [9]}, noise=0.3, invocations=8)
        [one] = self.scored(run, {})
        self.assertEqual(one.verdict, OPEN)
        self.assertIn("not settled with 8 invocations.", one.why)

    def test_what_cannot_be_asked_says_why(self):
        run = self.pushes({"chase_lev": [1]})
        run.cell(["fig6"], "push", "locked", {"batch": 1}, {}, status="crashed")
        run.cell(["fig6"], "push", "abp", {"batch": 1}, {"push_latency": (1, "ns")}, flags="oversubscribed")
        for deque, says in (("lf_bulk", "no cell push lf_bulk batch=1 in this run."), ("locked", "(crashed)"),
                            ("abp", "more threads than processors")):
            [one] = self.scored(run, {"cells": PUSH.format("x", deque)})
            self.assertEqual((one.verdict, one.value, one.invocations), (UNASKED, None, 0))
            self.assertIn(says, one.why)
        [one] = self.scored(run, {"cells": PUSH.format("x", "chase_lev").replace("latency", "odd")})
        self.assertIn("has no push_odd", one.why)

    def test_settings_not_named_are_at_their_defaults(self):
        run = self.made()
        for method, time in (("corrected", 5), ("published", 500)):
            run.cell(["pop"], "pop", "abp", {"method": method, "take": "one"}, {"pop_latency": (time, "ns")})
        default, named = self.scored(run, *({"claim": name, "cells": f"x: pop abp owner.pop_latency{more}"} for name, more in
                                            (("default", ""), ("named", " method=published"))))
        self.assertAlmostEqual(default.value, 5, delta=0.5)
        self.assertAlmostEqual(named.value, 500, delta=50)

    def test_several_cells_are_not_guessed_between(self):
        run = self.made()
        for odd in (1, 2):
            run.cell(["fig6"], "push", "chase_lev", {"batch": 1, "odd": odd}, {"push_latency": (odd, "ns")})
        self.assertIn("several cells", self.scored(run, {})[0].why)

    def test_a_count_of_nothing_is_less_than_one(self):
        run = self.pushes({"chase_lev": [0]})
        self.assertEqual(self.verdict(run, PUSH.format("x", "chase_lev"), "x < 1"), HOLDS)


class Formulas(ClaimsTest):
    def refused(self, says, **row):
        path = self.claims_file({}, ROW | {"claim": "b"} | row)
        with self.assertRaises(Problem) as caught:
            read_claims(path)
        self.assertIn(f"{path}:5: ", str(caught.exception))
        self.assertIn(says, str(caught.exception))

    def test_wrong_formulas_are_refused_with_their_line(self):
        for formula, says in [("y < 9", "no such name: y"), ("x", "neither A < B"), ("x > 9", "neither A < B"),
                              ("x < 9 < 10", "neither A < B"), ("x ~ 9", "neither A < B"), ("x - 1 < 9", "only + * /"),
                              ("x < 0", "no number above 0"), ("mean(x) < 9", "no such function: mean"),
                              ("min(x, x) < 9", "takes one list"), ("x[0] < 9", "not part of a formula"),
                              ("x < 'a'", "no number"), ("x < (9", "cannot be read"), ("9 < 10", "does not use x"),
                              ("x < 9 or x < 8", "neither A < B"), ("x ~ 9 within x %", "neither A < B"),
                              ("", "no formula")]:
            with self.subTest(formula):
                self.refused(says, formula=formula)

    def test_wrong_cells_are_refused_with_their_line(self):
        one = ROW["cells"]
        for cells, says in [("x push chase_lev owner.push_latency", "not NAME:"),
                            ("x: push chase_lev push_latency", "not NAME:"), (one + " batch", "not NAME:"),
                            (one + " batch=2", "a setting twice"), (f"{one}; {one}", "defined twice"),
                            (one.replace("x:", "min:"), "is a function"),
                            (f"{one}; {PUSH.format('y', 'abp')}", "does not use y")]:
            with self.subTest(cells):
                self.refused(says, cells=cells)
        self.refused("different lengths", cells=f"{one},2; {PUSH.format('y', 'abp')},2,3", formula="x < y")

    def test_wrong_rows_are_refused_with_their_line(self):
        self.refused("no such paper", paper="another")
        self.refused("there twice", claim="a")
        self.refused("is no number", line="first")
        self.refused("no quote", quote=" ")

    def test_wrong_columns(self):
        path = self.claims_file({})
        path.write_text(path.read_text(encoding="utf-8").replace("claim,paper", "paper,claim"), encoding="utf-8")
        with self.assertRaisesRegex(Problem, ":3: the columns are"):
            read_claims(path)


class Pages(ClaimsTest):
    def test_draw_writes_it_and_the_report_shows_it(self):
        folder = whole_run(self.folder / "whole")
        done = self.expect(0, "pages.scorecard", folder, says="Bulk Operations")
        self.assertRegex(done.stdout, r"holds +push-constant ")
        rows = list(csv.DictReader((folder / "scorecard.csv").read_text(encoding="utf-8").splitlines()))
        claims = read_claims()
        self.assertEqual([(row["paper"], row["claim"]) for row in rows], [(claim.paper, claim.name) for claim in claims])
        verdicts = {row["claim"]: row["verdict"] for row in rows if row["paper"] == "bulk"}
        self.assertEqual({name: verdicts[name] for name in ("push-constant", "push-taskflow-5000", "steal-crossover",
                                                            "dag-halves-to-128", "steal-optimized-falls")},
                         {"push-constant": HOLDS, "push-taskflow-5000": FAILS, "steal-crossover": FAILS,
                          "dag-halves-to-128": UNASKED, "steal-optimized-falls": FAILS})
        read = Run(folder)
        summaries = summarize(read)
        text = report_html(read, summaries, [])
        for paper in {claim.paper for claim in claims}:
            self.assertIn(PAPERS[paper], text)
        self.assertRegex(text, r"<td[^>]*>[^<]*holds\s*<")
        self.assertIn("remaining below 500 ns even for 1024 nodes", text)
        printed = scorecard_text(score(read, summaries))
        self.assertIn(printed.splitlines()[0].split(": ")[1], text)
        self.assertEqual({row["verdict"] for row in rows} - set(VERDICTS), set())


def in_digits(value):
    match = re.fullmatch(r"(\d+)([kM])", value)
    return match[1] + {"k": "000", "M": "000000"}[match[2]] if match else value


def suite_lines():
    """[(workload, {name: [values]})] of all suites."""
    for suite in sorted((ROOT / "suites").glob("*.suite")):
        for line in suite.read_text(encoding="utf-8").splitlines():
            words = line.split("#")[0].split()
            if len(words) > 1 and words[1].startswith("deque="):
                yield words[0], {name: [in_digits(value) for value in values.split(",")]
                                 for name, values in (word.split("=", 1) for word in words[1:])}


class TheClaims(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.claims = read_claims()
        cls.queries = [(claim, query) for claim in cls.claims for query in itertools.chain(*claim.queries.values())]

    def test_there_are_claims_of_every_paper(self):
        self.assertGreaterEqual(len(self.claims), 40)
        self.assertEqual({claim.paper for claim in self.claims}, set(PAPERS))

    def test_they_name_what_there_is(self):
        headers = {str(path.relative_to(ROOT / "queues").with_suffix("")) for path in (ROOT / "queues").rglob("*.h")}
        for claim, query in self.queries:
            with self.subTest(claim.name, query=query.text):
                self.assertIn(query.deque, headers)
                self.assertTrue(any(query.role in line.role for line in known_as(query.metric)), query.metric)
                self.assertLessEqual(dict(query.settings).keys(), defaults_of(query.workload).keys())

    def test_the_thesis_s_mutex_is_the_one_that_does_not_grow(self):
        deques = [query.deque for claim, query in self.queries if claim.paper == "bwos_thesis"]
        self.assertNotIn("locked", deques)
        self.assertGreater(deques.count("locked_fixed"), 20)

    def test_a_suite_asks_for_every_cell(self):
        lines = list(suite_lines())
        for claim, query in self.queries:
            with self.subTest(claim.name, query=query.text):
                self.assertTrue(any(self.asks(workload, values, query) for workload, values in lines), query.text)

    def test_nothing_that_a_suite_varies_is_left_open(self):
        varied = {}
        for workload, values in suite_lines():
            varied.setdefault(workload, set()).update(set(values) - {"deque"})
        for claim, query in self.queries:
            known = {*dict(query.settings), *defaults_of(query.workload)}
            self.assertEqual(varied[query.workload] - known, set(), f"{claim.name}: {query.text}")

    @staticmethod
    def asks(workload, values, query):
        if workload != query.workload or not {query.deque, "all", "sound"} & set(values["deque"]):
            return False
        settings, defaults = dict(query.settings), defaults_of(workload)
        named = all(value in values.get(name, [defaults.get(name)]) for name, value in settings.items())
        return named and all(name in settings or name == "deque" or defaults.get(name) in some
                             for name, some in values.items())

    @unittest.skipUnless(os.environ.get("STEALBENCH_PAPERS"), "STEALBENCH_PAPERS names no folder with the papers' texts")
    def test_quotes_stand_where_they_are_said_to(self):
        folder = Path(os.environ["STEALBENCH_PAPERS"])
        texts = [path.read_text(encoding="utf-8").split("\n") for path in folder.glob("*.txt")]
        for claim in self.claims:
            self.assertTrue(any(len(text) >= claim.line and claim.quote in text[claim.line - 1] for text in texts), claim.name)


if __name__ == "__main__":
    run_tests()
