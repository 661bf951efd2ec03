#!/usr/bin/env bash
# All tests, one part after the other; each ends on "N passed, N failed" (cmocka's own summary is counted too), and so
# does this. What cannot run here (no model checker, no cross compiler) is said and not counted; what a new deque lacks
# (rows of the catalogue, scores, counts to compare with) is a notice.
#
#   tests/run.sh [PART...]      parts: lint build compilers units plots export catalogue docs end_to_end loops gate
#                               planted_faults lab mutants model aarch64 ci page
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C
jobs=$(nproc)
passed=0 failed=0
log=$(mktemp) && failures=$(mktemp) || exit 3
trap 'rm -f "$log" "$failures"' EXIT

# Sums up what a part printed: plain closing lines, and cmocka's.
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

# Runs a part: prints its output when something failed, else its last line and what was left out.
part() {
  local name=$1 status started=$SECONDS
  shift
  wanted "${name%%:*}" || return 0
  echo "== $name"
  "$@" > "$log" 2>&1 < /dev/null
  status=$?
  if [ "$status" -eq 3 ] && [[ "${name%%:*}" =~ ^(model|aarch64|ci|page)$ ]]; then
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
  echo "   $((SECONDS - started)) s"
}

parts=("$@")
wanted() {
  [ ${#parts[@]} -eq 0 ] && return 0
  local part
  for part in "${parts[@]}"; do [ "$part" = "$1" ] && return 0; done
  return 1
}

# A warning stops no build; here it is a failure. What was built before, tests/compilers.sh compiles again.
build() {
  local said status
  said=$(make -k -j"$jobs" "$@" 2>&1)
  status=$?
  if [ "$status" -eq 0 ] && ! grep -qE '^[^ ]+:[0-9]+:([0-9]+:)? warning:' <<< "$said"; then
    echo "1 passed, 0 failed"
    return
  fi
  grep -E 'warning:|error:|\*\*\*|^lab: |undefined reference' <<< "$said" || echo "$said"
  return 1
}

units() {
  local test status=0
  for test in build/tests/*_test; do "$test" || status=1; done
  return "$status"
}

# Has a deque become more expensive, in what can be counted exactly?
counts() { lab/counts/ci.sh && echo "1 passed, 0 failed"; }

# at_once COMMAND... -- ARGUMENT...: the command with each of these arguments, as many at once as there are processors; what
# each printed stays together.
at_once() {
  local status=0 argument i command=() pids=() folder
  folder=$(mktemp -d) || return 3
  while [ "$1" != -- ]; do command+=("$1") && shift; done
  shift
  for argument; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    "${command[@]}" "$argument" > "$folder/${#pids[@]}" 2>&1 &
    pids+=($!)
  done
  for i in "${!pids[@]}"; do
    wait "${pids[i]}" || status=1
    cat "$folder/$i"
  done
  rm -rf "$folder"
  return "$status"
}

# A deque's checks, one after the other. One that came to no verdict, on a busy machine, is said and is no failure.
gate_of() {
  local said status
  said=$(build/stealbench check --seconds=0.3 "$1")
  status=$?
  printf '%s\n' "$said"
  [ "$status" -eq 3 ] && grep -q 'came to no verdict' <<< "$said" && ! grep -q 'could not be made' <<< "$said" && return 0
  return "$status"
}
gates() {
  local deques
  mapfile -t deques < <(cd build/deques && find . -type f -perm -u+x | sed 's/^\.\///' | sort)
  at_once gate_of -- "${deques[@]}"
}

# A test that uses the package plots: a module, so that it is found from the top of the tree.
python_test() {
  local module=${1%.py}
  /usr/bin/python3 -m "${module//\//.}"
}

# The lab's tests with each compiler that is there.
labs() {
  local compiler compilers=()
  for compiler in gcc clang; do
    if command -v "$compiler" > /dev/null; then compilers+=("$compiler"); else echo "no $compiler here: left out"; fi
  done
  at_once tests/lab/run.sh -- "${compilers[@]}"
}

# Without the model checker one call says so.
models() {
  local deques
  command -v "${GENMC:-genmc}" > /dev/null || { tests/model/run.sh; return; }
  mapfile -t deques < <(find queues -name '*.h' ! -name deque.h ! -path '*/upstream/*' | sed 's/^queues\///; s/\.h$//' | sort)
  at_once tests/model/run.sh --brief -- "${deques[@]}"
}

part lint tests/lint.sh
part "lint: layout" tests/layout_test.py
part "lint: orders" tests/orders_test.py
part build build all tests gate_builds lab trust_kinds
part compilers tests/compilers.sh
part units units
part plots at_once python_test -- tests/plots/*_test.py tests/trust/*_test.py
part export at_once python_test -- tests/export/*_test.py
part catalogue tests/catalogue_test.py
part docs tests/docs_test.py
part "docs: numbers of the README" tests/readme_test.py
for script in tests/end_to_end/*.sh; do
  [ -x "$script" ] && part "end_to_end: $script" "$script"
done
part loops tests/measured_loops.sh
part gate gates
part planted_faults tests/planted_faults/run.py
part "planted_faults: themselves" tests/planted_faults/run_test.py
part lab labs
part mutants tests/mutants/mutate_test.py
part "mutants: what survives" tests/mutants/run_test.py
part "mutants: arguments" tests/mutants/score.py --check
part "model: its rules" tests/model/run_test.py
part model models
part aarch64 tests/aarch64.sh
part ci counts
part page tests/page/chromium_test.py

# What failed once more, where whoever sees the end alone finds it.
[ ! -s "$failures" ] || { echo "what failed:" && cat "$failures"; }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
