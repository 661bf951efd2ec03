#!/usr/bin/python3
"""Every picture of several runs can be read, on the page and in a column of a paper: nothing covers the numbers of an axis, each
axis has numbers, they have no exponents, and names distinguish pictures. Tested by drawing them."""

import importlib.util
import re
import unittest
from collections import namedtuple
from dataclasses import replace
from types import SimpleNamespace

from tests.plots.many_deques_test import many_deques
from tests.plots.support import ROOT, FolderTest, drawn, folder_of_class, run_tests
from tests.plots.synthetic_contention import contention_run
from tests.plots.synthetic_run import whole_run

from harness.judging.defaults import all_defaults
from plots.data.matrix import Frontier, Point
from harness.judging.run_folder import Run
from plots.figures import with_matplotlib
from plots.figures.for_paper import STYLES
from plots.figures.groups import LINES_MAX
from plots.figures.pictures import frontier
from plots.figures.styles import EMULATED_DASHES, Looks
from plots.figures.picture import Axis, Frame, Layer, Look, Mark, Picture, Table

EXPONENT = re.compile(r"\d[eE][-+]?\d|10\^|\$|\N{MULTIPLICATION SIGN}10")
SETTINGS = {"of", *(name for some in all_defaults().values() for name in some)}  # after which a number stands
Drawn = namedtuple("Drawn", "run picture")


def boxes(figure):
    """(the legend's box or None, [(axes, its box with all that is written around it)]), in pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    legend = figure.legends[0].get_window_extent(renderer) if figure.legends else None
    return legend, [(axes, axes.get_tightbbox(renderer)) for axes in figure.axes if axes.get_visible()]


def numbers_of(axes, name):
    """The texts along an axis that are shown."""
    axis = getattr(axes, f"{name}axis")
    low, high = sorted(axis.get_view_interval())
    return [label.get_text() for place, label in zip(axis.get_majorticklocs(), axis.get_majorticklabels())
            if low <= place <= high and label.get_text()]


def overlap(one, other):
    """Pixels by which two boxes cover each other in both directions."""
    return min(one.x1, other.x1) - max(one.x0, other.x0), min(one.y1, other.y1) - max(one.y0, other.y0)


def covers(one, other, by=1.0):
    return min(overlap(one, other)) > by


def ticks_that_meet(axes, name):
    """Pairs of texts along an axis, one over the other."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    renderer = FigureCanvasAgg(axes.figure).get_renderer()
    axis = getattr(axes, f"{name}axis")
    low, high = sorted(axis.get_view_interval())
    shown = [label for place, label in zip(axis.get_majorticklocs(), axis.get_majorticklabels())
             if low <= place <= high and label.get_text()]
    turned = [label for label in shown if label.get_rotation() % 90]
    if turned:
        return []
    found = [(label.get_text(), label.get_window_extent(renderer)) for label in shown]
    return [(one, other) for (one, box), (other, next_box) in zip(found, found[1:]) if covers(box, next_box, 0.5)]


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "left out: no matplotlib here")
class EveryPicture(FolderTest):
    @classmethod
    def setUpClass(cls):
        folder, cls.seen = folder_of_class(cls), {}
        runs = {"kept": ROOT / "results/example/quick", "operations": whole_run(folder / "a", invocations=2),
                "contention": contention_run(folder / "b", invocations=2), "many": many_deques(folder / "c")}
        cls.runs = {name: Run(path) for name, path in runs.items()}
        cls.all = [Drawn(name, made) for name, run in cls.runs.items() for _, made in drawn(run).values()]
        cls.pictures = [one for one in cls.all if isinstance(one.picture, Picture)]

    def drawn(self, picture, style=None):
        """(figure, the legend's box, the axes' boxes); each picture is drawn once in each style."""
        import matplotlib
        known = (id(picture), style)
        if known not in self.seen:
            with matplotlib.rc_context(with_matplotlib.SETTINGS | (style.settings() if style else {})):
                figure = with_matplotlib.drawn(style.fitted(picture) if style else picture, titled=style is None)
                self.seen[known] = (figure, *boxes(figure), picture)
        return self.seen[known][:3]

    def test_nothing_lies_over_an_axis_on_the_page_and_in_a_column(self):
        self.assertGreater(len(self.pictures), 50)
        for style, some in ((None, self.pictures), (STYLES["acm"], self.pictures[::3]), (STYLES["slides"], self.pictures[1::3])):
            for name, picture in some:
                figure, legend, axes = self.drawn(picture, style)
                with self.subTest(name, picture=picture.name, style=style and style.column):
                    for one, box in axes:
                        self.assertFalse(legend is not None and covers(legend, box), "the legend lies over an axis")
                        thin = one.get_label() == "<colorbar>"
                        self.assertGreater(one.get_window_extent().width, (0.1 if thin else 0.6) * figure.dpi, "a frame without room")
                        self.assertGreater(one.get_window_extent().height, 0.4 * figure.dpi, "a frame without room")
                        if style is None:
                            self.assertEqual(ticks_that_meet(one, "x"), [])
                    for place, (_, box) in enumerate(axes):
                        for _, other in axes[place + 1:]:
                            self.assertFalse(covers(box, other, 2), "two frames lie over each other")

    def test_no_name_of_the_frontier_lies_over_a_marker_or_another_name(self):
        crowd = Frontier("crowd", "Crowded", [Point(f"a_long_name_{i}", (x, x, x), (y, y, y), 6, "frontier") for i, (x, y) in enumerate(
            ((2, 90), (2.4, 80), (2.9, 79), (3, 60), (3.3, 40), (9, 39), (9.5, 35), (20, 30), (90, 29), (95, 10)))])
        deques = [one.deque for one in crowd.points]
        run = SimpleNamespace(cells={deque: {"deque": deque} for deque in deques}, deque_facts=lambda deque: {})
        alone = Picture("frontier", "t", "c", [frontier.frame_of(run, crowd, Looks(run), frontier.ROOM[1])], 7.0, 3.2)
        found = [one for one in self.pictures if one.picture.name == "frontier"] + [Drawn("crowd", alone)]
        self.assertGreater(len(found), 2)
        for name, picture in found:
            _, _, axes = self.drawn(picture)
            for frame, (one, _) in zip(picture.frames, axes):
                boxes_of = {text.get_text(): text.get_window_extent() for text in one.texts}
                places = [one.transData.transform((mark.x, mark.y)) for layer in frame.layers if layer.kind == "points"
                          for mark in layer.marks]
                for label, box in boxes_of.items():
                    with self.subTest(name, frame=frame.title, label=label):
                        self.assertEqual([place for place in places if box.contains(*place)], [])
                        self.assertEqual([other for other, its in boxes_of.items() if other != label and covers(box, its)], [])

    def test_every_axis_has_numbers_or_names(self):
        """At least two numbers, unless there is only one place, or the frame says why it is empty."""
        for name, picture in self.pictures:
            _, _, axes = self.drawn(picture)
            for frame, (one, _) in zip(picture.frames, axes):
                if frame.says:
                    continue
                for which, sideways in (("x", True), ("y", False)):
                    axis = getattr(frame, which)
                    places = {value for value in frame.reach(sideways) if value is not None}
                    shown = numbers_of(one, which)
                    with self.subTest(name, picture=picture.name, frame=frame.title, axis=which):
                        if not axis.hidden:
                            self.assertGreaterEqual(len(shown), min(2, len(places)) if axis.ticks else 2, shown)

    def test_no_number_has_an_exponent(self):
        for name, one in self.all:
            with self.subTest(name, made=one.name):
                self.assertNotRegex(one.title + one.caption, EXPONENT)
                if isinstance(one, Table):
                    for row in one.rows:
                        self.assertNotRegex(" ".join(map(str, row)), EXPONENT)
                    continue
                _, _, axes = self.drawn(one)
                texts = [text for frame in one.frames for text in [frame.title, *(text.text for text in frame.texts)]]
                texts += [mark.text for frame in one.frames for layer in frame.layers for mark in layer.marks]
                texts += [text for axes_of_one, _ in axes for which in "xy" for text in numbers_of(axes_of_one, which)]
                self.assertNotRegex("\n".join(texts), EXPONENT)

    def test_names_tell_what_differs(self):
        """Words of a section's tag, settings and groups; no number that counts pictures. And each says what it shows."""
        for _, picture in self.all:
            self.assertTrue(picture.title.strip() and picture.caption.strip() and picture.title != picture.name, picture.name)
            self.assertRegex(picture.name, r"^[A-Za-z0-9][\w.-]*[A-Za-z0-9]$")
            self.assertNotIn("--", picture.name)
            counted = re.search(r"(?:^|-)([A-Za-z_0-9]*)-\d+$", picture.name)
            self.assertTrue(counted is None or counted[1] in SETTINGS, picture.name)

    def test_a_deque_has_one_colour_and_one_shape_everywhere(self):
        tables = {name: Looks(run).table for name, run in self.runs.items()}
        looks = {}  # {(run, title): (colour, shape)}
        for name, table in tables.items():
            looks |= {(name, self.runs[name].deque_facts(deque).get("title", deque)): (look.colour, look.shape)
                      for deque, look in table.items()}
        seen = 0
        for run, layer in ((one.run, layer) for one in self.pictures for frame in one.picture.frames for layer in frame.layers):
            titles = [title for its_run, title in looks if its_run == run and layer.label.startswith(title)]
            if layer.kind == "curve" and titles:
                self.assertEqual((layer.look.colour, layer.look.shape), looks[run, max(titles, key=len)], layer.label)
                seen += 1
        self.assertGreater(seen, 30)

    def test_hollow_is_published_dashed_is_emulated_and_lines_are_few(self):
        seen = {"hollow": 0, "dashed": 0}
        for frame in (frame for one in self.pictures for frame in one.picture.frames):
            lines = [layer for layer in frame.layers if layer.kind == "curve" and layer.marks and layer.label]
            self.assertLessEqual(len(lines), LINES_MAX, frame.title)
            self.assertEqual(len({(layer.look.colour, layer.look.shape, layer.look.dash) for layer in lines}), len(lines),
                             [layer.label for layer in lines])
            for layer in frame.layers:
                dashed = layer.look.dash in EMULATED_DASHES
                self.assertRegex(layer.label, "^(paper|posts|the thesis)" if layer.look.hollow else ".?")
                self.assertRegex(layer.label, r"\(emulated\)" if dashed and layer.label else ".?")
                seen["hollow"] += layer.look.hollow
                seen["dashed"] += dashed
        self.assertGreater(min(seen.values()), 0)

    def test_what_is_seen_is_seen(self):
        """The same tests must fail on wrong pictures."""
        marks = [Mark(1, 1), Mark(2, 2)]
        good = Picture("p", "t", "c", [Frame([Layer(marks, Look("#000000"), label="A")], Axis("x"), Axis("y"))])
        figure, legend, axes = self.drawn(good)
        self.assertFalse(covers(legend, axes[0][1]))
        figure.legends[0].set_bbox_to_anchor((0.5, 0.4))
        self.assertTrue(covers(boxes(figure)[0], axes[0][1]))
        one_number = replace(good, frames=[Frame(good.frames[0].layers, Axis("x", ticks=[(1, "1")]), Axis("y"))])
        self.assertEqual(numbers_of(self.drawn(one_number)[2][0][0], "x"), ["1"])
        crowded = Frame(good.frames[0].layers, Axis("x", ticks=[(1, "a long text here"), (1.02, "another one")]), Axis("y"))
        self.assertTrue(ticks_that_meet(self.drawn(replace(good, frames=[crowded]))[2][0][0], "x"))
        self.assertRegex("2.37686e+07", EXPONENT)


if __name__ == "__main__":
    run_tests()
