"""hosts.py: what each host is made of: which of its headers are copied, what changes in them, which of its tests are run.

A host's program is extras/runtimes/NAME.cc, its glue NAME.hpp beside this file.
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
    library: str = ""  # what cmake makes of the copy, below make/, if the host is no library of headers; built for each deque
    target: str = ""
    cmake: list = field(default_factory=list)
    all_stealable: bool = False  # its tests have tasks that wait in a loop for others: thieves have to get each at any time


# libfork's tests are written for Catch2 3, which is a library. Version 2 is one header; it has the same macros.
CATCH_3 = ["-lCatch2Main", "-lCatch2"] if Path("/usr/include/catch2/catch_test_macros.hpp").exists() else []
CATCH_2 = "#pragma once\n#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n"

LIBOMP_TESTS = ["bug_36720.c", "nested_parallel_tasking.c", "omp_task_firstprivate.c", "omp_task_shared.c",
                "omp_taskloop_grainsize.c", "omp_taskloop_num_tasks.c", "omp_taskloop_taskwait.c"]
TASKING = "openmp/runtime/src/kmp_tasking.cpp"
# libomp: the place of each change, and what comes before it
LIBOMP = [(TASKING, place, before + place) for place, before in [
    ("/* forward declaration */\n", '#include "glue/openmp_llvm.hpp"\n'),
    ("  thread_data->td.td_deque_size = INITIAL_TASK_DEQUE_SIZE;\n", "  transplant::make(thread_data);\n"),
    ("    TCW_4(thread_data->td.td_deque_ntasks, 0);\n", "    transplant::destroy(thread_data);\n"),
    ("  int locked = 0;\n", "  if (transplant::push(thread_data, taskdata))\n    return TASK_SUCCESSFULLY_PUSHED;\n"),
    ('  KA_TRACE(10, ("__kmp_remove_my_task(enter):', """\
  if (kmp_taskdata_t *mine = transplant::pop(thread_data)) {
    if (__kmp_task_is_allowed(gtid, is_constrained, mine,
                              thread->th.th_current_task))
      return KMP_TASKDATA_TO_TASK(mine);
    if (!transplant::push(thread_data, mine))
      transplant_lay_down(thread, thread_data, mine);
    return NULL;
  }
"""),
    ("// __kmp_remove_my_task: remove a task from my own deque\n", """\
// Puts a task into a worker's own queue, where it can be looked at.
static void transplant_lay_down(kmp_info_t *thread,
                                kmp_thread_data_t *thread_data,
                                kmp_taskdata_t *taskdata) {
  if (thread_data->td.td_deque == NULL)
    __kmp_alloc_task_deque(thread, thread_data);
  __kmp_acquire_bootstrap_lock(&thread_data->td.td_deque_lock);
  if (TCR_4(thread_data->td.td_deque_ntasks) >=
      TASK_DEQUE_SIZE(thread_data->td))
    __kmp_realloc_task_deque(thread, thread_data);
  thread_data->td.td_deque[thread_data->td.td_deque_tail] = taskdata;
  thread_data->td.td_deque_tail =
      (thread_data->td.td_deque_tail + 1) & TASK_DEQUE_MASK(thread_data->td);
  TCW_4(thread_data->td.td_deque_ntasks,
        TCR_4(thread_data->td.td_deque_ntasks) + 1);
  __kmp_release_bootstrap_lock(&thread_data->td.td_deque_lock);
}

"""),
    ('  KA_TRACE(10, ("__kmp_steal_task(enter):', """\
  kmp_info_t *thief = __kmp_threads[gtid];
  kmp_thread_data_t *own = &threads_data[thief->th.th_info.ds.ds_tid];
  if (TCR_4(victim_td->td.td_deque_ntasks) == 0) {
    // A task that it laid down itself is in the way, as at the head of a queue
    if (!transplant::any(victim_td) ||
        (is_constrained && TCR_4(own->td.td_deque_ntasks) != 0) ||
        (*thread_finished && !transplant::count_in(unfinished_threads)))
      return NULL;
    taskdata = transplant::steal(victim_td);
    if (taskdata == NULL) {
      if (*thread_finished)
        KMP_ATOMIC_DEC(unfinished_threads);
      return NULL;
    }
    *thread_finished = FALSE;
    if (__kmp_task_is_allowed(gtid, is_constrained, taskdata,
                              thief->th.th_current_task))
      return KMP_TASKDATA_TO_TASK(taskdata);
    transplant_lay_down(thief, own, taskdata);
    return NULL;
  }
""")]] + [
    (TASKING, "if (!use_own_tasks && TCR_4(threads_data[tid].td.td_deque_ntasks) != 0) {",
     "if (!use_own_tasks && (TCR_4(threads_data[tid].td.td_deque_ntasks) != 0 ||\n"
     "                             transplant::any(&threads_data[tid]))) {")]

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
    Host("openmp_llvm", "LLVM's libomp", "14.0.6", "openmp", LIBOMP, [f"openmp/runtime/test/tasking/{name}" for name in LIBOMP_TESTS],
         test_includes=["openmp/runtime/test"], test_flags=["-fopenmp"], lifo=True, library="runtime/src/libomp.so", target="omp",
         cmake=["OPENMP_ENABLE_LIBOMPTARGET=OFF", "OPENMP_ENABLE_OMPT_TOOLS=OFF", "LIBOMP_OMPT_SUPPORT=OFF"]),
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
