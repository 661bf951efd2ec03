#!/usr/bin/env bash
# compare_deques.sh A B [OPTION...]: measures deques A and B in turns on the workloads of compare.suite, then says for
# each whether A is faster, slower, or neither, and whether that is settled. Options go to the driver (--unsound,
# --invocations=N, --resume). ./run.sh compare builds first.
set -u
cd "$(dirname "$0")/.." || exit 3

if [ $# -lt 2 ] || [ "${1#-}" != "$1" ] || [ "${2#-}" != "$2" ]; then
  echo "usage: plots/compare_deques.sh A B [driver's options]" >&2
  exit 2
fi
if [ "$1" = "$2" ]; then
  echo "compare_deques.sh: $1 against itself tells nothing; compare two runs with plots/compare.py RUN_A RUN_B" >&2
  exit 2
fi
judged=$1
reference=$2
shift 2

. harness/measured.sh
measured suite compare --deque="$judged,$reference" "$@"
status=$?
if [ "$status" -ne 0 ] && [ "$status" -ne 4 ]; then
  exit "$status"
fi
plots/compare.py "$run" --deque "$judged" --against "$reference"
compared=$?
[ "$compared" -ne 0 ] && exit "$compared"
exit "$status"
