#!/usr/bin/env bash
# The dry run of suites/paper.suite for the bulk paper's machine: where cells and their memory would be, and the claims that it answers.
# That machine has two sockets of 32 cores of two threads.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
./run.sh list workloads > /dev/null 2>&1 || exit 3 # describes what is not described yet
xeons='pack:2 [numa] core:32 pu:2(indexes=2*64:64*1)'
suite() { build/stealbench suite paper --results="$scratch/results" --dry-run "$@"; }
./run.sh paper --results="$scratch/results" --dry-run --topology="$xeons" > "$scratch/cells" 2> "$scratch/said" || { cat "$scratch/said"; exit 1; }

# planned TEXT PATTERN: cells of that pattern are placed there, or have memory there; driver.py asks this of more machines
planned() { expect "$2" 0 $'\t'"$1" grep -P "^$2" "$scratch/cells"; }
planned "1 on 0 memory beside each" "fig9\tdag lf_bulk"
planned "128 on 0-127 memory 0+1" "fig9-large\tdag lf_bulk .*threads=128.* memory=interleaved"
planned "2 on 0-1 memory 0" "5.2-places\tcontention chase_lev .*placement=same-socket memory=thief"
planned "2 on 0,32 memory 1" "5.2-places\tcontention chase_lev .*placement=cross-socket memory=thief"
planned "2 on 0,32 memory 0+1" "5.2-places\tcontention chase_lev .*placement=cross-socket memory=interleaved"
# 8 thread counts of three sizes, and more placements, which of one thread are all the same
expect "cells of figure 9" 0 "paper: 55 cells," suite --only=fig9 --topology="$xeons" --quiet
expect "and nothing else is said" 1 "" grep . "$scratch/said"
expect "every claim under its first condition, but for a wrong listing" 0 "1" grep -cE "not planned|not its first" "$scratch/cells"
expect "which needs --unsound" 0 "no cell steal as_published/lf_queue" grep "not planned" "$scratch/cells"
# of the other conditions nine are other suites'
# shellcheck disable=SC2016 # the program is awk's
expect "almost all conditions" 0 "[9]" awk -F '\t' '$3 ~ /^planned under/ { split($3, n, " "); some += n[3]; all += n[5] } END { print "[" all - some "]" }' "$scratch/cells"
expect "no time" 2 "expected a time, such as 90m" suite --within=soon --only=fig6
expect "parts are alike" 2 "parts of a run must all have the same plan" suite --within=1h --split=2 --name=x
expect "little memory" 0 "not on that machine: so much memory: left out fig9-large" suite --only=fig9 --topology="pack:1 [numa(memory=8GB)] core:2 pu:1" --quiet
expect "no such machine" 2 "neither an XML file of lstopo's nor a description" suite --topology="two sockets"
expect "measuring on it" 2 "--topology describes another machine" build/stealbench suite paper --topology="$xeons"
[ ! -e "$scratch/results" ] || fail "a dry run leaves something"
