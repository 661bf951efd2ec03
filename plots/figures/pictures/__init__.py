"""The pictures and tables of a report, one module each, found by looking.

A module has one function:

    def draw(run, sections, summaries):      yields (tag, Picture) and (tag, Table)

run: run_folder.Run; sections: sections.build_sections; summaries: summaries.summarize. The tag names the section of the
report it is shown under. A module that finds nothing of its own in the run yields nothing. What cannot be shown on this
machine (no counters, one socket) is said in the caption, in words.
"""
