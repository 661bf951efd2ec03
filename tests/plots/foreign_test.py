#!/usr/bin/python3
"""Results folders of somebody else: nothing is written outside of them, nothing of them runs in a page."""

import json
import lzma
import re

from tests.plots.support import FolderTest, run_tests
from tests.plots.synthetic_run import SyntheticRun

from plots.data.foreign import LARGEST_PICTURE, picture_of, plain_name, text_within

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9" '
HOSTILE = HEAD + '''onload="steal(1)"><script>steal(2)</script><style>* { background: url(//evil.example/3) }</style>
<foreignObject><iframe src="javascript:steal(4)"/></foreignObject><a xlink:href="javascript:steal(5)"><text x="1" y="2">link</text></a>
<path id="shape" d="M 0 0 L 9 9" style="stroke: #000000; fill: url(//evil.example/6)" onclick="steal(7)"/>
<path d="M 1 1" style="stroke: red}&lt;/style&gt;&lt;script&gt;steal(8)&lt;/script&gt;"/><use xlink:href="#shape" x="1" y="1"/>
<g id="many"><use xlink:href="#shape"/></g><use xlink:href="#many"/><use xlink:href="//evil.example/9.svg#a"/>
<image xlink:href="//evil.example/10.png" width="1" height="1"/><image xlink:href="data:image/svg+xml;base64,AAAA" width="1"/>
<image xlink:href="data:image/png;base64,iVBORw0KGgo=" width="2" height="1"/><animate attributeName="href" to="javascript:steal(11)"/>
<set onbegin="steal(12)"/><text x="3" y="4" style="font: 8px 'DejaVu Sans'">kept &lt;/noscript&gt;</text></svg>'''


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

    def test_nothing_of_a_picture_runs_in_the_page(self):
        folder = self.run_folder()
        self.expect(0, "draw", folder)
        (folder / "figures" / "fig6_push.svg").write_text(HOSTILE)
        said = self.expect(0, "pages.beside", folder, says="was not drawn by this suite").stderr
        for name in ("onload", "script", "foreignObject", "a", "onclick", "style", "animate", "set"):
            self.assertRegex(said, rf"[ ,]{name}(,|\n)")
        page = (folder / "report.html").read_text()
        for trace in ("steal(", "evil.example", "javascript:", "foreignObject", "svg+xml", "animate"):
            self.assertNotIn(trace, page)
        for kept in ("kept &lt;/noscript&gt;", "data:image/png;base64,iVBORw0KGgo=", "stroke"):
            self.assertIn(kept, page)
        self.assertEqual(len(re.findall(r'<use [^>]*href="', page)), 2, "what is used again is a shape")
        self.expect(0, "pages.publish", folder)

    def test_pictures_that_are_none(self):
        folder = self.run_folder()
        self.expect(0, "draw", folder)
        bomb = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + HEAD + ">&b;</svg>"
        for text, says in (("<html/>", "no SVG"), ("no markup", "draw the run again"), (bomb, "entities"),
                           (HEAD + ">" + "<g>" * 5000 + "</g>" * 5000 + "</svg>", "too deep")):
            (folder / "figures" / "fig6_push.svg").write_text(text)
            self.expect(3, "pages.beside", folder, says=says)
        large = self.folder / "large.svg"
        large.write_text(HEAD + ">" + " " * LARGEST_PICTURE + "</svg>")
        with self.assertRaisesRegex(ValueError, "larger than"):
            picture_of(large)

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
