#!/usr/bin/python3
"""Tables of what was counted: values, what could not be had in words, multiplexed and simulated marks, payloads."""

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_contention import ContentionRun

from plots.figures.pictures import counted
from plots.data.run_folder import Run
from plots.data.summaries import summarize
from plots.pages.findings import completeness

OWNER = {("owner", "instructions_per_operation"): (20.0, ""), ("owner", "instructions"): (2e6, ""),
         ("owner", "instructions_per_cycle"): (1.97, ""), ("owner", "l3_references"): (1e6, ""),
         ("owner", "l3_misses"): (84000.0, ""), ("owner", "l1_data_misses_per_operation"): (0.3, ""),
         ("owner", "voluntary_context_switches"): (3.0, "switches")}


class Counted(FolderTest):
    def made(self, fill):
        run = ContentionRun(self.folder / "run", invocations=3, noise=0)
        run.section("5.2-counters", "Counters")
        fill(run)
        read = self.read = Run(run.write())
        return {made.name: made for _, made in counted.draw(read, [], summarize(read))}

    def test_values_and_payloads_of_a_machine_with_counters(self):
        def fill(run):
            for item in (4, 8):
                run.measured(["5.2-counters"], "bwos_lifo", {"counters": "hardware", "item": item, "thieves": 0}, OWNER)
        made = self.made(fill)
        table = made["5.2-counters-counted"]
        self.assertEqual(table.headings[3:6], ["instructions", "per cycle", "L1 misses"])
        self.assertEqual([row[3] for row in table.rows], ["20.0", "20.0"])
        self.assertNotIn("no hardware counters", table.caption)
        rows = {(row[1], row[2]): row[3:] for row in made["5.2-counters-payload"].rows}
        self.assertEqual(rows["8 bytes", "cache miss rate"], ["8.40 %", "8.4"])
        self.assertEqual(rows["4 bytes", "ipc"], ["1.97", "1.51"])
        self.assertIn("5.2-counters-misses", made)

    def test_a_machine_without_counters_says_so_in_words_and_shows_no_zero(self):
        def fill(run):
            for item in (4, 8):
                name = run.measured(["5.2-counters"], "bwos_lifo", {"counters": "hardware", "item": item},
                                    {("owner", "voluntary_context_switches"): (3.0, "switches")})
                template = next(row for row in run.rows if row[0] == name)
                places = [i for i, row in enumerate(run.rows) if row[0] == name and row[8] == "clock_overhead"]
                for place in reversed(places):
                    run.rows[place:place] = [
                        [*template[:5], "owner", run.rows[place][6], 0, metric, "", "", "denied", ""]
                        for metric in ("instructions", "l3_misses", "instructions_per_cycle")]
        made = self.made(fill)
        table = made["5.2-counters-counted"]
        self.assertIn("no hardware counters", table.caption)
        self.assertEqual(table.headings[3:], ["voluntary switches", "involuntary switches", "minor faults",
                                              "major faults"])
        payload = made["5.2-counters-payload"]
        self.assertIn("no hardware counters", payload.caption)
        self.assertEqual({row[3] for row in payload.rows if row[2] == "ipc"}, {"(denied)"})
        self.assertRegex(completeness(summarize(self.read)), r"has no value \(\d+ denied\)")
        self.assertNotIn("5.2-counters-misses", made)

    def test_simulated_and_multiplexed_are_marked(self):
        def fill(run):
            run.measured(["5.2-counters"], "abp", {"counters": "callgrind"},
                         {("owner", "instructions_simulated_per_operation"): (12.0, "")}, flags="simulated")
            run.measured(["5.2-counters"], "abp", {"counters": "hardware+multiplexed"},
                         {("owner", "instructions_per_operation"): (11.0, "")}, flags="multiplexed")
        table = self.made(fill)["5.2-counters-counted"]
        self.assertIn("Simulated", table.caption)
        self.assertIn("multiplexed", table.caption)
        self.assertIn("instructions, simulated", table.headings)
        self.assertTrue(any("11.0 *" in row for row in table.rows))

    def test_without_counters_nothing_is_drawn(self):
        made = self.made(lambda run: run.measured(["5.2-counters"], "abp", {"counters": "none"}, OWNER))
        self.assertEqual(made, {})


if __name__ == "__main__":
    run_tests()
