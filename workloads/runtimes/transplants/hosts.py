"""hosts.py: what each host is made of: which of its headers are copied, what changes in them, which of its tests are run.

A host's program is workloads/runtimes/NAME.cc, its glue NAME.hpp beside this file.
"""

from dataclasses import dataclass, field


@dataclass
class Host:
    """edits: [(file below include/, old text, new text)]; old occurs exactly once. tests: of its own tests those that are
    about tasks, below the host's folder; each takes some seconds, and some more to compile."""

    name: str
    title: str
    revision: str  # of the checkout that the edits were written against
    headers: str  # the folder that becomes include/, or include/FOLDER where it is not itself named include
    edits: list
    tests: list
    test_flags: list = field(default_factory=list)
    test_includes: list = field(default_factory=list)  # below the host's folder
    tests_need: str = ""  # what Debian has that the tests need
    lifo: bool = False  # pop has to give what was pushed last


HOSTS = {host.name: host for host in [
    Host("taskflow", "Taskflow", "2f359cdab8150c2624bbe1f904a663180ed52109", "taskflow",
         [("taskflow/core/worker.hpp", '#include "wsq.hpp"\n', '#include "wsq.hpp"\n#include "glue/taskflow.hpp"\n'),
          ("taskflow/core/worker.hpp", "  using wsq_type = BoundedWSQ<Node*>;\n", "  using wsq_type = transplant::wsq<Node*>;\n")],
         ["unittests/test_task_group.cpp"], test_includes=["3rd-party/doctest"]),
    Host("parlaylib", "parlaylib", "51017699dcc421f80479cdb238d3092233ad0d26", "include",
         [("parlay/scheduler.h", '#include "internal/work_stealing_job.h"\n',
           '#include "internal/work_stealing_job.h"\n#include "glue/parlaylib.hpp"\n'),
          ("parlay/scheduler.h", "  std::vector<internal::Deque<Job>> deques;\n", "  std::vector<transplant::deque<Job>> deques;\n")],
         ["test/test_parallel.cpp"], test_includes=["test"],
         test_flags=["-lgtest_main", "-lgtest"], tests_need="libgtest-dev", lifo=True),
]}
