#!/usr/bin/python3
"""Every deque has a look of its own in every run, and any two in one figure of a suite can be told apart in colour and in
grey."""

import re
import unittest
from itertools import combinations
from types import SimpleNamespace

from tests.plots.run_of_suite import SuiteRun
from tests.plots.support import ROOT, folder_of_class, run_tests

from harness.judging.run_folder import Run
from plots.data.sections import build_sections
from harness.judging.summaries import summarize
from plots.figures.drawing import made_of
from plots.figures.picture import Picture
from plots.figures.styles import (
    EMULATED_DASHES, LOOKS, OTHER_HUES, OWN_DASHES, SHAPES, THIN_SHAPES, UNSOUND, Looks, apart_in_grey, lightness)

TRAITS = re.compile(r'\.id = "?(\w+)"?,.*?\}', re.S)
REFERENCES = {"array", "empty", "fetch_add", "array_fifo", "array_modulo", "phanes_packed", "tokio_padded", "go_runq_padded"}
SUITES = ["quick", "smoke", "compare", "paper", "xeon8358", "large"]


def deques_of_repository():
    """{deque: facts}"""
    found = {}
    for path in (ROOT / "queues").glob("*.h"):
        for traits in TRAITS.finditer(path.read_text(encoding="utf-8")):
            order, bound, delivery = (re.search(rf"\.{name} = DEQUE_(\w+)", traits[0])[1] for name in ("owner_order", "bound", "delivery"))
            for deque in ("array_fifo", "array_modulo") if traits[1] == "ARRAY_FIFO_ID" else (traits[1],):
                found[deque] = {"owner_order": order, "bound": "fixed" if bound == "FIXED" else "growable",
                                "sound": str(int(deque != "fence_free")), "delivery": delivery.lower(),
                                **{name: str(int(f".{name} = true" in traits[0])) for name in ("aside", "classic")}}
    for folder, sound in (("upstream", "1"), ("as_published", "0")):
        found |= {f"{folder}/{path.stem}": {"owner_order": "LIFO", "bound": "fixed", "sound": sound, "delivery": "once"}
                  for path in (ROOT / "queues" / folder).glob("*.h") if path.stem != "upstream"}
    return {deque: {"title": f"<{deque}>", "source": "made up", "reference": str(int(deque in REFERENCES)), **facts}
            for deque, facts in found.items()}


FACTS = deques_of_repository()
SOUND = sorted(deque for deque, facts in FACTS.items() if facts["sound"] == "1")
GROUPED = [deque for deque in SOUND if FACTS[deque].get("aside") != "1"]


class EveryDeque(SuiteRun):
    product = 4
    groups = {"all": GROUPED, "sound": [deque for deque in GROUPED if deque not in REFERENCES],
              "classic": [deque for deque in SOUND if FACTS[deque].get("classic") == "1"], "unsound": sorted(FACTS.keys() - set(SOUND))}


def looks_in(frame):
    """{kind of layer: {deque: look}} of those that the legend names."""
    found = {}
    for layer in frame.layers:
        deque = re.match(r"<([\w/]+)>", layer.label)
        if deque and layer.marks and not layer.look.hollow:
            found.setdefault(layer.kind, {}).setdefault(deque[1], layer.look)
    return found


def alike(one, other, kind):
    """The common feature of two looks that are too similar, "" if they can be told apart."""
    if one.colour == other.colour and not (one.hatched and other.hatched):
        return "colour"
    told = {"bars": [], "line": ["dash"], "curve": ["shape", "dash"]}.get(kind, ["shape"])
    if apart_in_grey(one.colour, other.colour) or any(getattr(one, name) != getattr(other, name) for name in told):
        return ""
    return "grey"


def run_of(deques, facts=None):
    return SimpleNamespace(cells={deque: {"deque": deque} for deque in deques}, deque_facts=lambda _: facts or {})


class EveryLook(unittest.TestCase):
    def test_any_two_of_one_figure_are_told_apart_in_colour_and_in_grey(self):
        folder, seen, wrong = folder_of_class(type(self)), set(), set()
        for suite in SUITES:
            run = Run(EveryDeque(folder / suite, suite, more=FACTS).write())
            summaries = summarize(run)
            for _, one in made_of(run, build_sections(run, summaries), summaries):
                for frame in one.frames if isinstance(one, Picture) and one.name != "frontier" else []:
                    for kind, looks in looks_in(frame).items():
                        for pair in combinations(sorted(looks), 2):
                            seen.add((kind, *pair))
                            if said := alike(*(looks[deque] for deque in pair), kind):
                                wrong.add((one.name, kind, *pair, said))
        self.assertGreater(len(seen), 200)
        self.assertLessEqual({("line", "bwos_lifo", "locked_fixed"), ("curve", "bwos_lifo", "locked_fixed"),
                              ("curve", "chase_lev", "locked_fixed")}, seen)
        self.assertEqual(sorted(wrong), [])

    def test_every_deque_of_the_repository_has_a_look_that_no_other_has(self):
        self.assertEqual(sorted(LOOKS), sorted(FACTS))
        self.assertEqual(len(set(LOOKS.values())), len(LOOKS))
        self.assertEqual([(one, other) for (one, look), (other, its) in combinations(LOOKS.items(), 2) if (
            look.shape, look.dash) == (its.shape, its.dash) and not apart_in_grey(look.colour, its.colour)], [])
        for deque, look in LOOKS.items():
            plain = deque in REFERENCES or FACTS[deque]["sound"] == "0"
            self.assertIn(look.shape, THIN_SHAPES if plain else SHAPES)
            self.assertEqual(look.colour == UNSOUND.colour, FACTS[deque]["sound"] == "0", deque)

    def test_the_deques_of_the_papers_differ_in_every_run(self):
        """Also where no suite has them in one figure."""
        papers = "lf_bulk taskflow_bounded taskflow_unbounded abp chase_lev locked bwos_lifo locked_fixed bwos_fifo phanes".split()
        self.assertEqual([pair for pair in combinations(papers, 2) if alike(*map(LOOKS.get, pair), "curve")], [])
        thesis = ["abp", "chase_lev", "bwos_lifo", "bwos_fifo", "locked_fixed"]
        self.assertEqual([pair for pair in combinations(thesis, 2) if alike(*map(LOOKS.get, pair), "line")], [])

    def test_a_look_does_not_hang_on_the_run(self):
        mine = Looks(run_of(["my_deque"])).of("my_deque")
        for others in ([], ["abp", "chase_lev"], [*FACTS, *(f"deque_{i}" for i in range(60))]):
            table = Looks(run_of([*others, "my_deque"]))
            self.assertEqual({deque: table.of(deque) for deque in FACTS}, {deque: LOOKS[deque] for deque in FACTS})
            self.assertEqual(len(set(table.table.values())), len(table.table))
        self.assertEqual(Looks(run_of(["abp", "my_deque"])).of("my_deque"), mine)
        self.assertNotIn(mine, LOOKS.values())
        self.assertEqual(Looks(run_of(["my_deque"], {"sound": "0"})).of("my_deque").colour, UNSOUND.colour)
        self.assertIn(Looks(run_of(["my_deque"], {"reference": "1"})).of("my_deque").colour, OTHER_HUES.values())

    def test_variants_and_emulated_series_keep_colour_and_shape(self):
        looks = Looks(run_of(["bwos_lifo"]))
        for deque in ("chase_lev", "bwos_lifo"):
            own = [looks.of(deque, variant) for variant in range(4)]
            emulated = [looks.of(deque, variant, True) for variant in range(4)]
            self.assertEqual({look.dash for look in own}, set(OWN_DASHES))
            self.assertEqual({look.dash for look in emulated}, set(EMULATED_DASHES))
            self.assertEqual({(look.colour, look.shape) for look in own + emulated}, {(LOOKS[deque].colour, LOOKS[deque].shape)})

    def test_what_is_alike_is_seen(self):
        chase_lev, mutex = LOOKS["chase_lev"], LOOKS["locked_fixed"]
        self.assertEqual([round(lightness(colour)) for colour in ("#000000", "#777777", "#FFFFFF")], [0, 50, 100])
        self.assertEqual(alike(chase_lev, mutex, "curve"), "")
        self.assertEqual(alike(chase_lev, mutex, "bars"), "grey")
        self.assertEqual(alike(chase_lev, chase_lev, "line"), "colour")


if __name__ == "__main__":
    run_tests()
