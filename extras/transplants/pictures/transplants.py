"""Another runtime with our deques in the place of its own: ratios to its own deque."""

from harness.judging.cells import grouped
from extras.runtimes.data import time_text
from extras.transplants.data import compare
from plots.figures.grammar import in_row, row_layers, table
from plots.figures.picture import Axis, Frame, Picture, Rule, rows_axis
from plots.figures.styles import Looks, paler


def look_of(looks, host, deque):
    """One of our deques looks as everywhere, and another form of it (weir_cells) paler."""
    if deque in looks.table:
        return looks.of(deque)
    plain = deque.rpartition("_")[0]
    return paler(looks.of(plain)) if plain in looks.table else looks.of(f"{host}/{deque}")


def draw(run, _sections, summaries):
    rows = compare(run, summaries)
    looks = Looks(run)
    for host, mine in grouped(rows, lambda row: row.host).items():
        name = run.deque_facts(f"{host}/own").get("title") or host
        tag, titles = mine[0].tag, list(dict.fromkeys(row.title for row in mine))
        deques = list(dict.fromkeys(row.deque for row in mine))
        entries = [(titles.index(row.title) + in_row(deques.index(row.deque), len(deques)),
                    (row.against.ratio, row.against.low, row.against.high), look_of(looks, host, row.deque), row.deque)
                   for row in mine]
        frame = Frame(row_layers(entries, "across", texts=False), Axis("time over that with the host's own deque", "log"),
                      rows_axis(titles), grid="x", rules=[Rule(1)])
        yield tag, Picture(f"transplants-{host}", f"Our deques in {name}, against its own",
                           "Left of 1: the host is faster with our deque than with its own. Medians of the ratios of invocations that "
                           "ran near each other, with 95 % intervals. A paler deque is another form of the one of that colour.", [frame], 8.0, 1.2 + 0.16 * len(deques) * len(titles))
        yield tag, table(f"transplants-{host}-ratios", f"Our deques in {name}, in numbers",
                         "Ratios below 1: faster with ours. Verdicts by the one rule, over all rows of this table.",
                         [("work", lambda row: row.title), ("deque", lambda row: row.deque),
                          ("#its own", lambda row: time_text(row.against.their_time, row.unit)),
                          ("#with ours", lambda row: time_text(row.against.time, row.unit)),
                          ("#ratio", lambda row: row.against.text), ("with ours it is", lambda row: row.against.judged.verdict)], mine)
