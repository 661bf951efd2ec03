#!/usr/bin/env bash
# All tests, part by part. Each part ends on "N passed, N failed" (cmocka's summary counts too), and so does this script. Parts
# that cannot run here (no model checker, no cross compiler) print a line and do not count. What a new deque still lacks (scores,
# counts to compare with) is a notice.
#
#   tests/run.sh [--all] [PART...]      parts: lint build compilers units plots export docs end_to_end loops gate
#                                       planted_faults lab mutants model aarch64 ci page cluster numa slurm
#
# Without --all it tests what a change most likely breaks, in 15 minutes of two processors: one gcc and one clang, every fourth
# planted fault, the lab's tests with the build's compiler, every fourth of the model checker's rows that RC11 decides. --all adds
# every installed compiler, all faults and rows (make check-model runs only these), a guest with two sockets (numa) and a Slurm of
# three nodes (slurm).
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C
jobs=$(nproc)
passed=0 failed=0
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
failures=$work/failures log=$work/log
: > "$failures"

# Adds up what a part printed: our closing lines, and cmocka's.
count() {
  local status=$1 name=$2 good bad
  good=$(awk '/^[0-9]+ passed, [0-9]+ failed/ { n += $1 } /^\[  PASSED  \] [0-9]+ test/ { n += $4 } END { print n + 0 }' "$log")
  bad=$(awk '/^[0-9]+ passed, [0-9]+ failed/ { n += $3 } /^\[  FAILED  \] [0-9]+ test/ { n += $4 } END { print n + 0 }' "$log")
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
    bad=1
  elif [ "$status" -eq 0 ] && [ "$good" -eq 0 ]; then
    echo "FAILED $name: it ran no test"
    bad=1
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  [ "$bad" -eq 0 ] || echo "FAILED $name ($bad)"
}

# Starts a part in the background, because it mostly waits or has one thread. `part` with the same name waits for it.
declare -A begun=()
begin() {
  wanted "${1%%:*}" || return 0
  "${@:2}" > "$work/begun ${1//\//_}" 2>&1 < /dev/null &
  begun[$1]=$!
}

# Runs a part, or waits for one that was begun. Prints its output if it failed, else its last line and what was left out.
part() {
  local name=$1 status started=$SECONDS before
  shift
  wanted "${name%%:*}" || return 0
  processor_seconds && before=$used
  echo "== $name"
  if [ "${begun[$name]-}" ]; then
    wait "${begun[$name]}"
    status=$?
    mv "$work/begun ${name//\//_}" "$log"
  else
    "$@" > "$log" 2>&1 < /dev/null
    status=$?
  fi
  if [ "$status" -eq 3 ] && [[ "${name%%:*}" =~ ^(model|aarch64|numa|slurm|ci|page)$ ]]; then
    cat "$log"
    return 0
  fi
  if [ "$status" -ne 0 ]; then
    grep -vE '^\[ *(RUN|OK) *\]|^passed ' "$log" | tail -n 200
    { echo "== $name" && grep -E 'FAIL|^failed|[Ee]rror|Assertion|\*\*\*|could not be made' "$log" | head -n 20; } >> "$failures"
  else
    grep -E '^emulator: | on one processor|left out|^no verdict|^ *notice: ' "$log"
    tail -n 1 "$log"
  fi
  count "$status" "$name"
  processor_seconds
  echo "   $((SECONDS - started)) s, $((used - before)) s of the processors"
}

# Sets `used`: processor seconds of this shell's ended children; on a busy machine wall time says little. `times` writes into a
# file, because a subshell would start at zero.
processor_seconds() {
  times > "$work/times"
  used=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "m"); n += 60 * t[1] + t[2] } printf "%d\n", n }' "$work/times")
}

all='' brief=1
[ "${1-}" != --all ] || { all=1 brief='' && shift; }
export EVERYTHING=$all # for tests with some expensive lines
parts=("$@")
# Deques that are built for timing: those that tests use, with --all every one. tests/compilers.sh compiles the others' loops.
gate_seconds=0.2 timed=(build/{deques,pool}/{abp,array,chase_lev,empty,lf_bulk,weir}
  build/deques/{as_published/abp,bwos_lifo,idempotent,locked,phanes,private})
[ ! "$all" ] || gate_seconds=0.4 timed=(all)
# For parts that run only with --all or by name.
dear() { [ "$all" ] || [ ${#parts[@]} -gt 0 ]; }
wanted() {
  [ ${#parts[@]} -eq 0 ] && return 0
  local part
  for part in "${parts[@]}"; do [ "$part" = "$1" ] && return 0; done
  return 1
}

broken='' # something could not be built
# A warning stops no build, but fails here. (Files built earlier are not compiled again; tests/compilers.sh does that.)
build() {
  local said status
  said=$(make -k -j"$jobs" "$@" 2>&1)
  status=$?
  [ "$status" -eq 0 ] || broken=1
  if [ "$status" -eq 0 ] && ! grep -qE '^[^ ]+:[0-9]+:([0-9]+:)? warning:' <<< "$said"; then
    echo "1 passed, 0 failed"
    return
  fi
  grep -E 'warning:|error:|\*\*\*|^lab: |undefined reference|the shell cannot read' <<< "$said" || echo "$said"
  return 1
}

units() {
  local test status=0
  for test in build/tests/*_test; do "$test" || status=1; done
  return "$status"
}

# Has a deque become more expensive in exact counts?
counts() { gate/counts/ci.sh && echo "1 passed, 0 failed"; }

# at_once COMMAND... -- ARGUMENT...: runs the command with each of these arguments, one per processor at a time, and keeps the
# output of each together. Exit codes go through files, because the shell forgets them when a process id is reused.
at_once() {
  local status=0 argument i=0 command=() running=() ended folder
  folder=$(mktemp -d) || return 3
  while [ "$1" != -- ]; do command+=("$1") && shift; done
  shift
  for argument; do
    if [ ${#running[@]} -ge "$jobs" ]; then
      wait -n -p ended "${running[@]}" || true
      mapfile -t running < <(printf '%s\n' "${running[@]}" | grep -vx "$ended")
    fi
    { "${command[@]}" "$argument" > "$folder/$i" 2>&1 && : > "$folder/$i.passed"; } &
    running+=($!)
    i=$((i + 1))
  done
  wait "${running[@]}" || true
  for ((i = 0; i < $#; i++)); do
    cat "$folder/$i"
    [ -e "$folder/$i.passed" ] || status=1
  done
  rm -rf "$folder"
  return "$status"
}

# A deque's checks, one after the other. A check without a verdict (busy machine) is printed and is no failure.
gate_of() {
  local said status
  said=$(build/stealbench check --seconds="$gate_seconds" "$1")
  status=$?
  printf '%s\n' "$said"
  [ "$status" -eq 3 ] && grep -q 'came to no verdict' <<< "$said" && ! grep -q 'could not be made' <<< "$said" && return 0
  return "$status"
}
gates() {
  local deques
  mapfile -t deques < <(cd build/checks && find . -type f -perm -u+x | sed 's/^\.\///' | sort)
  jobs=$((2 * jobs)) at_once gate_of -- "${deques[@]}" # they sleep half of the time
}

# Runs a test that uses the package plots: as a module, so that the package is found.
python_test() {
  local module=${1%.py}
  /usr/bin/python3 -m "${module//\//.}"
}

# Without --all only the build's own compiler and the other maker's.
compilers() { tests/compilers.sh ${brief:+--few}; }

# The lab's tests with the build's compiler, with --all also with gcc and clang. Both halves take about equally long.
lab_halves=("machine explore weak buffer fences moved as_published stop" "count coherence same_everywhere bad_input ci pool")
half_of_lab() { ONLY=${1#* } tests/lab/run.sh "${1%% *}"; }
labs() {
  local compiler compilers=() halves=()
  for compiler in ${all:+gcc clang} "${CC:-gcc}"; do
    [[ " ${compilers[*]} " != *" $compiler "* ]] || continue
    command -v "$compiler" > /dev/null || { echo "no $compiler installed: left out" && continue; }
    compilers+=("$compiler")
    halves+=("$compiler ${lab_halves[0]}" "$compiler ${lab_halves[1]}")
  done
  at_once half_of_lab -- "${halves[@]}"
}

# Without the model checker a single call reports that.
models() {
  local deques
  command -v "${GENMC:-genmc}" > /dev/null || { proof/model/run.py; return; }
  mapfile -t deques < <(find queues -name '*.h' ! -name deque.h ! -name ring.h ! -path '*/upstream/*' | sed 's/^queues\///; s/\.h$//' | sort)
  at_once proof/model/run.py ${brief:+--brief} -- "${deques[@]}"
}

# Repeats what failed, for people who see only the end.
finish() {
  [ ! -s "$failures" ] || { echo "what failed:" && cat "$failures"; }
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}

part lint tests/lint.sh
part "lint: layout" tests/layout_test.py
part "lint: orders" tests/orders_test.py
part build build build/stealbench described "${timed[@]}" tests gate_builds lab trust_kinds
# After a failed build every other part would fail, too.
[ ! "$broken" ] || { finish; exit; }
part compilers compilers
part units units
part "units: due values" python_test tests/scripted/due_test.py
begin page tests/page/chromium_test.py
begin cluster at_once python_test -- tests/cluster/*_test.py
part plots at_once python_test -- tests/plots/*_test.py tests/trust/*_test.py
part cluster
part export at_once python_test -- tests/export/*_test.py
part docs tests/docs_test.py
# Scripts that build in this tree run one after the other. The others work in copies, at once, long ones first.
here=(tests/end_to_end/{contention,executables,runtimes,sanitized}.sh) long=(tests/end_to_end/{set_up,gate,new_header}.sh)
for script in "${here[@]}"; do
  part "end_to_end: $script" "$script"
done
mapfile -t others < <(find tests/end_to_end -maxdepth 1 -name '*.sh' -perm -u+x | grep -vxF "$(printf '%s\n' "${here[@]}" "${long[@]}")" | sort)
begin lab labs
part "end_to_end: the others" at_once env -- "${long[@]}" "${others[@]}"
part loops tests/measured_loops.sh
part gate gates
begin mutants tests/proof/mutate_test.py
begin "mutants: what survives" tests/proof/mutants_test.py
begin "model: its rules" tests/proof/model_test.py
part planted_faults proof/planted_faults/run.py ${brief:+--few}
part "planted_faults: themselves" tests/proof/planted_faults_test.py
part lab
part mutants
part "mutants: what survives"
part "mutants: arguments" proof/mutants/score.py --check
part "mutants: of plots/" proof/mutants/python.py --sample=24
part "model: its rules"
part model models
part aarch64 tests/aarch64.sh
part ci counts
part page
# Minutes each.
if dear; then
  part numa tests/numa.sh
  part slurm tests/slurm/slurm_test.py
fi
finish
