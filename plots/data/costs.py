"""What a run of an application cost besides its time."""

from harness.judging.words import value_text

COSTS = [("processor time", ("pool", "processor_time")), ("memory", ("process", "peak_memory"))]


def cost_text(summary):
    """The median with its unit; "denied" if the machine hides the value from this user; "" if there is none."""
    if summary is None or summary.status == "denied":
        return "" if summary is None else summary.status
    return value_text(summary.median, summary.unit) if summary.status == "ok" else ""
