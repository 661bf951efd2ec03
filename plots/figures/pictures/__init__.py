"""The pictures and tables of a report; modules are found automatically.

A module has one function:

    def draw(run, sections, summaries):      yields (tag, Picture) and (tag, Table)

or several, named in DRAWN: {name: function}. The names give their order in a section.

run: run_folder.Run; sections: sections.build_sections; summaries: summaries.summarize. The tag names the section of the
report. A function yields nothing if the run has no cells for it. If this machine cannot show something (no counters, one
socket), the caption says so.
"""

from pathlib import Path

__path__ += map(str, sorted(Path(__file__).parents[3].glob("extras/*/pictures")))
