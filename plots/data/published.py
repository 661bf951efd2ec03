"""The papers' own numbers, read from results/published/.

A published value is shown beside one of our series only if that series does what the paper measured: COUNTERPARTS and each
figure's conditions say which.
"""

from dataclasses import dataclass
from pathlib import Path

from harness.judging.run_folder import table_rows
from harness.judging.words import plain

# The bulk paper's series: the deques that do the same here, and the settings under which they do. LF_Queue pushed
# lists that were linked already; Taskflow was pushed item by item; steal walked to the tail unless "optimized".
COUNTERPARTS = {
    "LF_Queue": [("lf_bulk", {"walk": "full", "prelinked": "1"})],
    "LF_Queue_optimized": [("lf_bulk", {"walk": "skip"})],
    "TF_BD_Queue": [("taskflow_bounded", {"push": "single"})],
    "TF_UB_Queue": [("taskflow_unbounded", {"push": "single"})],
    "all_three_queues": [("lf_bulk", {"walk": "full"}), ("taskflow_bounded", {}), ("taskflow_unbounded", {})],
}

COLUMNS = "figure series x_name x metric bound value unit where".split()
BOUND_SIGNS = {"=": "", "~": "\N{ALMOST EQUAL TO} ", "<": "< ", ">": "> "}
FOLDER = Path(__file__).resolve().parents[2] / "results" / "published"


@dataclass(frozen=True)
class PublishedValue:
    """One value as a paper states it. x is None where the paper has no x."""

    series: str
    x: str
    metric: str
    bound: str
    value: float
    unit: str

    def text(self, scale=1.0):
        """'< 500': the value, divided by scale, with its bound."""
        return f"{BOUND_SIGNS.get(self.bound, self.bound + ' ')}{plain(self.value / scale)}"

    def is_measured_by(self, deque, params):
        """Does this deque with these settings do what the published series did?"""
        return any(deque == ours and all(params.get(name, value) == value for name, value in settings.items())
                   for ours, settings in COUNTERPARTS.get(self.series, []))

    @property
    def deque(self):
        """The id of the deque that does what one published series did, or None."""
        ours = COUNTERPARTS.get(self.series, [])
        return ours[0][0] if len(ours) == 1 else None


def text_of(values, scale=1.0):
    """Several values for one place, as one text: equal ones once, the ends of a range joined."""
    texts = list(dict.fromkeys(value.text(scale) for value in values))
    if len(texts) == 2 and {value.bound for value in values} == {"~"} and len({value.series for value in values}) == 1:
        numbers = sorted(value.value / scale for value in values)
        return f"{BOUND_SIGNS['~']}{plain(numbers[0])} to {plain(numbers[-1])}"
    return ", ".join(texts)


def read_published(figure, file="bulk_deque_paper.csv"):
    """All values that the file states for that figure; [] when it states none."""
    def value_of(row):
        return PublishedValue(row["series"], None if row["x_name"] == "none" else row["x"], row["metric"], row["bound"],
                              float(row["value"]), row["unit"])

    return [value for of, value in table_rows(FOLDER / file, COLUMNS, lambda row: (row["figure"], value_of(row))) if of == figure]
