#!/bin/sh
# ci.sh: has a deque become more expensive? Compares what can be counted exactly with results/baseline: the lab's atomic
# accesses, fences and coherence whatever the compiler; plain accesses, lines, upgrades of lines and callgrind's instructions
# where the baseline was made with the same one.
#
# usage: gate/counts/ci.sh [--update-baseline] [DEQUE...]  from anywhere; without names every sound deque in C, and the pool
# The pool's name here is pool: what it does at a task, over one deque (lab/pool). Of it no instructions are counted.
# Exit: 0 nothing increased, 1 something did or a deque failed, 2 usage, 3 something is missing or nothing was judged.
set -u
cd "$(dirname "$0")/../.." || exit 3
lab=${LAB_DIR:-build/lab}
callgrind=${CALLGRIND_DIR:-build/callgrind}
baseline=${BASELINE_DIR:-results/baseline}
update=''
names=''
for argument; do
    case $argument in
    --update-baseline) update=--update-baseline ;;
    -*)
        echo 'usage: stealbench ci [--update-baseline] [DEQUE...]' >&2
        exit 2
        ;;
    *)
        [ "$argument" = pool ] || [ -f "queues/$argument.h" ] || { echo "stealbench ci: no deque '$argument' (queues/$argument.h)" >&2; exit 2; }
        names="$names $argument"
        ;;
    esac
done
only=$names
if [ -z "$names" ]; then
    for header in queues/*.h; do
        [ "$header" = queues/deque.h ] || names="$names $(basename "$header" .h)"
    done
    names="$names pool"
fi
for tool in valgrind callgrind_annotate /usr/bin/python3; do
    command -v "$tool" >/dev/null || { echo "stealbench ci: no $tool: install valgrind and python3" >&2; exit 3; }
done
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT

targets=''
for id in $names; do
    targets="$targets $lab/$id"
    [ "$id" = pool ] || targets="$targets $callgrind/$id"
done
# shellcheck disable=SC2086 # lists of names without blanks
${MAKE:-make} -s -j"$(nproc)" CC="${CC:-gcc}" $targets >"$work/build" 2>&1 || { cat "$work/build" >&2; exit 3; }
# shellcheck disable=SC2086
gate/counts/count.sh "$lab" "$callgrind" "$work/now" $names || exit

/usr/bin/python3 gate/counts/compare_counts.py $update ${only:+--partial} --compiler="$(basename "${CC:-gcc}")" \
    "$work/now" "$baseline"
