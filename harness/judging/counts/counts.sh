#!/bin/sh
# counts.sh: has a deque become more expensive? Compares what can be counted exactly with results/baseline: the lab's atomic
# accesses, fences and coherence whatever the compiler; plain accesses, lines, upgrades of lines and callgrind's instructions
# where the baseline was made with the same one.
#
# usage: counts.sh [--update-baseline] [DEQUE...]  from anywhere; without names every sound deque in C
# Exit: 0 nothing increased, 1 something did or a deque failed, 2 usage, 3 something is missing or nothing was judged.
#
# What is counted, in files as in results/baseline:
#   counts.csv                 atomic accesses, fences and coherence, from the lab: the same with every compiler
#   plain-COMPILER.csv         plain accesses, lines and upgrades, from the lab: the compiler decides whether a plain field is
#                              read before it is written, which makes the write an upgrade
#   instructions-COMPILER.csv  instructions, from callgrind
#   toolchain-COMPILER.txt     the compiler and valgrind
set -u
export LC_ALL=C # awk writes decimals
cd "$(dirname "$0")/../../.." || exit 3
lab=${BUILD:-build}/lab
callgrind=${BUILD:-build}/callgrind
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
        [ -f "queues/$argument.h" ] || { echo "stealbench ci: no deque '$argument' (queues/$argument.h)" >&2; exit 2; }
        names="$names $argument"
        ;;
    esac
done
only=$names
if [ -z "$names" ]; then
    for header in queues/*.h; do
        [ "$header" = queues/deque.h ] || names="$names $(basename "$header" .h)"
    done
fi
for tool in valgrind callgrind_annotate /usr/bin/python3; do
    command -v "$tool" >/dev/null || { echo "stealbench ci: no $tool: install valgrind and python3" >&2; exit 3; }
done
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT

folder=$work/now compiler=$(basename "${CC:-gcc}")
mkdir "$folder" || exit 3

targets=''
for id in $names; do
    targets="$targets $lab/$id $callgrind/$id"
    mkdir -p "$work/$(dirname "$id")" || exit 3
done
# shellcheck disable=SC2086 # lists of names without blanks
setup/configure.py $targets >"$work/build" 2>&1 || { cat "$work/build" >&2; exit 3; }

# One line for each operation: instructions in all, divided by the calls.
count_instructions() { # ID
    valgrind --tool=callgrind --callgrind-out-file="$work/$1.callgrind.out" "$callgrind/$1" \
        >"$work/$1.calls" 2>"$work/$1.log" || { cat "$work/$1.log" >&2; return 1; }
    callgrind_annotate --inclusive=yes --threshold=100 "$work/$1.callgrind.out" 2>/dev/null |
        sed -n 's/^ *\([0-9,]*\) .*:\(counted_[a-z_]*\).*/\2 \1/p' | tr -d , >"$work/$1.inclusive"
    awk -v id="$1" 'NR == FNR { calls[$1] = $2; next }
        ($1 in calls) && !($1 in told) { told[$1] = 1; name = $1; sub("counted_", "", name)
            printf "%s,%s,callgrind,ok,exact,%.4f\n", id, name, $2 / calls[$1] }' "$work/$1.calls" "$work/$1.inclusive" | sort
}

# Several deques at a time: each writes its own files.
measure() { # ID
    "$lab/$1" count --csv >"$work/$1.counts" 2>"$work/$1.errors" || { cat "$work/$1.errors" >&2; return 1; }
    count_instructions "$1" >"$work/$1.instructions"
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
    [ "$(echo "$running" | wc -w)" -lt "$(nproc)" ] || collect
done
collect
[ "$failed" -eq 0 ] || { echo 'stealbench ci: a deque could not be counted (above)' >&2; exit 1; }

# The columns of the lab's table: those that say which row, those of every compiler, those of this one.
columns() { # OPTIONS of cut
    head -n 1 "$work/${names##* }.counts" | cut -d, "$@"
    for id in $names; do tail -n +2 "$work/$id.counts" | cut -d, "$@"; done
}
of_compiler=13,17,20-
columns --complement -f"$of_compiler" >"$folder/counts.csv"
columns -f"1-5,$of_compiler" >"$folder/plain-$compiler.csv"
{
    echo 'deque,operation,situation,outcome,rule,instructions'
    for id in $names; do cat "$work/$id.instructions"; done
} >"$folder/instructions-$compiler.csv"
{
    "${CC:-gcc}" --version | head -n 1
    valgrind --version
} >"$folder/toolchain-$compiler.txt"

/usr/bin/python3 harness/judging/counts/compare_counts.py $update ${only:+--partial} --compiler="$compiler" "$folder" "$baseline"
