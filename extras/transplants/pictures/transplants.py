"""Another runtime with our deques in the place of its own: ratios to its own deque."""

from extras.runtimes.data import time_text
from extras.transplants.data import compare
from harness.judging.cells import grouped
from plots.figures.figure import Figure, Value, table


def draw(run, summaries):
    for host, rows in grouped(compare(run, summaries), lambda row: row.host).items():
        name = run.deque_facts(f"{host}/own").get("title") or host
        figure = Figure(f"transplants-{host}", f"Our deques in {name}, against its own",
                        "Left of the dotted line the host is faster with our deque than with its own. Medians of the ratios of invocations "
                        "that ran near each other, with 95 % intervals.")
        axes = figure.axes("work", "time over that with the host's own deque", rows=True, log="y", level=1)
        for row in rows:
            axes.bar(row.deque, row.title, Value(row.against.ratio, row.against.low, row.against.high, row.against.pairs))
        yield rows[0].tag, figure
        yield rows[0].tag, table(f"transplants-{host}-ratios", f"Our deques in {name}, in numbers", "Ratios below 1: faster with ours.",
                                 [("work", lambda row: row.title), ("deque", lambda row: row.deque),
                                  ("#its own", lambda row: time_text(row.against.their_time, row.unit)),
                                  ("#with ours", lambda row: time_text(row.against.time, row.unit)),
                                  ("#ratio", lambda row: row.against.text),
                                  ("with ours it is", lambda row: row.against.judged.verdict)], rows)
