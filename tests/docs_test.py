#!/usr/bin/python3
"""The documentation says what is there: commands, links, the tutorial's header and its mistake, the citation file.

Asks build/stealbench for verbs, workloads and parameters. Ends on "N passed, N failed".
"""

import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

TUTORIAL = "docs/tutorial.md"
HEADER = "docs/tutorial/first_deque.h"
# What a check of one deque is made of, besides the check.
CHECK_SOURCES = ["harness/deque_main.c", "harness/measuring/cell/describe.c", "harness/measuring/cell/parameters.c", "harness/measuring/cell/cell.c",
                 "harness/measuring/clock/clock.c", "harness/measuring/random.c", "proof/checks/deque_independent/verdict.c", "tests/checks/alone/counters.c"]
CHECKS = {"conformance": "proof/checks/conformance.c", "preempt": "proof/checks/preempt.c"}
# Names that stand for the reader's own, and what the tutorial adds.
READERS_DEQUES = {"my_deque", "first_deque"}
READERS_SUITES = {"first"}
READERS_WORKLOADS = {"look"}
DEQUE_GROUPS = {"all", "sound", "reference", "unsound"}
SUITE_VERBS = {"smoke", "quick", "paper"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


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
        if "./run.sh" in span:
            yield span.split("./run.sh", 1)[1].split()


class Known:
    """What there is to name."""

    def __init__(self):
        if not os.path.exists("build/stealbench"):
            sys.exit("docs_test.py: there is no build/stealbench; make first")
        completion = output_of("build/stealbench", "help", "--completion")
        self.verbs = set(re.search(r"^  verbs='(.*)'$", completion, re.M).group(1).split())
        self.parameters = {}
        for row in csv.DictReader(io.StringIO(output_of("build/stealbench", "list", "workloads", "--csv"))):
            self.parameters.setdefault(row["workload"], {})[row["parameter"]] = row
        help_of = {verb: output_of("build/stealbench", verb, "--help") for verb in ("run", "suite", "check", "lab")}
        self.options = {verb: set(re.findall(r"--([a-z-]+)", text)) for verb, text in help_of.items()}
        self.options["lab"] |= set(re.findall(r"--([a-z]+)", read("proof/lab/README.md")))
        self.options["suite"] |= {"resume", "only", "deque", "slurm"}
        help_of["slurm"] = output_of("/usr/bin/python3", "-m", "harness.cluster.slurm", "paper", "--help")
        self.options["slurm"] = set(re.findall(r"(?<![\w-])-{1,2}([a-zA-Z][a-z-]*)", help_of["slurm"]))
        self.suites = {name.removesuffix(".suite"): set(re.findall(r"^\[([^\]]+)\]", read("suites/" + name), re.M))
                       for name in os.listdir("suites") if name.endswith(".suite")}

    def complaint(self, words):
        """None when every word of this command names something, else what does not."""
        if words == ["--help"]:
            return None
        verb = words[0] if words and not words[0].startswith("-") else "quick"
        rest = words[1:] if verb in words[:1] else words
        if verb not in self.verbs:
            return f"no verb {verb}"
        plain = [word for word in rest if not word.startswith("-")]
        options = [word.lstrip("-").split("=", 1) for word in self.joined(rest)]
        if verb == "run":
            return self.workload_complaint(plain, options)
        if verb in SUITE_VERBS or verb == "suite":
            return self.suite_complaint(verb, plain, options)
        if verb in ("check", "compare", "ci"):
            return self.deques_complaint([word for word in plain if (verb, word) != ("ci", "pool")])
        if verb == "lab":
            if plain and set(plain[0].split("|")) - {"count", "explore", "stop"}:
                return f"no lab {plain[0]}"
            unknown = [name for name, *_ in options if name not in self.options["lab"]]
            return f"no option {unknown[0]} of lab" if unknown else self.deques_complaint(plain[1:])
        if verb == "list" and plain and set(plain[0].split("|")) - {"deques", "workloads", "suites", "metrics"}:
            return f"no list of {plain[0]}"
        return None

    @staticmethod
    def joined(words):
        """The options; the value after `--only TAG` belongs to it."""
        for place, word in enumerate(words):
            if word == "--only" and place + 1 < len(words):
                yield f"--only={words[place + 1]}"
            elif word.startswith("-"):
                yield word

    def deques_complaint(self, names):
        for name in names:
            stands_for = name in READERS_DEQUES | DEQUE_GROUPS | {"DEQUE", "A", "B"}
            if not stands_for and not os.path.exists(f"queues/{name}.h"):
                return f"no deque {name}"
        return None

    def suite_complaint(self, verb, plain, options):
        suite = verb if verb != "suite" else plain[0] if plain else "NAME"
        if suite in READERS_SUITES | {"NAME"}:
            return None
        if suite not in self.suites:
            return f"no suite {suite}"
        known = self.options["suite"] | (self.options["slurm"] if ["slurm"] in options else set())
        plain = plain[:1]
        for name, *value in options:
            if name not in known:
                return f"no option {name} of suite"
            for one in value[0].split(",") if value else []:
                if name == "only" and one != "TAG" and not any(tag == one or tag.startswith(one + "-")
                                                               for tag in self.suites[suite]):
                    return f"no tag {one} in {suite}"
                if name == "deque" and self.deques_complaint([one]):
                    return self.deques_complaint([one])
        return None

    def workload_complaint(self, plain, options):
        workload = plain[0] if plain else "WORKLOAD"
        if workload in READERS_WORKLOADS | {"WORKLOAD"}:
            return None
        if workload not in self.parameters:
            return f"no workload {workload}"
        parameters = self.parameters["*"] | self.parameters[workload]
        for name, *value in options:
            values = value[0].split(",") if value else []
            if name == "deque":
                complaint = self.deques_complaint(values)
            elif name in parameters:
                complaint = next(filter(None, (value_complaint(parameters[name], one) for one in values)), None)
            else:
                complaint = None if name in self.options["run"] else f"no parameter {name} of {workload}"
            if complaint:
                return complaint
        return None


def value_complaint(parameter, text):
    if parameter["kind"] == "text" or text in parameter["choices"].split("|"):
        return None
    number = re.fullmatch(r"(\d+(?:\.\d+)?)([kMG]?)", text)
    if number and parameter["minimum"]:
        value = float(number.group(1)) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[number.group(2)]
        if float(parameter["minimum"]) <= value <= float(parameter["maximum"]):
            return None
    return f"{parameter['parameter']} cannot be {text}"


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
    def test_every_command_names_what_there_is(self):
        known = Known()
        seen = 0
        for page in pages():
            for words in commands_in(read(page)):
                seen += 1
                self.assertIsNone(known.complaint(words), f"{page}: ./run.sh {' '.join(words)}")
        self.assertGreater(seen, 60)

    def test_a_wrong_command_is_noticed(self):
        known = Known()
        for command in ("fly", "suite papier", "paper --only fig66", "paper --onyl=fig6", "run psuh",
                        "run push --bacth=1", "run push --batch=0", "run pop --take=two", "run push --deque=chase_lvv",
                        "check chase_lvv", "compare abp chase_lvv", "lab exlpore abp", "lab explore --memroy=weak",
                        "list dequeues"):
            self.assertIsNotNone(known.complaint(command.split()), command)

    def test_links_lead_somewhere(self):
        for page in pages():
            text = re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S)
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"https?:|mailto:", target):
                    continue
                self.assertFalse(target.startswith("/"), f"{page}: {target} is absolute")
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
    def check(self, header, name, seconds):
        """Runs one check of this header: its exit code and output."""
        folder = tempfile.mkdtemp()
        try:
            os.mkdir(f"{folder}/queues")
            with open(f"{folder}/queues/first_deque.h", "w", encoding="utf-8") as file:
                file.write(header)
            subprocess.run([os.environ.get("CC", "gcc"), f"-I{folder}", "-std=gnu11", "-D_GNU_SOURCE", "-pthread",
                            "-g", "-O1", "-I.", "-Iqueues", '-DDEQUE_ID="first_deque"',
                            '-DDEQUE_HEADER="queues/first_deque.h"', *CHECK_SOURCES, CHECKS[name],
                            "-o", f"{folder}/check", "-lm"], check=True)
            run = subprocess.run([f"{folder}/check", "--check", name, f"--seconds={seconds}"], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=60)
            return run.returncode, run.stdout
        finally:
            shutil.rmtree(folder)

    def test_the_header_passes(self):
        for name in CHECKS:
            status, said = self.check(read(HEADER), name, 0.5)
            self.assertEqual(status, 0, said)

    def test_the_mistake_passes_in_sequence_and_is_caught_by_threads(self):
        status, said = self.check(with_mistake(read(HEADER)), "conformance", 0.2)
        self.assertEqual(status, 0, said)
        status, said = self.check(with_mistake(read(HEADER)), "preempt", 5)
        self.assertEqual(status, 1, said)
        self.assertIn("FAILED preempt", said)

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
    result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
