#!/bin/sh
# count.sh: counts what can be counted exactly of executables that are built, into a folder that compare_counts.py reads.
#
# usage: gate/counts/count.sh LAB CALLGRIND FOLDER ID...     CC as for the build (gcc)
# ID: a deque, or pool.
# LAB and CALLGRIND: the folders of make lab and make callgrind, of this tree or another. Into FOLDER:
#   counts.csv                 atomic accesses, fences and coherence, from the lab: the same with every compiler
#   plain-COMPILER.csv         plain accesses and lines, from the lab: as this compiler made them; and upgrades, for it
#                              decides whether a plain field is read before it is written
#   instructions-COMPILER.csv  instructions, from callgrind
#   toolchain-COMPILER.txt     the compiler and valgrind
# Exit: 0, 1 a deque could not be counted, 2 usage, 3 something is missing.
set -u
export LC_ALL=C # awk writes decimals
[ $# -ge 4 ] || { sed -n '4,6s/^# //p' "$0" >&2; exit 2; }
lab=$1 callgrind=$2 folder=$3
shift 3
compiler=$(basename "${CC:-gcc}")
for tool in valgrind callgrind_annotate; do
    command -v "$tool" >/dev/null || { echo "stealbench ci: no $tool: install valgrind" >&2; exit 3; }
done
mkdir -p "$folder" || exit 3
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT

# One line for each operation: instructions in all, divided by the calls.
count_instructions() { # ID
    valgrind --tool=callgrind --callgrind-out-file="$work/callgrind.out.$1" "$callgrind/$1" \
        >"$work/calls.$1" 2>"$work/log.$1" || { cat "$work/log.$1" >&2; return 1; }
    callgrind_annotate --inclusive=yes --threshold=100 "$work/callgrind.out.$1" 2>/dev/null |
        sed -n 's/^ *\([0-9,]*\) .*:\(counted_[a-z_]*\).*/\2 \1/p' | tr -d , >"$work/inclusive.$1"
    awk -v id="$1" 'NR == FNR { calls[$1] = $2; next }
        ($1 in calls) && !($1 in told) { told[$1] = 1; name = $1; sub("counted_", "", name)
            printf "%s,%s,callgrind,ok,exact,%.4f\n", id, name, $2 / calls[$1] }' "$work/calls.$1" "$work/inclusive.$1" | sort
}

# Several deques at a time: each writes its own files.
measure() { # ID
    "$lab/$1" count --csv >"$work/counts.$1" 2>"$work/errors.$1" || { cat "$work/errors.$1" >&2; return 1; }
    [ "$1" = pool ] || count_instructions "$1" >"$work/instructions.$1"
}
failed=0
running=''
collect() {
    for pid in $running; do wait "$pid" || failed=1; done
    running=''
}
names=$*
for id in $names; do
    measure "$id" &
    running="$running $!"
    # shellcheck disable=SC2086 # a list of process numbers
    set -- $running
    [ $# -lt "$(nproc)" ] || collect
done
collect
[ "$failed" -eq 0 ] || { echo 'stealbench ci: a deque could not be counted (above)' >&2; exit 1; }

# The columns of the lab's table: those that say which row, those of every compiler, those of this one.
columns() { # OPTIONS of cut
    head -qn 1 "$work"/counts.* | head -n 1 | cut -d, "$@"
    for id in $names; do tail -n +2 "$work/counts.$id" | cut -d, "$@"; done
}
of_compiler=13,17,20-
columns --complement -f"$of_compiler" >"$folder/counts.csv"
columns -f"1-5,$of_compiler" >"$folder/plain-$compiler.csv"
{
    echo 'deque,operation,situation,outcome,rule,instructions'
    for id in $names; do [ "$id" = pool ] || cat "$work/instructions.$id"; done
} >"$folder/instructions-$compiler.csv"
{
    "${CC:-gcc}" --version | head -n 1
    valgrind --version
} >"$folder/toolchain-$compiler.txt"
