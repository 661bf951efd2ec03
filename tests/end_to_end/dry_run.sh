#!/usr/bin/env bash
# The dry run of suites/xeon8358.suite for the machine it is meant for, against placements worked out by hand. That machine has
# two sockets of 32 cores of two threads. Linux numbers the first thread of each core (0 to 31 on socket 0, 32 to 63 on socket
# 1), then the second ones (64 to 95, 96 to 127).
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
make -s -j"$(nproc)" build/stealbench described > /dev/null || exit 3
xeons='pack:2 [numa] core:32 pu:2(indexes=2*64:64*1)'
suite() { build/stealbench suite xeon8358 --results="$scratch/results" --dry-run "$@"; }
suite --topology="$xeons" > "$scratch/cells" 2> "$scratch/said" || { cat "$scratch/said"; exit 1; }

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
place fig9 -threads= -placement= -- "1 on 0 memory of each its own"
place fig9 threads=32 -placement= -- "32 on 0-31 memory of each its own"
place fig9-large lf_bulk nodes=300000000 threads=64 -placement= -- "64 on 0-63 memory of each its own"
place fig9-large lf_bulk nodes=300000000 threads=128 -placement= -- "128 on 0-127 memory of each its own"
# both threads of a core, and the whole of socket 0, before any of socket 1
place fig9 threads=4 placement=siblings -- "4 on 0,64,1,65 memory of each its own"
place fig9-large lf_bulk nodes=300000000 threads=64 placement=siblings -- "64 on ${siblings#,} memory of each its own"
# sockets in equal parts, and within them as far apart
place fig9 threads=2 placement=scatter -- "2 on 0,32 memory of each its own"
place fig9 threads=4 placement=scatter -- "4 on 0,16,32,48 memory of each its own"
# a thief near and far; the other socket's memory is node 1
place sides contention chase_lev -max placement=same-core -memory= -- "2 on 0,64 memory 0"
place sides contention chase_lev -max placement=same-socket memory=thief -- "2 on 0-1 memory 0"
place sides contention chase_lev -max placement=cross-socket memory=thief -- "2 on 0,32 memory 1"
place sides contention chase_lev -max placement=cross-socket memory=interleaved -- "2 on 0,32 memory 0+1"
place victims lf_bulk threads=128 -placement= victims=nearest memory=interleaved -- "128 on 0-127 memory 0+1"
# 8 thread counts, 3 placements, one deque and two sizes; that machine has all of them
expect "cells of figure 9" 0 "xeon8358: 48 cells," suite --only=fig9 --topology="$xeons" --quiet
expect "and nothing else is said" 1 "" grep . "$scratch/said"
# one socket has no cross-socket places
expect "one socket" 0 "not on that machine: placement=cross-socket" suite --only=sides --topology="pack:1 core:8 pu:2"
expect "no such machine" 2 "neither an XML file of lstopo's nor a description" suite --topology="two sockets"
expect "measuring on it" 2 "--topology describes another machine" build/stealbench suite xeon8358 --topology="$xeons"
[ ! -e "$scratch/results" ] || fail "a dry run leaves something"
