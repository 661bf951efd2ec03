#!/usr/bin/env bash
# The dry run of suites/paper.suite for the bulk paper's machine: placements against those worked out by hand, the claims that it
# answers, and what fits into a night. That machine has two sockets of 32 cores of two threads. Linux numbers the first thread of each core (0 to 31 on socket 0, 32 to 63 on socket
# 1), then the second ones (64 to 95, 96 to 127).
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
make -s -j"$(nproc)" build/stealbench described > /dev/null || exit 3
xeons='pack:2 [numa] core:32 pu:2(indexes=2*64:64*1)'
suite() { build/stealbench suite paper --results="$scratch/results" --dry-run "$@"; }
./run.sh paper --results="$scratch/results" --dry-run --topology="$xeons" > "$scratch/cells" 2> "$scratch/said" || { cat "$scratch/said"; exit 1; }

# place SECTION WORDS... -- PLACES: the only cell of the section with all these words, and without each -WORD, is placed there.
place() {
  local section=$1 name="$*" lines
  shift
  lines=$(grep -P "^$section\t" "$scratch/cells")
  while [ "$1" != -- ]; do
    case $1 in
      -*) lines=$(grep -vF -- "${1#-}" <<< "$lines") ;;
      *) lines=$(grep -P -- "[ \t]$1[ \t]" <<< "$lines") ;;
    esac
    shift
  done
  if [ "$(wc -l <<< "$lines")" -eq 1 ] && [ "$(cut -f4 <<< "$lines")" = "$2" ]; then
    pass
  else
    fail "$name: expected $2, found:"$'\n'"$lines"
  fi
}

siblings=$(for core in $(seq 0 31); do printf ',%d,%d' "$core" $((core + 64)); done)
# one thread a core: the first socket, both, then the second threads
place fig9 -threads= -placement= -25000000 -- "1 on 0 memory beside each"
place fig9 threads=32 -placement= -25000000 -- "32 on 0-31 memory beside each"
place fig9-large lf_bulk threads=64 stored=1 -- "64 on 0-63 memory beside each"
place fig9-large lf_bulk threads=128 stored=1 memory=interleaved -- "128 on 0-127 memory 0+1"
# both threads of a core, and the whole of socket 0, before any of socket 1
place fig9 threads=4 placement=siblings -- "4 on 0,64,1,65 memory beside each"
place fig9 threads=64 placement=siblings -- "64 on ${siblings#,} memory beside each"
# sockets in equal parts, and within them as far apart
place fig9 threads=2 placement=scatter -- "2 on 0,32 memory beside each"
place fig9 threads=4 placement=scatter -- "4 on 0,16,32,48 memory beside each"
# a thief near and far; the other socket's memory is node 1
place 5.2-places contention chase_lev frequency=max placement=same-core -memory= -- "2 on 0,64 memory 0"
place 5.2-places contention chase_lev frequency=max placement=same-socket memory=thief -- "2 on 0-1 memory 0"
place 5.2-places contention chase_lev frequency=max placement=cross-socket memory=thief -- "2 on 0,32 memory 1"
place 5.2-places contention chase_lev frequency=max placement=cross-socket memory=interleaved -- "2 on 0,32 memory 0+1"
place policies lf_bulk threads=128 -placement= victims=nearest memory=interleaved -- "128 on 0-127 memory 0+1"
# 8 thread counts of three sizes, and more placements, which of one thread are all the same
expect "cells of figure 9" 0 "paper: 55 cells," suite --only=fig9 --topology="$xeons" --quiet
expect "and nothing else is said" 1 "" grep . "$scratch/said"
expect "every claim under its first condition, but for a wrong listing" 0 "1" grep -cE "not planned|not its first" "$scratch/cells"
expect "which needs --unsound" 0 "no cell steal as_published/lf_queue" grep "not planned" "$scratch/cells"
# of the other conditions nine are other suites'
# shellcheck disable=SC2016 # the program is awk's
expect "almost all conditions" 0 "[9]" awk -F '\t' '$3 ~ /^planned under/ { split($3, n, " "); some += n[3]; all += n[5] } END { print "[" all - some "]" }' "$scratch/cells"
expect "an hour for the first figures" 0 "; what is left goes where intervals are widest; left out: 5.2-fig4 5.2-fig5 " suite --within=1h --topology="$xeons" --quiet
expect "no time" 2 "expected a time, such as 90m" suite --within=soon
expect "parts are alike" 2 "parts of a run must all have the same plan" suite --within=1h --split=2 --name=x
# one socket has no cross-socket places
expect "one socket" 0 "not on that machine: placement=cross-socket" suite --only=5.2-places --topology="pack:1 core:8 pu:2"
expect "little memory" 0 "not on that machine: so much memory: left out fig9-large" suite --only=fig9 --topology="pack:1 [numa(memory=8GB)] core:2 pu:1" --quiet
expect "no such machine" 2 "neither an XML file of lstopo's nor a description" suite --topology="two sockets"
expect "measuring on it" 2 "--topology describes another machine" build/stealbench suite paper --topology="$xeons"
[ ! -e "$scratch/results" ] || fail "a dry run leaves something"
