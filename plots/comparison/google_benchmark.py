"""What a program of Google Benchmark writes with --benchmark_out=FILE.json, as a run that can be compared: each benchmark is
a cell, each repetition takes the place of an invocation, its real time is what is measured."""

import json
from collections import defaultdict
from pathlib import Path

from plots import statistics as statistics_of
from plots.data.run_folder import Problem, read_text
from plots.data.summaries import Summary
from plots.data.words import NANOSECONDS


def is_google_benchmark(path):
    return Path(path).is_file() and Path(path).suffix == ".json"


class GoogleBenchmark:
    """The parts of plots.data.run_folder.Run that a comparison asks for."""

    def __init__(self, path):
        self.folder = Path(path)
        try:
            data = json.loads(read_text(self.folder, "it is to be compared"))
            context, benchmarks = data.get("context") or {}, list(data["benchmarks"])
        except (ValueError, KeyError, AttributeError, TypeError):
            raise Problem(f"{path} is no JSON of Google Benchmark (--benchmark_out=FILE --benchmark_out_format=json)") from None
        self.manifest = {"machine": {"cpu": f"{context.get('num_cpus', '?')} processors of {context.get('host_name', '?')}"},
                         "build": {"flags": f"library built as {context.get('library_build_type', '?')}"},
                         "start": context.get("date"), "end": context.get("date")}
        self.cells, self.invocations = {}, {}
        self.summaries = self._summarized(benchmarks)

    def deque_facts(self, _deque):
        return {}

    def _summarized(self, benchmarks):
        times, failed = defaultdict(list), set()
        for one in benchmarks:
            if one.get("run_type", "iteration") != "iteration" or one.get("aggregate_name"):
                continue
            name = one.get("run_name", one.get("name"))
            times[name]  # there, whatever came of it
            if one.get("error_occurred"):
                failed.add(name)
            elif isinstance(one.get("real_time"), (int, float)) and one.get("time_unit", "ns") in NANOSECONDS:
                times[name].append(one["real_time"] * NANOSECONDS[one.get("time_unit", "ns")])
            else:
                raise Problem(f"{self.folder}: {name} has no time: it is damaged, or counts something else")
        if not times:
            raise Problem(f"{self.folder} holds no benchmark with its repetitions: was it made with "
                          "--benchmark_report_aggregates_only?")
        return [self._summary(name, values, name in failed) for name, values in times.items()]

    @staticmethod
    def _summary(name, values, failed):
        summary = Summary(cell=name, workload=name, deque="benchmark", params={}, params_text="", tags=[], placement="", role="",
                          metric=name, unit="ns", status="crashed" if failed or not values else "ok", flags=[],
                          by_invocation=dict(enumerate(values)))
        summary.median = statistics_of.median(values) if values else None
        return summary
