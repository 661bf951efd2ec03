#!/usr/bin/python3
"""Pictures of single operations: figure 7 by layout and owner, and axes that a single disturbed point does not flatten."""

import itertools

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import DEQUES, SyntheticRun

from plots.data.sections import build_sections
from plots.figures import with_gnuplot
from plots.figures.pictures import operations
from plots.pages.report import told_of

LINKED = DEQUES | {"lf_bulk": DEQUES["lf_bulk"] | {"bound": "linked"}}
# Microseconds at 10 and 60 %: the list's walk takes as long as its nodes are far apart, Taskflow's steals as a busy owner disturbs.
LIST = {("idle", "sequential"): (15, 15), ("idle", "shuffled"): (70, 65), ("busy", "sequential"): (20, 20), ("busy", "shuffled"): (75, 70)}
TASKFLOW = {"idle": (5, 30), "busy": (50, 300)}


def pictures_of(run):
    read, summaries = run.read()
    sections = build_sections(read, summaries)
    return sections, {made.name: made for _, made in operations.draw(read, sections, summaries)}


class Operations(FolderTest):
    def layouts(self):
        run = SyntheticRun(self.folder / "layouts", noise=0.001, deques=LINKED)
        run.section("fig7-layout", "Figure 7 by layout")
        for owner, node, order, place in itertools.product(("busy", "idle"), (72, 64), ("shuffled", "sequential"), (0, 1)):
            for deque, value in (("lf_bulk", LIST[owner, order][place]), ("taskflow_unbounded", TASKFLOW[owner][place])):
                run.cell(["fig7-layout"], "steal", deque, {"percent": (10, 60)[place], "owner": owner, "node": node, "order": order,
                                                           "size": 10000}, {"steal_latency": (1e3 * value, "ns")})
        run.cell(["fig7-layout"], "steal", "lf_bulk", {"percent": 10, "owner": "busy", "node": 16, "order": "sequential", "size": 10000},
                 {"steal_latency": (9e3, "ns")})  # alone: there is nobody to be faster than
        return pictures_of(run)

    def test_layouts_stand_beside_each_other_those_of_one_owner_on_one_axis(self):
        _, pictures = self.layouts()
        self.assertEqual(list(pictures), ["fig7_layout"])
        frames = pictures["fig7_layout"].frames
        self.assertEqual([frame.title for frame in frames][:3], [f"owner idle, nodes of {text}" for text in (
            "64 bytes, side by side", "64 bytes, shuffled", "72 bytes, side by side")])
        self.assertEqual([frame.title.split(",")[0] for frame in frames], ["owner idle"] * 4 + ["owner busy"] * 5)
        self.assertEqual([len({frame.y.high for frame in some}) for some in (frames[:4], frames[4:])], [1, 1])
        self.assertLess(frames[0].y.high, 140)
        self.assertGreater(frames[4].y.high, 300)
        stated = [sum(layer.look.hollow for layer in frame.layers) for frame in frames]
        self.assertEqual(stated, [3] * 4 + [0] * 5)  # the paper's owner was idle

    def test_the_page_says_who_is_fastest_where_in_each_layout(self):
        sections, _ = self.layouts()
        self.assertNotIn("nodes of 16 bytes", told_of(operations.drawings_of(sections)[0]))
        told = told_of(operations.drawings_of(sections)[0])
        self.assertIn("owner idle, nodes of 64 bytes, side by side: Taskflow unbounded (10 %), LF bulk list (60 %);", told)
        self.assertIn("owner idle, nodes of 64 bytes, shuffled: Taskflow unbounded (10 to 60 %);", told)
        self.assertIn("owner busy, nodes of 64 bytes, side by side: LF bulk list (10 to 60 %);", told)

    def test_the_caption_of_figure_7_names_the_layout(self):
        run = SyntheticRun(self.folder / "fig7", deques=LINKED)
        run.section("fig7", "Figure 7")
        for deque in ("lf_bulk", "abp"):
            run.cell(["fig7"], "steal", deque, {"percent": 10, "order": "shuffled", "node": 72}, {"steal_latency": (9e3, "ns")})
        _, pictures = pictures_of(run)
        self.assertIn("The nodes of a list have 72 bytes each and lie shuffled in memory.", pictures["fig7_steal"].caption)
        run = SyntheticRun(self.folder / "no-list", deques=LINKED)
        run.section("fig7", "Figure 7")
        run.cell(["fig7"], "steal", "abp", {"percent": 10}, {"steal_latency": (9e3, "ns")})
        _, pictures = pictures_of(run)
        self.assertNotIn("nodes", pictures["fig7_steal"].caption)

    def test_one_disturbed_point_does_not_flatten_its_frame_nor_the_other_method(self):
        run = SyntheticRun(self.folder / "fig8", deques=LINKED)
        run.section("fig8", "Figure 8")
        for method, percent in itertools.product(("corrected", "published"), (10, 30, 60)):
            calm = [14e3 + (3e4 if method == "published" else 0) + 100 * i for i in range(6)]
            values = [46e3, 47e3, *[1.5e6] * 4] if (method, percent) == ("published", 30) else calm
            run.exact("steal", "lf_bulk", {"percent": percent, "method": method, "walk": "full", "owner": "idle", "size": 10000},
                      [{"steal_latency": value} for value in values], tags=["fig8"], role="thief")
        _, pictures = pictures_of(run)
        corrected, published = (pictures[f"fig8_optimised_steal{end}"].frames[0] for end in ("", "-method-published"))
        self.assertLess(corrected.y.high, 50)  # the paper's 37.7, with room
        self.assertLess(published.y.high, 120)
        self.assertEqual([text.text for text in corrected.texts if "\N{UPWARDS ARROW}" in text.text], [])
        self.assertEqual([(text.x, text.y, text.text) for text in published.texts if "\N{UPWARDS ARROW}" in text.text],
                         [(30.0, None, "1500 \N{UPWARDS ARROW}")])
        self.assertIn("1 point above the axis: its value is at the edge", published.x.label)
        self.assertIn('"1500 \N{UPWARDS ARROW}" at first 30, graph 0.96', with_gnuplot.script_text(pictures["fig8_optimised_steal-method-published"]))

    def test_what_an_interval_counts(self):
        """Up to twice its lower end: a point that is really so high still stands on the axis."""
        run = SyntheticRun(self.folder / "high", deques=LINKED)
        run.section("fig8", "Figure 8")
        for percent, values in ((10, [14e3] * 6), (60, [1.5e6 + 1e3 * i for i in range(6)])):
            run.exact("steal", "lf_bulk", {"percent": percent, "walk": "full", "owner": "idle", "size": 10000},
                      [{"steal_latency": value} for value in values], tags=["fig8"], role="thief")
        _, pictures = pictures_of(run)
        self.assertGreater(pictures["fig8_optimised_steal"].frames[0].y.high, 1500)


if __name__ == "__main__":
    run_tests()
