#!/usr/bin/python3
"""paper_size_test.py: the report of a run as large as a whole one of suites/paper.suite (more than 52,000 rows of summary.csv)
is below 5 MB, and says everything. What its first view takes in a browser is said, where there is one. Takes minutes.
"""

import csv
import random
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from plots.data.run_folder import Run  # noqa: E402
from plots.data.sections import build_sections  # noqa: E402
from plots.data.summaries import summarize  # noqa: E402
from plots.figures.drawing import draw_all, read_index  # noqa: E402
from plots.pages.report import write_report  # noqa: E402
from plots.pages.summary import write_summary  # noqa: E402
from tests.page import chromium_test  # noqa: E402
from tests.plots.many_deques_test import deques_of  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402
from tests.plots.synthetic_run import SyntheticRun  # noqa: E402

LEAST_ROWS = 52_000
LARGEST = 5_000_000  # bytes
COUNTS = [f"{name}_{what}" for name in ("instructions", "cycles", "l1_data_misses", "l2_misses") for what in ("per_operation",)]
OF_POOL = ("tasks steals items_stolen attempts_empty attempts_lost attempts_busy sleeps fences idle_time sleep_time "
           "share_on_processor workers_without_task time_to_first_task_max tasks_inlined tasks_overflowed").split()


def paper_sized(folder):
    """Every section of operations over 25 deques, and as many other cells as a whole run has."""
    deques = deques_of(16)
    run, chance = SyntheticRun(folder, invocations=2, repetitions=1, deques=deques), random.Random(3)

    def cell(tag, workload, deque, params, metric, unit="ns", more=()):
        metrics = {metric: (chance.uniform(1, 5000), unit)} | {name: (chance.uniform(1, 1e6), "") for name in more}
        run.cell([tag], workload, deque, params, metrics)

    run.section("fig6", "Latency of push by batch size")
    run.section("fig7", "Latency of stealing a proportion of 10,000 items")
    run.section("pop", "Latency of taking one item")
    run.section("5.2", "Throughput by steal frequency")
    run.section("dag", "Exploration of a graph")
    run.section("uts", "Unbalanced tree search")
    for deque in deques:
        for method in ("corrected", "published"):
            for batch in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024):
                cell("fig6", "push", deque, {"batch": batch, "push": "batch", "prelinked": 0, "method": method}, "push_latency",
                     more=COUNTS)
            for percent in range(10, 101, 10):
                for owner in ("idle", "busy"):
                    cell("fig7", "steal", deque, {"percent": percent, "owner": owner, "size": 10000, "method": method},
                         "steal_latency", more=COUNTS)
            cell("pop", "pop", deque, {"take": "one", "size": 1000, "method": method}, "pop_latency")
        for frequency in (0, 1000, 10000, 100000, 1000000):
            for thieves in (1, 5):
                for item in (4, 8):
                    cell("5.2", "contention", deque, {"thieves": thieves, "frequency": frequency, "item": item},
                         "owner_operations", "operations/s", COUNTS + OF_POOL)
        for tag, workload in (("dag", "dag"), ("uts", "uts")):
            for shape in range(8):
                for threads in (1, 2, 4, 8):
                    cell(tag, workload, deque, {"threads": threads, "shape": f"shape{shape}"}, "run_time", "s", OF_POOL)
    return run.write()


class PaperSize(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="page-test-")
        cls.run_read = Run(paper_sized(Path(cls.temporary.name) / "run"))
        summaries = summarize(cls.run_read)
        sections = build_sections(cls.run_read, summaries)
        cls.summary = write_summary(cls.run_read, summaries)
        draw_all(cls.run_read, sections, summaries)
        cls.report = write_report(cls.run_read, summaries, sections)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_it_is_as_large_as_a_whole_run(self):
        with open(self.summary, encoding="utf-8", newline="") as file:
            self.assertGreater(sum(1 for _ in csv.reader(file)), LEAST_ROWS)
        self.assertGreater(len(read_index(self.run_read.folder / "figures")), 25)

    def test_the_page_is_small(self):
        size = self.report.stat().st_size
        print(f"report.html of {self.summary.stat().st_size / 1e6:.1f} MB of summary.csv: {size / 1e6:.2f} MB")
        self.assertLess(size, LARGEST)

    def test_its_first_view(self):
        """Said, not asserted: it is a time."""
        if chromium_test.webdriver is None or not chromium_test.CHROMIUM or not chromium_test.DRIVER:
            self.skipTest("left out: no browser")
        browser = chromium_test.browser()
        try:
            for _ in range(3):
                browser.get("about:blank")
                browser.get(self.report.as_uri())
                painted = browser.execute_script(
                    "return performance.getEntriesByType('paint').filter(entry => entry.name === 'first-contentful-paint')"
                    ".map(entry => entry.startTime)")
                print("first view:", *(f"{time / 1000:.2f} s" for time in painted))
            self.assertGreater(len(browser.find_elements("css selector", "figure[data-picture]")), 25)
        finally:
            browser.quit()


if __name__ == "__main__":
    run_tests()
