"""hosts.py: what each host is made of: which of its headers are copied, what changes in them, which of its tests are run.

A host's program is workloads/runtimes/NAME.cc, its glue NAME.hpp beside this file.
"""

from dataclasses import dataclass, field
from pathlib import Path


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
    test_cases: list = field(default_factory=list)  # of these programs, in their own words; all unless given
    test_headers: dict = field(default_factory=dict)  # {name: text} of headers for the tests where the system has none
    tests_need: str = ""  # what Debian has that the tests need
    coroutines: bool = False  # its tests need clang: gcc keeps a frame for each coroutine that goes on in another
    lifo: bool = False  # pop has to give what was pushed last
    crates: bool = False  # made by cargo (crates.py): tests are its arguments, test_cases leave out those whose tasks wait for others
    all_stealable: bool = False  # its tests have tasks that wait in a loop for others: thieves have to get each at any time


# libfork's tests are written for Catch2 3, which is a library. Version 2 is one header; it has the same macros.
CATCH_3 = ["-lCatch2Main", "-lCatch2"] if Path("/usr/include/catch2/catch_test_macros.hpp").exists() else []
CATCH_2 = "#pragma once\n#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n"

HOSTS = {host.name: host for host in [
    Host("taskflow", "Taskflow", "83f90a279aaab33fd4ce1deed00ca07819cbc8f8", "taskflow",
         [("taskflow/core/worker.hpp", '#include "wsq.hpp"\n', '#include "wsq.hpp"\n#include "glue/taskflow.hpp"\n'),
          ("taskflow/core/worker.hpp", "  using wsq_type = BoundedWSQ<Node*>;\n", "  using wsq_type = transplant::wsq<Node*>;\n")],
         ["unittests/test_task_group.cpp"], test_includes=["3rd-party/doctest"], all_stealable=True),
    Host("parlaylib", "parlaylib", "51017699dcc421f80479cdb238d3092233ad0d26", "include",
         [("parlay/scheduler.h", '#include "internal/work_stealing_job.h"\n',
           '#include "internal/work_stealing_job.h"\n#include "glue/parlaylib.hpp"\n'),
          ("parlay/scheduler.h", "  std::vector<internal::Deque<Job>> deques;\n", "  std::vector<transplant::deque<Job>> deques;\n")],
         ["test/test_parallel.cpp"], test_includes=["test"],
         test_flags=["-lgtest_main", "-lgtest"], tests_need="libgtest-dev", lifo=True),
    Host("libfork", "libfork", "2f359cdab8150c2624bbe1f904a663180ed52109", "include",
         [("libfork/core/ext/context.hpp", '#include "libfork/core/ext/deque.hpp"    // for deque, steal_t\n',
           '#include "libfork/core/ext/deque.hpp"    // for deque, steal_t\n#include "glue/libfork.hpp"\n'),
          ("libfork/core/ext/context.hpp", "  deque<task_handle> m_tasks;\n", "  transplant::deque<task_handle> m_tasks;\n")],
         ["test/source/core/core.cpp"], test_flags=CATCH_3, tests_need="catch2, clang 15 or later",
         # of the pool that is measured; those of the one that spins take minutes beside other work
         test_cases=[",".join(f"*{case} - lazy_pool" for case in ("returning", "void", "ignored", "co_alloc", "Reference test"))],
         coroutines=True, lifo=True,
         test_headers={f"catch2/{name}": CATCH_2 for name in ("catch_test_macros.hpp", "catch_template_test_macros.hpp")}),
    Host("stdexec", "stdexec", "e92245d53dfc37f9bc2a7ef0cc44d570bb7b3386", "include",
         [("exec/static_thread_pool.hpp", '#include "detail/bwos_lifo_queue.hpp"\n', '#include "glue/stdexec.hpp"\n'),
          # its own queue shows an item to thieves when its block is full, so the list may be taken apart later
          ("exec/static_thread_pool.hpp",
           """\
      auto const last = local_queue.push_back(pending_queue.begin(), pending_queue.end());
      __intrusive_queue<&task_base::next_> tmp{};
      tmp.splice(tmp.begin(), pending_queue, pending_queue.begin(), last);
      tmp.clear();
""", """\
      while (!pending_queue.empty())
      {
        task_base* const task = pending_queue.pop_front();
        if (!local_queue.push_back(task))
        {
          pending_queue.push_front(task);
          break;
        }
      }
""")],
         ["test/exec/test_static_thread_pool.cpp"], test_includes=["test"], test_flags=CATCH_3, tests_need="catch2",
         test_headers={"catch2/catch_all.hpp": CATCH_2}),
    Host("rayon", "Rayon", "1.10.1", "", [],
         ["-p rayon-core --lib --tests", "-p rayon --test cross-pool --test iter_panic --test sort-panic-safe --test named-threads"],
         test_cases=["--skip", "join_context_second"],
         tests_need="Debian: librust-{rand,rand-xorshift,scoped-tls,lazy-static,libc}-dev", crates=True, lifo=True),
]}
