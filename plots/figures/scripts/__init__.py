"""The figures and tables of a report: a script each, found automatically (those of extras, too).

    def draw(run, summaries):      yields (tag, Figure) and (tag, Table)

The tag names the section of the report. A script yields nothing if the run has no cells for it. What this machine cannot show (no
counters, one socket) its caption says.
"""

from pathlib import Path

__path__ += map(str, sorted(Path(__file__).parents[3].glob("extras/*/pictures")))
