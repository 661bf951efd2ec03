#!/usr/bin/python3
"""The documentation is true: its commands and links exist, the tutorial's header and mistake behave as told, the citation is whole.

Asks build/stealbench for verbs, workloads and parameters. Ends on "N passed, N failed".
"""

import functools
import os
import re
import subprocess
import sys
import tempfile
import unittest

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.append(os.getcwd())
from tests.plots.support import run_tests  # noqa: E402

TUTORIAL = "docs/tutorial.md"
HEADER = "docs/tutorial/first_deque.h"
# Two checks of one deque.
CHECK_SOURCES = ["harness/deque_main.c", *(f"proof/checks/{name}.c" for name in ("conformance", "preempt", "verdict")),
                 "build/libmeasuring.a"]
# Names that stand for the reader's own, and existing ones in their place; the tutorials' own suite and workload.
STAND_FOR = {"my_deque": "chase_lev", "first_deque": "chase_lev", "DEQUE": "chase_lev", "adopted/my_queue": "chase_lev",
             "A": "abp", "B": "chase_lev", "TAG": "fig6", "first": "smoke", "look": "pop"}
# Verbs that plan without measuring (--dry-run) or only print, and the options with which they would do more.
PLANNED, PRINTED = {"run", "suite", "smoke", "quick", "paper"}, {"list", "help"}
DOES_MORE = ("--slurm", "--split", "--part", "--resume", "--name", "--all")
OF_DEQUES = {"compare", "ci", "export", "check", "lab"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.cache
def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def pages(folder="."):
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", "build", "results") or path.startswith("./docs")]
        yield from (os.path.normpath(os.path.join(path, name)) for name in files if name.endswith(".md"))
    if folder == ".":
        yield "results/README.md"


def commands_in(text):
    """Every ./run.sh command of a page, in fenced blocks and in backquotes, without prompt and comment."""
    fenced = re.findall(r"^```[a-z]*\n(.*?)^```", text, re.M | re.S)
    for line in "\n".join(fenced).splitlines():
        found = re.search(r"\./run\.sh\b([^#&)|]*)", line)
        if found:
            yield found.group(1).split()
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for span in re.findall(r"`([^`]*)`", prose):
        if "./run.sh" in span and not span.endswith("--only"):
            yield span.split("./run.sh", 1)[1].split()
    # Tables with a column `./run.sh paper --only`: what begins a cell there completes the command.
    for table in re.findall(r"^\|[^|\n]*\| here, `\./run\.sh paper --only` \|.*\n((?:\|.*\n)+)", prose, re.M):
        for tags in re.findall(r"^\|[^|\n]*\| `(?!\./run)([^`]*)`", table, re.M):
            yield ["paper", "--only", *tags.split()]


def spelled(word):
    """A word of a page's command with existing names: the first of several, with stand-ins for the reader's own."""
    option, equals, value = word.replace("$HOME", ".").rpartition("=")
    return option + equals + ",".join(STAND_FOR.get(one, one) for one in value.split("|")[0].split(","))


@functools.cache
def refused(*words):
    """The driver's message if it does not understand this; None if it does."""
    done = subprocess.run(["build/stealbench", *words], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode == 2 else None


@functools.cache
def complaint(*command):
    """None if every word of this command of a page exists, else the complaint."""
    words = [spelled(word) for word in command if not word.startswith("[")]
    if not words or words[0].startswith("-"):
        words = words if words == ["--help"] else ["quick", *words]
    verb = words[0]
    left_open = any(re.search(r"[A-Z]{2}|[<>']|\.\.\.", word) for word in words)
    if verb in PRINTED:
        return refused(*words)
    if verb in PLANNED and not left_open and not any(word.startswith(DOES_MORE) for word in words):
        return refused(*words, "--dry-run", "--quiet")
    asked = words[:2] if verb == "extras" else [verb]
    if said := refused(*asked, "--help"):
        return said
    text = output_of("build/stealbench", *asked, "--help")
    if verb == "extras":  # whose programs hand options to this verb
        text += output_of("build/stealbench", "suite", "--help")
    unknown = [word for word in words[1:] if word.startswith("--") and word.split("=")[0] not in text]
    if verb == "lab" and not left_open:
        unknown += [word for word in words[1:2] if word not in text]
    if verb in OF_DEQUES and not left_open:
        named = words[2:] if verb == "lab" else words[1:]
        unknown += [word for word in named if not word.startswith("-") and word != "pool" and not os.path.exists(f"queues/{word}.h")]
    return f"{verb} knows no {unknown[0]}" if unknown else None


def slug(heading):
    """The anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def with_mistake(header):
    """The header with the tutorial's diff applied."""
    diff = re.search(r"^```diff\n(.*?)^```", read(TUTORIAL), re.M | re.S).group(1)
    old = "".join(line[1:] + "\n" for line in diff.splitlines() if line.startswith("-"))
    new = "".join(line[1:] + "\n" for line in diff.splitlines() if line.startswith("+"))
    assert header.count(old) == 1, "the tutorial's diff does not fit its header"
    return header.replace(old, new)


class Pages(unittest.TestCase):
    def test_words(self):
        words = {page: len(re.findall(r"[^\s|]+", read(page))) for page in pages()}  # the bars of tables are no words
        self.assertLessEqual(words["README.md"], 500)
        self.assertLessEqual(words["CONTRIBUTING.md"], 500)
        self.assertLessEqual(sum(words.values()), 15000)

    def test_every_command_names_what_there_is(self):
        commands, tags = [(page, words) for page in pages() for words in commands_in(read(page))], set()
        self.assertGreater(len(commands), 60)
        for page, words in commands:
            if words[:2] == ["paper", "--only"] and len(words) == 3:
                tags |= set(words[2].split(","))  # asked together, below: planning takes the driver a fifth of a second
            else:
                self.assertIsNone(complaint(*words), f"{page}: ./run.sh {' '.join(words)}")
        self.assertIsNone(complaint("paper", "--only", ",".join(map(spelled, tags))))

    def test_a_wrong_command_is_noticed(self):
        for command in ("fly", "paper --only fig6,fig66", "paper --onyl=fig6", "run push --deque=chase_lvv", "check chase_lvv",
                        "lab exlpore abp", "lab explore --memroy=weak", "list dequeues", "extras nothing"):
            self.assertIsNotNone(complaint(*command.split()), command)

    def test_links_lead_somewhere(self):
        for page in pages():
            text = re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"https?:|mailto:", target):
                    continue
                self.assertFalse(target.startswith("/"), f"{page}: {target} is absolute")
                self.assertTrue(page.startswith("extras/") or "extras/" not in target, f"{page}: {target}: extras need not be there")
                path, _, anchor = target.partition("#")
                path = os.path.join(os.path.dirname(page), path) if path else page
                self.assertTrue(os.path.exists(path), f"{page}: there is no {target}")
                if anchor and path.endswith(".md"):
                    headings = {slug(one) for one in re.findall(r"^#+ (.*)$", read(path), re.M)}
                    self.assertIn(anchor, headings, f"{page}: {target}")

    def test_nothing_of_one_machine(self):
        for page in pages("docs"):
            self.assertIsNone(re.search(r"(?<![\w.])/(?:tmp|work|root|Users|home/\w)", read(page)), page)

    def test_the_index_has_every_page(self):
        index = read("docs/README.md")
        for page in pages("docs"):
            if page != "docs/README.md":
                self.assertIn(f"]({os.path.relpath(page, 'docs')})", index)


class Tutorial(unittest.TestCase):
    def test_the_header_passes_and_its_mistake_is_caught_by_threads_alone(self):
        for header, seconds, last in (read(HEADER), 0.5, "passed preempt"), (with_mistake(read(HEADER)), 5, "FAILED preempt"):
            with tempfile.TemporaryDirectory() as folder:
                os.mkdir(f"{folder}/queues")
                with open(f"{folder}/queues/first_deque.h", "w", encoding="utf-8") as file:
                    file.write(header)
                subprocess.run([os.environ.get("CC", "gcc"), f"-I{folder}", "-std=gnu11", "-D_GNU_SOURCE", "-pthread", "-I.", "-Iqueues",
                                '-DDEQUE_ID="first_deque"', '-DDEQUE_HEADER="queues/first_deque.h"', *CHECK_SOURCES, "-o",
                                f"{folder}/check", "-lhwloc", "-lm", "-ldl"], check=True)
                for name, words in ("conformance", "passed conformance"), ("preempt", last):
                    run = subprocess.run([f"{folder}/check", "--check", name, f"--seconds={seconds}"], stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
                    self.assertEqual(run.returncode, "FAILED" in words, run.stdout)
                    self.assertIn(words, run.stdout)

    def test_the_contract_s_example_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", "queues/example.c", "-o",
                            f"{folder}/example"], check=True)
            self.assertEqual(output_of(f"{folder}/example"), "each item came out once\n")

    def test_lines_quoted_from_the_lab_are_the_header_s(self):
        lines = with_mistake(read(HEADER)).splitlines()
        words = {"load": "atomic_load", "store": "atomic_store", "cas": "atomic_compare_exchange"}
        quoted = re.findall(r"first_deque\.h:(\d+)  (load|store|cas)", read(TUTORIAL))
        self.assertGreater(len(quoted), 5)
        for number, what in quoted:
            self.assertIn(words[what], lines[int(number) - 1])


class Citation(unittest.TestCase):
    def test_required_fields_and_version(self):
        fields = dict(re.findall(r"^([a-z-]+):[ \n]*(.*)$", read("CITATION.cff"), re.M))
        self.assertEqual(fields["cff-version"], "1.2.0")
        self.assertEqual(fields["license"], "MIT")
        for name in ("message", "title", "authors"):
            self.assertTrue(fields[name].strip(), name)
        self.assertEqual(fields["version"], re.search(r"^## \[?([^\s\]]+)", read("CHANGELOG.md"), re.M).group(1))


if __name__ == "__main__":
    run_tests()
