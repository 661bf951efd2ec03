#!/usr/bin/python3
"""chromium_test.py [FOLDER]: the report in a real browser: clicked through, measured, read by axe-core.

Needs Debian's chromium, chromium-driver and python3-selenium, and for its last part axe-core (npm's package axe-core;
AXE=/path/to/axe.min.js where it is not found by itself). What is absent is left out with a line; exit 3 without a browser.
FOLDER: a drawn run to look at besides the one kept in results/example.
"""

import atexit
import base64
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlparse

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

from plots.data.own_units import own_units  # noqa: E402
from plots.data.run_folder import OLDER_SETTINGS, Run  # noqa: E402
from plots.data.summaries import summarize  # noqa: E402
from plots.figures.drawing import read_index  # noqa: E402
from tests.plots.support import run_tests  # noqa: E402

WIDTHS = (360, 768, 1366)
LARGEST = 5_000_000   # bytes
PAPER = 703           # pixels between the margins of a sheet of A4
# The contrast of each series' colour with the ground it stands on.
CONTRAST = """
    const lum = c => { const p = c.match(/\\d+(\\.\\d+)?/g).slice(0, 3).map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]; };
    const page = lum(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll('.series svg path')].map(path => getComputedStyle(path).stroke)
        .filter(stroke => stroke !== 'none').map(stroke => { const at = lum(stroke);
            return (Math.max(at, page) + 0.05) / (Math.min(at, page) + 0.05); });"""


def found(*names):
    return next(filter(None, map(shutil.which, names)), None)


CHROMIUM, DRIVER = found("chromium", "chromium-browser", "google-chrome"), found("chromedriver")


def axe_core():
    """The text of axe.min.js where it is installed, else None."""
    places = [os.environ.get("AXE", "")] + [f"{base}/axe-core/axe.min.js" for base in (
        "/usr/share/nodejs", "/usr/share/javascript", "/usr/lib/node_modules", "/usr/local/lib/node_modules",
        Path.home() / "node_modules", ROOT / "node_modules")]
    return next((Path(place).read_text(encoding="utf-8") for place in places if place and Path(place).is_file()), None)


def browser(script=True):
    options = Options()
    options.binary_location = CHROMIUM
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--host-resolver-rules=MAP * ~NOTFOUND"):  # the page needs no network, and gets none
        options.add_argument(flag)
    if not script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


@lru_cache(maxsize=1)
def prepared():
    """(the drawn run, the browser), made once and left to the end."""
    temporary = tempfile.TemporaryDirectory(prefix="page-test-")
    atexit.register(temporary.cleanup)
    folder = Path(temporary.name) / "run"
    given = os.environ.get("PAGE_RUN")
    shutil.copytree(given or ROOT / "results/example/quick", folder)
    if not given:
        subprocess.run([sys.executable, "-m", "plots.draw", folder], cwd=ROOT, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    opened = browser()
    atexit.register(opened.quit)
    return Run(folder), opened


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_read, cls.browser = prepared()
        cls.folder = cls.run_read.folder
        cls.url = (cls.folder / "report.html").as_uri()

    def open(self, fragment="", width=1366, height=900, dark=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.browser.get("about:blank")
        self.browser.get(self.url + fragment)

    def tearDown(self):
        logged = [entry for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(logged, [])

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def draw_everything(self):
        self.js("dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'))")

    def order(self):
        return self.js("return [...document.querySelectorAll('#matrix-table tbody tr')]"
                       ".filter(row => !row.hidden && !row.classList.contains('reference')).map(row => row.dataset.deque)")

    def column(self, case):
        """{deque: what its cell of this case shows}, ranked rows in their order."""
        return dict(self.js("""
            const heads = [...document.querySelectorAll('.cases th[data-sort]')].map(head => head.dataset.sort);
            const place = heads.indexOf(arguments[0]);
            return [...document.querySelectorAll('#matrix-table tbody tr')]
                .filter(row => !row.hidden && !row.classList.contains('reference'))
                .map(row => [row.dataset.deque, (row.cells[place].querySelector('span') || row.cells[place]).textContent]);
            """, case))

    def cases(self):
        return self.js("return [...document.querySelectorAll('.cases th[data-sort]')].slice(2).map(head => head.dataset.sort)")

    def click(self, element):
        self.js("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", element)
        element.click()

    def ask_axe(self):
        axe = axe_core()
        if axe is None:
            print("axe-core is not installed: its rules are left out (npm install axe-core, or AXE=/path/to/axe.min.js)")
            return
        for width, dark in ((1366, False), (1366, True), (360, False)):
            self.open(width=width, dark=dark)
            self.draw_everything()
            # Long tables all have one form: one of them is enough, and axe-core takes a minute for each thousand rows.
            self.js("let packed = 0; document.querySelectorAll('details').forEach(one => "
                    "{ one.open = !one.querySelector('script.packed') || packed++ === 0; })")
            time.sleep(0.5)
            self.js(axe)
            self.browser.set_script_timeout(600)
            violations = self.browser.execute_async_script("""
                const done = arguments[arguments.length - 1];
                axe.run(document, {resultTypes: ['violations']}).then(found => done(found.violations.map(one =>
                    [one.id, one.help, one.nodes.length, one.nodes[0].html.slice(0, 200), one.nodes[0].failureSummary])))
                    .catch(problem => done([String(problem)]));""")
            self.assertEqual(violations, [], (width, dark, json.dumps(violations, indent=1)))

    def keep_to_the_width(self):
        for width in WIDTHS:
            self.open(width=width)
            self.draw_everything()
            self.js("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            time.sleep(0.5)
            wide = self.js("""
                const inside = element => { for (let at = element; at; at = at.parentElement)
                    if (at.matches('.scroll, .unseen, .skip')) return true; return false; };
                return [...document.querySelectorAll('body *')].filter(element => !inside(element.parentElement || element)
                    && !element.matches('.unseen, .skip')).filter(element => { const box = element.getBoundingClientRect();
                    return box.width && (box.right > innerWidth + 0.5 || box.left < -0.5); })
                    .map(element => element.outerHTML.slice(0, 160));""")
            self.assertEqual(wide, [], width)
            self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)


class Looks(Page):
    def test_no_element_is_wider_than_the_window(self):
        self.keep_to_the_width()

    def test_a_table_is_not_cut_off(self):
        """Content wider than its box can be scrolled to its end."""
        self.open(width=360)
        self.js("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        time.sleep(0.5)
        cut = self.js("""
            return [...document.querySelectorAll('.scroll > table')].filter(table => {
                const box = table.parentElement; box.scrollLeft = 1e6;
                return table.getBoundingClientRect().right > box.getBoundingClientRect().right + 1; }).length;""")
        self.assertEqual(cut, 0)

    def test_small_enough(self):
        self.assertLess((self.folder / "report.html").stat().st_size, LARGEST)
        self.open()
        painted = self.js("const found = performance.getEntriesByType('paint')"
                          ".find(entry => entry.name === 'first-contentful-paint'); return found ? found.startTime : null")
        when = "not known yet" if painted is None else f"after {painted / 1000:.2f} s"  # said, not asserted
        print(f"first view {when}, {(self.folder / 'report.html').stat().st_size / 1e6:.2f} MB")

    def test_light_and_dark(self):
        def ground():
            return self.js("return getComputedStyle(document.body).backgroundColor")

        self.open()
        light = ground()
        self.open(dark=True)
        dark = ground()
        self.assertNotEqual(light, dark)
        self.click(self.one(".theme button[data-theme=light]"))
        self.assertEqual(ground(), light)
        self.open(dark=True)
        self.assertEqual(ground(), light, "the choice is kept")
        self.click(self.one('.theme button[data-theme=""]'))
        self.assertEqual(ground(), dark)

    def test_it_prints_dark_on_white_whatever_the_screen_shows(self):
        self.open(dark=True)
        self.click(self.one(".theme button[data-theme=dark]"))
        self.draw_everything()
        self.js("dispatchEvent(new Event('beforeprint'))")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        try:
            self.assertEqual(self.js("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
            found_ones = self.js(CONTRAST)
            self.assertGreater(len(found_ones), 10)
            self.assertGreaterEqual(min(found_ones), 2.9)
            self.assertFalse(self.one(".controls").is_displayed())
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": PAPER, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
            self.assertEqual(self.js("""
                return [...document.querySelectorAll('#matrix-table, figure svg, .claims table')]
                    .filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML.slice(0, 80));"""),
                [], "nothing is cut off at the right")
        finally:
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
            self.js("dispatchEvent(new Event('afterprint')); localStorage.clear()")
        paper = base64.b64decode(self.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
        self.assertTrue(paper.startswith(b"%PDF"))
        self.assertGreater(paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page "), 3)

    def test_colours_of_figures_can_be_seen_on_both_grounds(self):
        for dark in (False, True):
            self.open(dark=dark)
            self.draw_everything()
            found_ones = self.js(CONTRAST)
            self.assertGreater(len(found_ones), 10)
            self.assertGreaterEqual(min(found_ones), 2.9)


class Opening(Page):
    def test_it_begins_with_what_was_found_then_the_scorecard_then_the_matrix(self):
        for width in WIDTHS:
            self.open(width=width)
            sentences = self.all(".found li")
            self.assertEqual(len(sentences), 5)
            self.assertLess(self.js("return arguments[0].getBoundingClientRect().bottom", sentences[0]), 900, width)
            tops = self.js("return ['.found', '#scorecard', '#matrix', '#frontier', 'main > section[id^=section]']"
                           ".map(one => document.querySelector(one).getBoundingClientRect().top)")
            self.assertEqual(tops, sorted(tops), width)

    def test_a_small_screen_folds_lists_and_filters(self):
        for width in WIDTHS:
            self.open(width=width)
            folded = self.js("return [...document.querySelectorAll('details.wide')].map(one => !one.open)")
            self.assertGreater(len(folded), 3)
            self.assertEqual(set(folded), {width == WIDTHS[0]}, width)
        self.open(width=WIDTHS[0])
        self.assertLess(self.js("return document.querySelector('.controls').getBoundingClientRect().height"), 350)
        self.assertFalse(self.js("return document.querySelector('input[value=bounded]').checkVisibility()"))


class Units(Page):
    def choose(self, unit):
        self.js("const one = document.getElementById('unit'); one.value = arguments[0];"
                "one.dispatchEvent(new Event('change'))", unit)

    def test_times_in_the_machine_s_own_units(self):
        """fetch_add's push is one fetch-and-add; the others' values keep their ratios, in the matrix and in a figure."""
        case, figure = "push-1", "fig6_push"
        units = {one.name: one.nanoseconds for one in own_units(self.run_read, summarize(self.run_read))}
        self.open(f"#figure-{figure}")
        self.draw_everything()
        before = self.js("document.querySelector('#show').value = 'value';"
                         "document.querySelector('#show').dispatchEvent(new Event('change'));"
                         "return document.querySelector(`figure[data-picture='${arguments[0]}'] svg`).textContent", figure)
        nanoseconds = {deque: float(text.split()[0]) for deque, text in self.column(case).items() if text.endswith("ns")}
        self.assertGreater(len(nanoseconds), 3)
        self.choose("atomics")
        shown = self.column(case)
        for deque in nanoseconds:
            self.assertAlmostEqual(float(shown[deque]) * units["atomics"], nanoseconds[deque], delta=0.02 * nanoseconds[deque])
        own = self.js("return document.querySelector('#matrix-table tr[data-deque=fetch_add] td.none, "
                      "#matrix-table tr[data-deque=fetch_add] td:not(.mix) span').textContent")
        self.assertAlmostEqual(float(own), 1, places=2)
        after = self.js("return document.querySelector(`figure[data-picture='${arguments[0]}'] svg`).textContent", figure)
        self.assertIn("push latency (ns)", before)
        self.assertIn("push latency (fetch-and-adds)", after)
        self.assertIn("5000", before, "the paper's value")
        self.assertNotIn("5000", after, "the paper's value is another machine's")
        self.assertEqual(self.js("return [...document.querySelectorAll(`figure[data-picture='${arguments[0]}'] .series button`)]"
                                 ".filter(one => one.offsetWidth && /^paper/.test(one.textContent)).length", figure), 0)
        fragment = self.js("return location.hash")
        self.assertIn("unit=atomics", fragment)
        self.open(fragment)
        self.assertEqual(self.one("#unit").get_property("value"), "atomics")
        self.choose("")
        self.assertTrue(any(text.endswith("ns") for text in self.column(case).values()))

    def test_a_unit_without_its_reference_is_absent_and_the_page_says_why(self):
        self.open()
        absent = [one for one in own_units(self.run_read, summarize(self.run_read)) if one.nanoseconds is None]
        shown = self.js("return [...document.querySelectorAll('#unit option:disabled')].map(one => one.value)")
        self.assertEqual(shown, [one.name for one in absent])
        for one in absent:
            self.assertIn(one.text, self.js("return document.querySelector('#matrix').textContent"))


class Links(Page):
    def test_no_dead_link(self):
        self.open()
        text = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertNotRegex(text, r'(src|href)="(https?:)?//')
        hrefs = set(self.js("return [...document.querySelectorAll('a[href]')].map(link => link.getAttribute('href'))"))
        self.assertGreater(len(hrefs), 20)
        for href in hrefs:
            with self.subTest(href):
                parts = urlparse(href)
                self.assertFalse(parts.scheme)
                if parts.path:
                    self.assertTrue((self.folder / unquote(parts.path)).exists())
                elif "=" not in href:
                    self.assertTrue(self.js("return !!document.getElementById(arguments[0])", unquote(parts.fragment)))

    def test_every_figure_has_its_files_and_its_command(self):
        self.open()
        for figure in self.all("figure[data-picture]"):
            kinds = {Path(link.get_attribute("href")).suffix for link in figure.find_elements(By.CSS_SELECTOR, "figcaption a")}
            self.assertLessEqual({".csv", ".pdf", ".svg", ".gp"}, kinds)
            if figure.get_attribute("data-picture") != "frontier":
                self.assertIn("./run.sh", figure.find_element(By.CSS_SELECTOR, ".command code").text)


class Matrix(Page):
    def test_sorts_by_any_case_and_back(self):
        self.open()
        first = self.order()
        for case in self.cases():
            self.click(self.one(f'.cases th[data-sort="{case}"] button'))
            shown = [float(text) for text in self.column(case).values() if text[0].isdigit()]
            self.assertGreater(len(shown), 1)
            self.assertEqual(shown, sorted(shown), case)
            self.assertEqual(self.one(f'.cases th[data-sort="{case}"]').get_attribute("aria-sort"), "ascending")
        self.click(self.one(f'.cases th[data-sort="{case}"] button'))
        shown = [float(text) for text in self.column(case).values() if text[0].isdigit()]
        self.assertEqual(shown, sorted(shown, reverse=True))
        self.click(self.one("#reset"))
        self.assertEqual(self.order(), first)

    def test_weights_make_a_mix_that_can_be_cited(self):
        self.open()
        one, other = self.cases()[0], self.cases()[2]
        for case, weight in ((one, "3"), (other, "1")):
            field = self.one(f'input[data-case="{case}"]')
            self.js("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", field)
            field.send_keys(weight)
        shown, ratios = self.column("mix"), [self.column(one), self.column(other)]
        expected = {deque: (float(ratios[0][deque]) ** 3 * float(ratios[1][deque])) ** 0.25 for deque in shown
                    if all(column[deque][:1].isdigit() for column in ratios)}
        self.assertGreater(len(expected), 3)
        for deque, mix in expected.items():
            self.assertAlmostEqual(float(shown[deque]), mix, delta=0.02 * mix)
        self.assertEqual(list(expected), sorted(expected, key=lambda deque: float(shown[deque])))
        fragment = self.js("return location.hash")
        self.assertIn(f"weights={one}:3,{other}:1", fragment)
        order = self.order()
        self.open(fragment)
        self.assertEqual((self.order(), self.column("mix")), (order, shown), "a cited address shows the same")
        self.assertEqual(self.one(f'input[data-case="{one}"]').get_property("value"), "3")

    def test_filters(self):
        self.open()
        facts = {row: self.run_read.deque_facts(row) for row in self.order()}
        self.click(self.one('input[value="bounded"]'))
        expected = {deque for deque, fact in facts.items() if fact["bound"] == "fixed"}
        self.assertEqual(set(self.order()), expected)
        self.assertTrue(0 < len(expected) < len(facts))
        self.assertIn(f"{len(expected)} of {len(facts)} deques", self.one("#told").text)
        self.assertIn("traits=bounded", self.js("return location.hash"))
        self.click(self.one("#references"))
        self.assertEqual(self.js("return [...document.querySelectorAll('#matrix-table tr.reference')]"
                                 ".filter(row => !row.hidden).length"), 0)

    def test_a_strange_address_does_no_harm(self):
        self.open("#sort=nothing&weights=none:3,:x,push:-1&traits=purple&show=all")
        self.assertGreater(len(self.order()), 1)
        self.assertEqual(self.js("return document.querySelector('#matrix-table').classList.contains('mixed')"), False)

    def test_numbers_are_those_of_the_csv(self):
        """Every value of the matrix, by the cell that its description names."""
        with open(self.folder / "summary.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.open()
        self.js("document.querySelector('#matrix details.numbers').open = true")
        time.sleep(0.2)
        shown = self.js("return [...document.querySelectorAll('#matrix details.numbers tbody tr')]"
                        ".map(row => [...row.cells].map(cell => cell.textContent.trim()))")
        self.assertGreater(len(shown), 30)
        scales = {"ns": 1, "\N{MICRO SIGN}s": 1e3, "ms": 1e6, "s": 1e9}
        asked = None
        for _, deque, _, told, settings in shown:
            asked = settings or asked
            workload, metric, unit = re.match(r"(\w+), ([\w.]+) \(([^)]*)\)", asked).groups()
            wanted = dict(word.split("=", 1) for word in asked.split(": ", 1)[1].split())
            value, sign = re.match(r"([\d.e-]+) ([^\s,]+)", told).groups()
            value = float(value) * (scales[sign] / {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit] if unit in ("ns", "us", "ms", "s")
                                    else {"G": 1e9, "M": 1e6, "k": 1e3}.get(sign[0], 1))
            medians = [float(row["median"]) for row in rows if row["median"] and row["workload"] == workload
                       and row["deque"] == deque and row["metric"] == metric
                       and wanted.items() <= {**OLDER_SETTINGS.get(workload, {}), **dict(part.split("=", 1) for part in row["params"].split(";"))}.items()]
            self.assertTrue(any(abs(value - median) <= 0.006 * median for median in medians), (told, medians, asked))

    def test_by_keyboard(self):
        self.open()
        self.one(".skip").send_keys(Keys.ENTER)
        button = self.one('.cases th[data-sort="deque"] button')
        self.js("arguments[0].focus()", button)
        button.send_keys(Keys.ENTER)
        self.assertEqual(self.order(), sorted(self.order()))


class Figures(Page):
    def figure(self, name):
        self.open(f"#figure-{name}")
        self.draw_everything()
        return self.one(f'figure[data-picture="{name}"]')

    def test_all_are_drawn_and_none_is_empty(self):
        self.open()
        self.draw_everything()
        figures = self.all("figure[data-picture]")
        self.assertGreater(len(figures), 10)
        self.assertEqual(self.js("return [...document.querySelectorAll('figure[data-picture]')].filter(figure => "
                                 "!figure.querySelector('.picture svg path, .picture svg rect')).map(one => one.id)"), [])
        self.assertEqual(self.js("return [...document.querySelectorAll('.picture svg *')].filter(one => [...one.attributes]"
                                 ".some(attribute => /NaN|undefined|Infinity/.test(attribute.value))).length"), 0)

    def test_frames_that_are_stacked_say_what_their_rows_are(self):
        """In a narrow window the frames of a row are below each other, so each has its own names."""
        pictures = {made["name"]: made["picture"] for made in read_index(self.folder / "figures") if "picture" in made}
        shared = {name: picture for name, picture in pictures.items()
                  if any(frame.get("y", {}).get("hidden") for frame in picture["frames"])}
        self.assertTrue(shared, "no picture names its rows once for several frames")
        self.open(width=360)
        self.draw_everything()
        for name, picture in shared.items():
            words = [words.split()[0] for _, words in picture["frames"][0]["y"]["ticks"]]
            shown = self.js("return [...document.querySelectorAll(`figure[data-picture='${arguments[0]}'] svg text`)].map(one => one.textContent)", name)
            count = min(sum(text.startswith(word) for text in shown) for word in words)
            self.assertGreaterEqual(count, len(picture["frames"]), (name, shown))

    def test_series_on_and_off(self):
        figure = self.figure("fig6_push")
        count = "return arguments[0].querySelectorAll('.picture svg path').length"
        before = self.js(count, figure)
        button = figure.find_element(By.CSS_SELECTOR, ".series button[data-series]")
        self.click(button)
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        self.assertLess(self.js(count, figure), before)
        self.click(button)
        self.assertEqual(self.js(count, figure), before)

    def test_scale_and_items(self):
        figure = self.figure("fig6_push")
        pictures = [figure.find_element(By.CSS_SELECTOR, ".picture").get_attribute("innerHTML")]
        for tool in ("scale", "items"):
            self.click(figure.find_element(By.CSS_SELECTOR, f"button[data-tool={tool}]"))
            pictures.append(figure.find_element(By.CSS_SELECTOR, ".picture").get_attribute("innerHTML"))
        self.assertEqual(len(set(pictures)), 3)
        self.assertIn("per item", pictures[-1])

    def test_hover_and_keys_tell_the_csvs_values(self):
        """Through every value by the arrow keys: each is one of the CSV's, and none of these is missing."""
        figure = self.figure("fig7_steal")
        with open(self.folder / "figures" / "fig7_steal.csv", encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file)]
        told = self.js("""
            const svg = arguments[0].querySelector('.picture svg'), tip = arguments[0].querySelector('.tip'), seen = [];
            for (let i = 0; i < arguments[1]; i++) {
                svg.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'})); seen.push(tip.textContent); }
            return seen;""", figure, len(rows))
        def short(value):
            value = float(value)
            return f"{value:.{3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0}f}"

        for row, text in zip(rows, told):
            self.assertIn(row["series"], text)
            if float(row["y"]) >= 0.01:
                self.assertIn(short(row["y"]), text)
            if row["invocations"]:
                self.assertIn(f"{row['invocations']} invocations", text)
        moved = self.js("""
            const svg = arguments[0].querySelector('.picture svg'), box = svg.getBoundingClientRect();
            for (let x = 0; x < box.width; x += 4) for (let y = 0; y < box.height; y += 4) {
                svg.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + x, clientY: box.top + y}));
                const text = arguments[0].querySelector('.tip').textContent; if (text) return text; }""", figure)
        self.assertIn(moved, told)

    def test_numbers_unfold_whole_and_sort(self):
        self.figure("fig6_push")
        rows = self.js("""
            const details = document.querySelector('figure[data-picture=fig6_push] + details');
            details.open = true; return new Promise(done => setTimeout(() => {
                const table = details.querySelector('table');
                const heads = [...table.tHead.rows[0].cells], place = heads.findIndex(head => /median/.test(head.textContent));
                heads[place].querySelector('button').click();
                done([...table.tBodies[0].rows].map(row => Number(row.cells[place].textContent))); }, 200));""")
        with open(self.folder / "figures" / "fig6_push.csv", encoding="utf-8", newline="") as file:
            measured = [row for row in csv.DictReader(file) if row["kind"] == "curve"]
        self.assertEqual(len(rows), len(measured))
        self.assertEqual(rows, sorted(rows))

    def test_without_script_there_are_pictures_and_tables(self):
        plain = browser(script=False)
        try:
            plain.get(self.url)
            pictures = plain.find_elements(By.CSS_SELECTOR, "figure .picture img")
            self.assertEqual(len(pictures), len(plain.find_elements(By.CSS_SELECTOR, "figure")))
            self.assertGreater(pictures[0].size["height"], 50)
            self.assertGreater(len(plain.find_elements(By.CSS_SELECTOR, "#matrix-table tbody tr")), 3)
            self.assertFalse(plain.find_element(By.CSS_SELECTOR, ".theme").is_displayed())
        finally:
            plain.quit()


class Accessible(Page):
    def test_axe_finds_nothing(self):
        self.ask_axe()


class Beside(Page):
    """The page of two runs: the run, and itself under another name, as if it were another machine's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        other = cls.folder.parent / "other"
        other.mkdir(exist_ok=True)
        for name in ("manifest.json", "samples.csv", "samples.csv.xz"):
            if (cls.folder / name).exists():
                shutil.copyfile(cls.folder / name, other / name)
        manifest = json.loads((other / "manifest.json").read_text(encoding="utf-8"))
        manifest["machine"]["cpu"] = "another processor"
        (other / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        page = cls.folder.parent / "beside.html"
        subprocess.run([sys.executable, "-m", "plots.pages.beside", cls.folder, other, "--output", page], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
        cls.url = page.as_uri()

    def test_it_fits_and_axe_finds_nothing(self):
        self.keep_to_the_width()
        self.assertIn("another processor", self.one("main").text)
        self.assertGreater(len(self.all(".beside tr[data-run=other] td span")), 10)
        self.ask_axe()


class Machines(Page):
    """The page of the contributed runs that the repository has."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        site = cls.folder.parent / "machines"
        subprocess.run([sys.executable, "-m", "plots.pages.publish", ROOT / "results/machines", "--to", site], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
        cls.url = (site / "index.html").as_uri()

    def test_it_fits_and_axe_finds_nothing(self):
        self.keep_to_the_width()
        self.ask_axe()

    def test_machines_sort_by_any_column(self):
        self.open()
        for place, heading in enumerate(self.js("return [...document.querySelectorAll('#machines thead th')].map(one => one.textContent)")):
            if heading == "commit":
                continue  # some begin with a digit
            self.click(self.all("#machines thead th button")[place])
            shown = self.js("return [...document.querySelectorAll('#machines tbody tr')].map(row => row.cells[arguments[0]].textContent.trim())",
                            place)
            values = [float(text) if re.fullmatch(r"[\d.]+", text) else text.lower() for text in shown if text]
            self.assertGreater(len(shown), 1)
            self.assertEqual(values, sorted(values, key=lambda value: (isinstance(value, str), value)))


if __name__ == "__main__":
    if webdriver is None or not CHROMIUM or not DRIVER:
        print("no browser: the page's tests are left out (they come with: apt-get install chromium chromium-driver "
              "python3-selenium)")
        sys.exit(3)
    if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir():
        os.environ["PAGE_RUN"] = sys.argv.pop(1)
    run_tests()
