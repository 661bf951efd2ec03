#!/usr/bin/python3
"""Other people's results folders: nothing is written outside of them, and none of their content runs in a page."""

import json
import lzma

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data.foreign import plain_name, text_within


class Foreign(FolderTest):
    def run_folder(self):
        run = SyntheticRun(self.folder / "results" / "run", invocations=1, repetitions=1)
        run.section("fig6", "Figure 6")
        run.cell(["fig6"], "push", "chase_lev", {"batch": 1}, {"push_latency": (5, "ns")})
        run.cell(["fig6"], "push", "abp", {"batch": 1}, {"push_latency": (7, "ns")})
        return run.write()

    def changed(self, folder, change):
        manifest = json.loads((folder / "manifest.json").read_text())
        change(manifest)
        (folder / "manifest.json").write_text(json.dumps(manifest))

    def files_outside(self, folder):
        return {path for path in self.folder.rglob("*") if folder not in path.parents}

    def test_a_name_that_is_a_path_is_refused_before_anything_is_written(self):
        def tag(name):
            def change(manifest):
                manifest["sections"].append({"tag": name, "title": "x"})
                manifest["cells"][0]["tags"].append(name)
            return change

        for change in (tag("../../x"), tag("/tmp/x"), tag(".."), tag("a\nb"), tag(["x"]),
                       lambda manifest: manifest["cells"][0].update(workload="../x"),
                       lambda manifest: manifest["cells"][0].update(deque="../../x")):
            folder = self.run_folder()
            self.changed(folder, change)
            before = self.files_outside(folder)
            for program in ("draw", "pages.beside", "pages.summary"):
                self.expect(3, program, folder, says="is no plain name")
            self.assertEqual(self.files_outside(folder), before)

    def test_a_row_of_samples_is_held_to_the_same(self):
        folder = self.run_folder()
        self.changed(folder, lambda manifest: manifest.pop("cells"))
        samples = folder / "samples.csv"
        for ours, theirs in ((",push,", ",../../x,"), (",chase_lev,", ",../../x,")):
            samples.write_text(text := samples.read_text().replace(ours, theirs))
            self.expect(3, "draw", folder, says="is no plain name")
            samples.write_text(text.replace(theirs, ours))

    def test_names_that_the_driver_gives_are_plain(self):
        for name in ("5.2-fig3", "-", "_x", "fig6", "as_published/lf_queue", "base/chase_lev"):
            self.assertEqual(plain_name(name, folders=True), name)
        for name in ("", ".", ".hidden", "a/b", "a b", "\N{LATIN SMALL LETTER E WITH ACUTE}", "x" * 300, None, 3):
            with self.assertRaises(ValueError):
                plain_name(name)
        with self.assertRaises(ValueError):
            plain_name("a/../b", folders=True)

    def test_links_out_of_the_folder_are_not_followed(self):
        folder = self.run_folder()
        (self.folder / "home").mkdir()
        (thesis := self.folder / "home" / "thesis.pdf").write_text("years of work")
        (folder / "figures").symlink_to(self.folder / "home")
        self.expect(3, "draw", folder, says="leads out")
        self.assertTrue(thesis.exists())
        (folder / "figures").unlink()
        self.expect(0, "draw", folder)
        (folder / "figures" / "fig6_push.pdf").unlink()
        (folder / "figures" / "fig6_push.pdf").symlink_to(thesis)
        self.expect(3, "pages.publish", folder, says="leads out")

    def test_a_picture_is_an_image_of_the_page_and_no_part_of_it(self):
        """A browser runs nothing of an image, and asks for nothing that it names."""
        folder = self.run_folder()
        self.expect(0, "draw", folder)
        (folder / "figures" / "fig6_push.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>steal()</script></svg>")
        self.expect(0, "pages.beside", folder)
        page = (folder / "report.html").read_text()
        self.assertNotIn("steal(", page)
        self.assertIn('<img src="figures/fig6_push.svg"', page)

    def test_what_unpacks_to_more_than_it_may_is_not_unpacked(self):
        (packed := self.folder / "samples.csv.xz").write_bytes(lzma.compress(b"x" * 10000))
        self.assertEqual(len(text_within(packed, 10000)), 10000)
        with self.assertRaisesRegex(ValueError, "larger than"):
            text_within(packed, 9999)

    def test_the_index_of_the_figures_is_checked(self):
        folder = self.run_folder()
        self.expect(0, "draw", folder)
        index = folder / "figures" / "pictures.json"
        drawn = json.loads(index.read_text())

        def first(change):
            entries = json.loads(json.dumps(drawn))
            change(entries[0])
            return entries

        for entries, says in ((first(lambda one: one.update(name="../../secret")), "plain name"),
                              (first(lambda one: one["files"].append("../../secret.pdf")), "plain name"),
                              (first(lambda one: one["picture"]["frames"][0]["layers"][0].update(colour="url(//evil.example)")), "colour"),
                              ({"a": 1}, "draw the run again"), ([1], "draw the run again"), ([{}], "draw the run again")):
            index.write_text(json.dumps(entries))
            self.expect(3, "pages.beside", folder, says=says)


if __name__ == "__main__":
    run_tests()
