#!/usr/bin/python3
"""The matrix of places: two sockets with siblings, numbered either way, and a machine that has neither."""

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.figures.pictures import places
from plots.data.run_folder import Run
from plots.data.sections import build_sections
from plots.data.summaries import summarize

SIBLINGS, SOCKET, ACROSS = 40.0, 110.0, 320.0
STEALS = {"abp": 70.0, "chase_lev": 80.0}
FACTORS = {"same-core": 0.5, "same-socket": 1.0, "cross-socket": 2.0}


class Machine(SyntheticRun):
    """So many sockets of so many cores; turn: the sockets' processors are numbered in turn."""

    def __init__(self, folder, sockets, cores, siblings, turn=False):
        super().__init__(folder, invocations=3, noise=0)
        self.sockets, self.cores, self.siblings, self.turn = sockets, cores, siblings, turn
        self.section("5.2-places", "Places")
        self.pingpong()
        for relation, factor in FACTORS.items():
            for deque, time in STEALS.items():
                metrics = {"steal_latency": (time * factor, "ns")} if self.has(relation) else {}
                self.cell(["5.2-places"], "steal", deque, {"placement": relation, "owner": "busy"}, metrics)
                if not metrics:
                    self.replace_last("process", "placement", None, "", "denied")

    def has(self, relation):
        return {"same-core": self.siblings, "same-socket": self.cores > 1, "cross-socket": self.sockets > 1}[relation]

    def number(self, socket, core):
        return core * self.sockets + socket if self.turn else socket * self.cores + core

    def replace_last(self, role, metric, value, unit, status="ok"):
        """Adds a row to each invocation of the newest cell, before its end."""
        name = self.cells[-1]["cell"]
        ends = [i for i, row in enumerate(self.rows) if row[0] == name and row[8] == "invocation_time"]
        for end in reversed(ends):
            row = self.rows[end]
            self.rows.insert(end, [*row[:5], role, row[6], 0, metric, "" if value is None else repr(value), unit,
                                   status, ""])

    def pingpong(self):
        self.cell(["5.2-places"], "pingpong", "empty", {"pairs": "cores"}, {})
        every = [(socket, core) for socket in range(self.sockets) for core in range(self.cores)]
        for place, (socket, core) in enumerate(every):
            one = self.number(socket, core)
            self.replace_last(str(one), "socket", float(socket), "")
            for other, core_of_other in every[place + 1:]:
                time = SOCKET if other == socket else ACROSS
                self.replace_last(f"{one}-{self.number(other, core_of_other)}", "ping_pong_time", time, "ns")
            if self.siblings:
                self.replace_last(f"{one}-{one + len(every)}", "ping_pong_time", SIBLINGS, "ns")
        for relation, time in zip(FACTORS, (SIBLINGS, SOCKET, ACROSS)):
            has = self.has(relation)
            self.replace_last(relation, "ping_pong_time", time if has else None, "ns", "ok" if has else "denied")


class Places(FolderTest):
    def made(self, *machine, **settings):
        self.read = Run(Machine(self.folder / "run", *machine, **settings).write())
        self.summaries = summarize(self.read)
        return {made.name: made for _, made in places.draw(self.read, [], self.summaries)}

    def field(self, picture):
        return picture.frames[0].field.rows

    def labels(self, picture):
        return [int(text) for _, text in picture.frames[0].x.ticks]

    def test_both_numberings_give_the_same_matrix_socket_by_socket(self):
        for turn in (False, True):
            picture = self.made(2, 4, True, turn=turn)["5.2-places-matrix"]
            field = self.field(picture)
            self.assertEqual(self.labels(picture), [0, 2, 4, 6, 1, 3, 5, 7] if turn else list(range(8)))
            for row in range(8):
                for column in range(8):
                    expected = SIBLINGS if row == column else SOCKET if row // 4 == column // 4 else ACROSS
                    self.assertEqual(field[row][column], expected)
            self.assertNotIn("On this machine", picture.caption)

    def test_steals_stand_beside_the_line_of_their_place(self):
        made = self.made(2, 4, True)
        rows = {row[0]: row[1:] for row in made["5.2-places-steal-by-place-table"].rows}
        self.assertEqual([text.split()[0] for text in rows["a line there and back"]], ["40.0", "110", "320"])
        self.assertEqual([text.split()[0] for text in rows["Chase-Lev"]], ["40.0", "80.0", "160"])
        self.assertEqual(list(rows)[1:], ["ABP", "Chase-Lev"])
        lines = [[rule.at for rule in frame.rules] for frame in made["5.2-places-steal-by-place"].frames]
        self.assertEqual(lines, [[20.0], [55.0], [160.0]])

    def test_what_the_machine_lacks_is_said_in_words(self):
        made = self.made(1, 2, False)
        for name, said in made.items():
            self.assertIn("no core has a second processor (SMT)", said.caption, name)
            self.assertIn("there is no second socket", said.caption, name)
        self.assertEqual(["not measured here" in frame.says for frame in made["5.2-places-steal-by-place"].frames],
                         [True, False, True])
        self.assertIn("no second socket", made["5.2-places-matrix"].frames[0].title)
        rows = {row[0]: row[1:] for row in made["5.2-places-steal-by-place-table"].rows}
        self.assertEqual(rows["ABP"][0::2], ["(not measured)"] * 2)

    def test_pairs_do_not_flood_the_tables_and_denied_cells_are_told(self):
        self.made(2, 4, False)
        section = build_sections(self.read, self.summaries)[0]
        self.assertFalse([summary.role for _, summary in section.rows if summary.role[0].isdigit()])
        self.assertEqual({missing.status for missing in section.missing}, {"denied"})
        self.assertEqual(len(section.missing), 2)

    def test_a_run_without_places_draws_nothing(self):
        run = SyntheticRun(self.folder / "run", invocations=2)
        run.section("fig6", "Push")
        run.cell(["fig6"], "push", "abp", {"batch": 1}, {"push_latency": (3.0, "ns")})
        read = Run(run.write())
        self.assertEqual(list(places.draw(read, [], summarize(read))), [])


if __name__ == "__main__":
    run_tests()
