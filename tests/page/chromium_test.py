#!/usr/bin/python3
"""chromium_test.py: the report in a real browser: sorted, filtered, in a narrow window.

Needs Debian's chromium, chromium-driver and python3-selenium; exit 3 without them.
"""

import atexit
import shutil
import subprocess
import sys
import tempfile
import unittest
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
except ImportError:
    webdriver = None

from harness.judging.run_folder import Run  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


@lru_cache(maxsize=1)
def prepared():
    """(the drawn run, the browser), made once and left to the end."""
    temporary = tempfile.TemporaryDirectory(prefix="page-test-")
    atexit.register(temporary.cleanup)
    folder = Path(temporary.name) / "run"
    shutil.copytree(ROOT / "results/example/quick", folder)
    subprocess.run([sys.executable, "-m", "plots.draw", folder], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    options = Options()
    options.binary_location = CHROMIUM
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--host-resolver-rules=MAP * ~NOTFOUND"):  # the page needs no network, and gets none
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(service=Service(DRIVER), options=options)
    atexit.register(opened.quit)
    return Run(folder), opened


class Page(unittest.TestCase):
    def setUp(self):
        self.run_read, self.browser = prepared()

    def open(self, width=1366):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        self.browser.get("about:blank")
        self.browser.get((self.run_read.folder / "report.html").as_uri())

    def tearDown(self):
        self.assertEqual([entry for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")], [])

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        element = self.one(selector)
        self.js("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", element)
        element.click()

    def column(self, place):
        """{deque: what its cell in this column shows}, ranked rows in their order."""
        return dict(self.js("""
            const place = arguments[0];
            return [...document.querySelectorAll('#matrix-table tbody tr')]
                .filter(row => !row.hidden && !row.classList.contains('reference'))
                .map(row => [row.dataset.deque, (row.cells[place].querySelector('span') || row.cells[place]).textContent.split(' ')[0]]);
            """, place))

    def order(self):
        return list(self.column(0))

    def test_the_matrix_sorts_by_any_case_and_back(self):
        self.open()
        first = self.order()
        for place in range(1, self.js("return document.querySelectorAll('.cases th').length")):
            heading = f".cases th:nth-child({place + 1})"
            for way, turned in (("ascending", False), ("descending", True)):
                self.click(f"{heading} button")
                shown = [float(text) for text in self.column(place).values() if text[0].isdigit()]
                self.assertGreater(len(shown), 1)
                self.assertEqual(shown, sorted(shown, reverse=turned), place)
                self.assertEqual(self.one(heading).get_attribute("aria-sort"), way)
            self.click(f"{heading} button")
            self.assertEqual(self.order(), first)

    def test_filters(self):
        self.open()
        facts = {row: self.run_read.deque_facts(row) for row in self.order()}
        self.click('input[value="bounded"]')
        expected = {deque for deque, fact in facts.items() if fact["bound"] == "fixed"}
        self.assertEqual(set(self.order()), expected)
        self.assertTrue(0 < len(expected) < len(facts))
        self.assertIn(f"{len(expected)} of {len(facts)} deques", self.one("#told").text)
        self.js("const show = document.getElementById('show'); show.value = 'value'; show.dispatchEvent(new Event('change'))")
        self.assertRegex(next(iter(self.column(1).values())), r"^[\d.]+$")

    def test_no_element_is_wider_than_the_window(self):
        for width in (390, 1366):
            self.open(width=width)
            self.js("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            wide = self.js("""
                const inside = element => { for (let at = element; at; at = at.parentElement)
                    if (at.matches('.scroll, .unseen, .skip')) return true; return false; };
                return [...document.querySelectorAll('body *')].filter(element => !inside(element.parentElement || element)
                    && !element.matches('.unseen, .skip')).filter(element => { const box = element.getBoundingClientRect();
                    return box.width && (box.right > innerWidth + 0.5 || box.left < -0.5); })
                    .map(element => element.outerHTML.slice(0, 160));""")
            self.assertEqual(wide, [], width)
            self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)


if __name__ == "__main__":
    if webdriver is None or not CHROMIUM or not DRIVER:
        print("no browser: the page's tests are left out (they come with: apt-get install chromium chromium-driver "
              "python3-selenium)")
        sys.exit(3)
    run_tests()
