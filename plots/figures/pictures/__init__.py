"""The pictures and tables of a report, found by looking.

A module has one function:

    def draw(run, sections, summaries):      yields (tag, Picture) and (tag, Table)

or several, named in DRAWN: {name: function}. The names give their order in a section.

run: run_folder.Run; sections: sections.build_sections; summaries: summaries.summarize. The tag names the section of the
report. A function that finds nothing of its own in the run yields nothing. What this machine cannot show (no counters, one
socket) is said in the caption, in words.
"""
