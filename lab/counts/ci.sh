#!/bin/sh
# ci.sh: has a deque become more expensive? Compares what can be counted exactly with results/baseline: the lab's loads,
# stores, read-modify-writes, fences, plain accesses and cache lines, and callgrind's instructions.
#
# usage: lab/counts/ci.sh [--update-baseline] [DEQUE...]        from anywhere; without names every sound deque in C
# Exit: 0 nothing increased, 1 something did or a deque failed, 2 usage, 3 something is missing.
set -u
cd "$(dirname "$0")/../.." || exit 3
export LC_ALL=C # awk writes decimals
compiler=$(basename "${CC:-gcc}")
lab=${LAB_DIR:-build/lab}
callgrind=${CALLGRIND_DIR:-build/callgrind}
baseline=${BASELINE_DIR:-results/baseline}
update=''
names=''
for argument; do
    case $argument in
    --update-baseline) update=--update-baseline ;;
    -*)
        echo 'usage: lab/counts/ci.sh [--update-baseline] [DEQUE...]' >&2
        exit 2
        ;;
    *)
        [ -f "queues/$argument.h" ] || { echo "ci: no deque '$argument' (queues/$argument.h)" >&2; exit 2; }
        names="$names $argument"
        ;;
    esac
done
only=$names
[ -n "$names" ] || for header in queues/*.h; do
    [ "$header" = queues/deque.h ] || names="$names $(basename "$header" .h)"
done
for tool in valgrind callgrind_annotate /usr/bin/python3; do
    command -v "$tool" >/dev/null || { echo "ci: no $tool: install valgrind and python3" >&2; exit 3; }
done
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT

targets=''
for id in $names; do targets="$targets $lab/$id $callgrind/$id"; done
# shellcheck disable=SC2086 # lists of names without blanks
${MAKE:-make} -s -j"$(nproc)" CC="${CC:-gcc}" $targets >"$work/build" 2>&1 || { cat "$work/build" >&2; exit 3; }

# One line for each operation: instructions in all, divided by the calls.
count_instructions() { # ID
    valgrind --tool=callgrind --callgrind-out-file="$work/callgrind.out.$1" "$callgrind/$1" \
        >"$work/calls.$1" 2>"$work/log.$1" || { cat "$work/log.$1" >&2; return 1; }
    callgrind_annotate --inclusive=yes --threshold=100 "$work/callgrind.out.$1" 2>/dev/null |
        sed -n 's/^ *\([0-9,]*\) .*:\(counted_[a-z_]*\).*/\2 \1/p' | tr -d , >"$work/inclusive.$1"
    awk -v id="$1" 'NR == FNR { calls[$1] = $2; next }
        ($1 in calls) && !($1 in told) { told[$1] = 1; name = $1; sub("counted_", "", name)
            printf "%s,%s,callgrind,%.4f\n", id, name, $2 / calls[$1] }' "$work/calls.$1" "$work/inclusive.$1" | sort
}

# Several deques at a time: each writes its own files.
measure() { # ID
    "$lab/$1" count --csv >"$work/counts.$1" 2>"$work/errors.$1" || { cat "$work/errors.$1" >&2; return 1; }
    count_instructions "$1" >"$work/instructions.$1"
}
failed=0
running=''
collect() {
    for pid in $running; do wait "$pid" || failed=1; done
    running=''
}
for id in $names; do
    measure "$id" &
    running="$running $!"
    # shellcheck disable=SC2086 # a list of process numbers
    set -- $running
    [ $# -lt "$(nproc)" ] || collect
done
collect
[ "$failed" -eq 0 ] || { echo 'ci: a deque could not be counted (above)' >&2; exit 1; }

{
    echo 'deque,operation,situation,loads,stores,rmws,fences,plain,lines'
    for id in $names; do tail -n +2 "$work/counts.$id"; done
} >"$work/counts.csv"
{
    echo 'deque,operation,situation,instructions'
    for id in $names; do cat "$work/instructions.$id"; done
} >"$work/instructions.csv"
{
    "${CC:-gcc}" --version | head -n 1
    valgrind --version
} >"$work/toolchain"

mkdir -p "$baseline" || exit 4
/usr/bin/python3 lab/counts/compare_counts.py $update ${only:+--partial} --toolchain "$work/toolchain" \
    "$baseline/toolchain-$compiler.txt" "$work/counts.csv" "$baseline/counts-$compiler.csv" \
    "$work/instructions.csv" "$baseline/instructions-$compiler.csv"
