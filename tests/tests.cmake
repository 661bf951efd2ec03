# The tests, as ctest reads them; tests/run.sh calls it. A test is named "PART: NAME". It ends on "N passed, N failed", or is one
# of cmocka's. Exit code 3 skips it: something it needs is missing, which it names.
#
# Why ctest: a failed build stops the tests that need it (fixtures), tests that share the build folder exclude each other, and
# any exit code may skip. meson test has none of these, and pytest would need a wrapper for every shell and C test.
get_filename_component(top "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(everything "$ENV{EVERYTHING}") # --all
if(NOT everything)
  set(brief --brief)
  set(few --few)
endif()

# as(PART NAME COMMAND...): a test of that part. It begins when the build has succeeded.
function(as part name)
  set(test "${part}: ${name}")
  add_test("${test}" ${ARGN})
  set_tests_properties("${test}" PROPERTIES LABELS ${part} WORKING_DIRECTORY "${top}" TIMEOUT 1800 PROCESSORS 2)
  if(NOT part MATCHES "^(lint|build)$")
    set_tests_properties("${test}" PROPERTIES FIXTURES_REQUIRED built)
  endif()
  if(part MATCHES "^(lab|model|aarch64|numa|slurm|ci|page|checks|extras)$")
    set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 3)
  endif()
endfunction()

# each(PART FILE...): a test for each of these files. Python's are run as modules of the top folder.
function(each part)
  foreach(file ${ARGN})
    file(RELATIVE_PATH path "${top}" "${file}")
    get_filename_component(name "${file}" NAME_WE)
    string(REGEX REPLACE "_test$" "" name "${name}")
    if(file MATCHES "\\.py$")
      string(REGEX REPLACE "\\.py$" "" module "${path}")
      string(REPLACE "/" "." module "${module}")
      as(${part} ${name} /usr/bin/python3 -m ${module})
    else()
      as(${part} ${name} "${file}")
    endif()
  endforeach()
endfunction()

# deques(NAME [WHICH]): sets this to what tests/deques.sh says.
function(deques name)
  execute_process(COMMAND "${top}/tests/deques.sh" ${ARGN} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" said "${said}")
  set(${name} "${said}" PARENT_SCOPE)
endfunction()

# waits(TEST...): these sleep half of their time or use one thread, so two of them may share a processor.
function(waits)
  set_tests_properties(${ARGN} PROPERTIES PROCESSORS 1)
endfunction()

as(lint "sources" "${top}/tests/lint.sh")
as(lint "layout" "${top}/tests/layout_test.py")
as(lint "orders" "${top}/tests/orders_test.py")
as(build "all that the tests need" "${top}/tests/built.sh")
set_tests_properties("build: all that the tests need" PROPERTIES FIXTURES_SETUP built RUN_SERIAL TRUE)

deques(checked --checked)
foreach(deque ${checked})
  as(checks ${deque} "${top}/tests/checks.sh" ${deque})
  waits("checks: ${deque}")
endforeach()

as(compilers "warnings" "${top}/tests/compilers.sh" ${few})
file(GLOB units "${top}/tests/harness/*_test.c" "${top}/tests/workloads/*_test.c")
foreach(unit ${units})
  get_filename_component(name "${unit}" NAME_WE)
  as(units ${name} /usr/bin/env "build/tests/${name}") # may not be built yet
endforeach()
each(units "${top}/tests/scripted/due_test.py")

file(GLOB python "${top}/tests/plots/*_test.py" "${top}/tests/judging/*_test.py" "${top}/tests/trust/*_test.py")
each(plots ${python})
file(GLOB python "${top}/tests/cluster/*_test.py")
each(cluster ${python})
file(GLOB python "${top}/tests/export/*_test.py")
each(export ${python})
each(docs "${top}/tests/docs_test.py")

file(GLOB scripts "${top}/tests/end_to_end/*.sh")
list(REMOVE_ITEM scripts "${top}/tests/end_to_end/expect.sh")
each(end_to_end ${scripts})
foreach(name action counted directories driver sanitized)
  as(end_to_end ${name} /usr/bin/python3 "${top}/tests/end_to_end/${name}.py")
endforeach()
# These build in this tree, the others in copies.
set(here "end_to_end: contention" "end_to_end: executables" "end_to_end: sanitized")
set_tests_properties(${here} PROPERTIES RESOURCE_LOCK build)

as(loops "calls" "${top}/tests/measured_loops.sh")
as(planted_faults "every fault" "${top}/proof/planted_faults/run.py" ${few})
each(planted_faults "${top}/tests/proof/planted_faults_test.py" "${top}/tests/proof/reach_test.py")

# The lab's tests with the build's compiler, and with --all with both makers', whose counts have to be the same.
set(compilers "$ENV{CC}")
if(NOT compilers)
  set(compilers gcc)
endif()
if(everything)
  list(APPEND compilers gcc clang)
  list(REMOVE_DUPLICATES compilers)
endif()
as(lab "every part" "${top}/tests/lab/run.sh" ${compilers})
waits("lab: every part")

each(mutants "${top}/tests/proof/mutants_test.py")
waits("mutants: mutants")
as(mutants "arguments" "${top}/proof/mutants/run.py" --check)

each(model "${top}/tests/proof/model_test.py")
find_program(genmc NAMES "$ENV{GENMC}" genmc)
if(NOT genmc)
  as(model "every deque" "${top}/proof/model/run.py") # says so
else()
  deques(every)
endif()
foreach(deque ${every})
  as(model ${deque} "${top}/proof/model/run.py" ${brief} ${deque})
  waits("model: ${deque}")
endforeach()

set(counted) # every deque
if(NOT everything)
  deques(counted --sanitized)
  list(JOIN counted " " counted)
endif()
as(ci "counts" /bin/sh -c "harness/judging/counts/counts.sh ${counted} && echo 1 passed, 0 failed")
set_tests_properties("ci: counts" PROPERTIES RESOURCE_LOCK build)
each(page "${top}/tests/page/chromium_test.py")
waits("page: chromium" "end_to_end: driver" "end_to_end: readme")
if(everything OR NOT "$ENV{PARTS}" STREQUAL "") # minutes each: with --all, or by name
  as(aarch64 "every deque" "${top}/tests/aarch64.sh")
  as(numa "two sockets" "${top}/tests/numa.sh")
  as(slurm "three nodes" /usr/bin/python3 -m tests.slurm.slurm_test)
  file(GLOB extras "${top}/extras/*/check")
  foreach(check ${extras})
    get_filename_component(folder "${check}" DIRECTORY)
    get_filename_component(name "${folder}" NAME)
    as(extras ${name} "${check}")
    set_tests_properties("extras: ${name}" PROPERTIES RESOURCE_LOCK build)
  endforeach()
endif()

# Long ones begin first, so that none is left alone at the end: those that wait for each other before all.
set_tests_properties(${here} "ci: counts" PROPERTIES COST 2)
set_tests_properties("end_to_end: readme" "end_to_end: ci" "end_to_end: driver" "planted_faults: every fault"
  "compilers: warnings" "plots: figures" PROPERTIES COST 1)
