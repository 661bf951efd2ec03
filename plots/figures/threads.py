"""What figures over the number of threads share: the axis, and the ground where processors were fewer."""

from plots.figures.picture import Axis


def threads_axis(threads, label="threads"):
    """A logarithmic axis that names the numbers of threads themselves."""
    return Axis(label, "log2", min(threads) / 1.15, max(threads) * 1.15, [(number, str(number)) for number in threads])


def oversubscribed(curves):
    """(where a grey ground lies, from the first number of threads beyond the processors; its sentence), or (None, '')."""
    over = sorted({point.threads for curve in curves for point in curve.points if point.oversubscribed})
    fine = [point.threads for curve in curves for point in curve.points if not point.oversubscribed]
    if not over:
        return None, ""
    left = (over[0] * max([threads for threads in fine if threads < over[0]], default=over[0] / 2)) ** 0.5
    return (left, over[-1] * 1.15), (f"Grey ground: more threads than processors (from {over[0]} on); they say how the "
                                     "system shared out the processors. ")
