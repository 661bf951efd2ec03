"""What predicts what: does a microbenchmark order the deques as an application does? Only in runs that have both."""

from plots.data.cells import grouped
from plots.data.predictions import agreements, measurements, sets_of
from plots.figures.grammar import table
from plots.figures.picture import Axis, Field, Frame, Picture, Rule, Text, rows_axis

TAG = "predictions"  # not a section of a suite: the report shows it after the matrix
MICROS_MAX, APPLICATIONS_MAX = 16, 12  # of a run with more, those with the most deques


def draw(run, _sections, summaries):
    shown, left_out = some_of(measurements(run, summaries))
    found = agreements(shown)
    if not found:
        return
    sets = sets_of(shown)
    yield TAG, picture(found, left_out)
    yield TAG, table("predictions-pairs", "What predicts what, in numbers",
                     "tau is Kendall's, with a 95 % interval by bootstrap over deques and invocations: 1 is the same order, 0 says nothing, "
                     "-1 is the reverse order. Right: pairs of deques in the right order, of those that the rule for verdicts tells "
                     "apart in both; then how many pairs the application tells apart at all.",
                     [("microbenchmark", lambda one: one.micro), ("application", lambda one: one.application),
                      ("#deques", lambda one: one.deques), ("#tau", lambda one: f"{one.tau:.2f}"),
                      ("#interval", lambda one: f"[{one.low:.2f}, {one.high:.2f}]"),
                      ("#right", lambda one: f"{one.right} of {one.asked}" if one.asked else "none told apart"),
                      ("#told apart", lambda one: one.apart)], found)
    if sets.held_out:
        rows = [(str(size), ", ".join(sets.chosen[size]), tau) for size, tau in sets.held_out.items()]
        rows.append(("all", "the mean rank over all of them", sets.all_of_them))
        yield TAG, table("predictions-sets", "The smallest set of microbenchmarks that predicts the applications", set_caption(sets),
                         [("#size", 0), ("chosen on all applications", 1), ("#tau on held-out applications", lambda row: f"{row[2]:.2f}")], rows)


def some_of(found):
    """(the measurements that are shown, how many are not): those with the most deques, in the order of the suite."""
    kept = []
    for application, most in ((False, MICROS_MAX), (True, APPLICATIONS_MAX)):
        mine = [one for one in found if one.application == application]
        kept += sorted(mine, key=lambda one: -len(one.times))[:most]
    return [one for one in found if one in kept], len(found) - len(kept)


def set_caption(sets):
    size = sets.smallest
    told = f"The smallest that does as well as all of them has {size}." if size else "No set of up to three does as well as all of them."
    return (f"A set orders the {len(sets.deques)} deques that every measurement has by their mean rank in it. Each application is predicted "
            f"by the set that was best on the others (leave one out), so the last column is no fit. {told}")


def picture(found, left_out):
    micros, applications = (list(dict.fromkeys(getattr(one, kind) for one in found)) for kind in ("micro", "application"))
    by_pair = {(one.micro, one.application): one for one in found}
    mean = {micro: sum(one.tau for one in some) / len(some) for micro, some in grouped(found, lambda one: one.micro).items()}
    micros.sort(key=lambda micro: -mean[micro])
    rows = [[by_pair[micro, one].tau if (micro, one) in by_pair else None for one in applications] for micro in micros]
    texts = [Text(column, row, f"{tau:.2f}" + ("" if says(by_pair[micros[row], applications[column]]) else " ?"), "center",
                  "#FFFFFF" if tau < 0 else "#000000")
             for row, line in enumerate(rows) for column, tau in enumerate(line) if tau is not None]
    columns = Axis(low=-0.5, high=len(applications) - 0.5, ticks=list(enumerate(applications)), steep=True)
    frame = Frame([], columns, rows_axis(micros), "", "", field=Field(rows, "Kendall's tau"), texts=texts,
                  rules=[Rule(place - 0.5, True, "#FFFFFF", "solid") for place in range(1, len(applications))])
    more = f" {left_out} measurements with fewer deques are left out." if left_out else ""
    return Picture("predictions", "What predicts what: microbenchmarks (rows) and applications (columns)",
                   "Kendall's tau between the two orders of the deques, the best predictor on top. 1: the same order; 0: it says nothing; "
                   f"-1: the reverse. With ?: the 95 % interval contains 0.{more}", [frame],
                   5 + 0.75 * len(applications), 2.2 + 0.3 * len(micros), 1)


def says(one):
    """Does the microbenchmark predict anything about the application? Then its interval does not contain 0."""
    return one.low > 0 or one.high < 0
