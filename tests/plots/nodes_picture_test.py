#!/usr/bin/python3
"""The spread between nodes: a made-up run on three hosts in, the numbers that the picture and its table must show out."""

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data.run_folder import Run
from plots.figures.pictures import nodes


class Nodes(FolderTest):
    def made_up(self, factors):
        """Two cells, of which host n slows the first by factors[n] and leaves the second as it is; an invocation a host."""
        made = SyntheticRun(self.folder / "run", invocations=len(factors), repetitions=1, noise=0)
        made.section("a", "a")
        slowed = made.cell(["a"], "push", "chase_lev", {"batch": 1}, {"push_latency": (10.0, "ns")})
        made.cell(["a"], "push", "locked", {"batch": 1}, {"push_latency": (20.0, "ns")})
        for row in made.rows:
            if row[0] == slowed and row[8] == "push_latency":
                row[9] = repr(float(row[9]) * list(factors.values())[row[6]])
            row += ["", list(factors)[row[6]]]
        return Run(made.write())

    def test_a_slower_node_is_as_far_as_it_is_slower(self):
        found = dict((made.name, (tag, made)) for tag, made in nodes.draw(self.made_up({"n1": 1, "n2": 1.1, "n3": 1}), [], []))
        self.assertEqual(set(found), {"nodes", "nodes-table"})
        tag, picture = found["nodes"]
        self.assertEqual(tag, nodes.TAG)
        [frame] = picture.frames
        cells, middles = frame.layers
        away = {(round(mark.y), round(mark.x, 6)) for mark in cells.marks}
        self.assertEqual(away, {(0, 0), (1, 10), (1, 0), (2, 0)})
        self.assertEqual([round(mark.x, 6) for mark in middles.marks], [0, 5, 0])
        self.assertEqual([text for _, text in frame.y.ticks], ["n1", "n2", "n3"])
        self.assertIn("10.0 % in the worst", picture.caption)
        _, table = found["nodes-table"]
        self.assertEqual([row[:2] + row[3:] for row in table.rows],
                         [["chase_lev", "push", "3", "n1", "n2", "10.0"], ["locked", "push", "3", "n1", "n1", "0"]])

    def test_one_host_has_no_spread(self):
        self.assertEqual(list(nodes.draw(self.made_up({"n1": 1}), [], [])), [])


if __name__ == "__main__":
    run_tests()
