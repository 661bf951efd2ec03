"""The contention workload's cells, as the figures and tables of chapter 5.2 of the BWoS thesis need them.

A cell is one deque under one setting. The thesis compares four deques (THESIS); here any deque may be measured.
"""

from harness.judging.cells import cells_of, grouped
from harness.judging.words import frequency_text, thieves_text
from harness.judging.words import in_order as number  # a sort key; `max` is beyond all numbers

# The thesis's names for what we have under these ids.
THESIS = {"bwos_lifo": "LIFO_BWoS", "abp": "ABP", "chase_lev": "CL", "locked_fixed": "Locked"}


def contention_cells(run, summaries):
    """Every cell of the workload that has any value, once for each section that it stands in."""
    return [cell for cell in cells_of(run, summaries, "contention") if cell.metrics]


def by_settings(cells, names):
    """{(values of these parameters): cells}, in the order of numbers."""
    groups = grouped(cells, lambda cell: tuple(cell.params.get(name, "") for name in names))
    return dict(sorted(groups.items(), key=lambda item: [number(value) for value in item[0]]))


def whose(params):
    """Whose frequency it is."""
    return "of all thieves together" if params.get("frequency_of") == "all" else "each"


def setting_text(cell, leave_out=()):
    """'5 thieves, capacity 1024, 4-byte items': the settings of a picture or a table."""
    params = cell.params
    thieves = params.get("thieves", "")
    parts = {"thieves": thieves_text(thieves),
             "frequency": f"{frequency_text(params.get('frequency', ''))} {whose(params)}" if thieves != "0" else "",
             "frequency_of": f"frequencies {whose(params)}" if "frequency" in leave_out and thieves not in "01" else "",
             "capacity": f"capacity {params.get('capacity')}", "item": f"{params.get('item')}-byte items",
             "steal": "steals of one" if params.get("steal") == "one" else
             f"steals of {params.get('percent')} %" if params.get("steal") == "batch" else "",
             "pacing": "the thesis's pacing" if params.get("pacing") == "thesis" else "",
             "placement": placement if (placement := params.get("placement", "")) not in ("compact", "none") else ""}
    return ", ".join(text for name, text in parts.items() if name not in leave_out and text)
