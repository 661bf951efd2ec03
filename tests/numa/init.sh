#!/bin/busybox sh
# shellcheck shell=dash
# init.sh: the first process in the guest of tests/numa.sh. Runs the tests that the kernel's command line names (run=placed or
# run=many), prints the results, and turns the machine off.
/bin/busybox mkdir -p /proc /sys /dev /tmp
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t tmpfs tmp /tmp
/bin/busybox --install -s /bin
export PATH=/bin HOME=/tmp
# hwloc asks only the kernel; otherwise every process visits all processors to ask them.
export HWLOC_COMPONENTS=-x86
cd /stealbench || poweroff -f
asked=$(sed -n 's/.*run=\([a-z]*\).*/\1/p' /proc/cmdline)

# try NAME COMMAND...: one test; prints its output if it fails.
try() {
  name=$1
  tried="$tried $1"
  shift
  limit="timeout 900"
  [ -x "$1" ] || limit= # a function
  # shellcheck disable=SC2086 # two words
  if $limit "$@" > /tmp/said 2>&1; then
    echo "passed $name: $(tail -n 1 /tmp/said | tr '\t' ' ' | tail -c 120)"
  else
    echo "FAILED $name: exit $?"
    tail -n 15 /tmp/said | sed 's/^/    /'
  fi
}

# Every cell of placed.suite ran where its parameters say. In this guest processors 0 to 3 are socket 0 and node 0, and 0 and 1
# are one core. Processor 2 is on another core, processor 4 on the other socket.
placements() {
  timeout 900 build/stealbench suite placed.suite --name=placed --results=/tmp/results || return 1
  awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["workload"] == "quicksort" {
      wanted = $column["params"] ~ /placement=scatter/ ? "w0:0;w1:1;w2:2;w3:3;w4:4;w5:5;w6:6;w7:7" : "w0:0;w1:2;w2:4;w3:6;w4:1;w5:3;w6:5;w7:7"
      pool[$column["params"]] = 1
      if ($column["placement"] != wanted) { print "asked for " wanted ", got " $column["placement"]; bad = 1 }
      next
    }
    {
      place = $column["params"]; sub(/.*placement=/, "", place); sub(/;.*/, "", place)
      memory = $column["params"]; sub(/(^|.*;)memory=/, "", memory); sub(/;.*/, "", memory)
      thief = place == "same-core" ? 1 : place == "same-socket" ? 2 : 4
      node = memory == "interleaved" ? "(0|1|0[+]1)" : memory == "thief" && thief == 4 ? 1 : 0 # some pages are looked at
      wanted = "owner:0;thief:" thief ";memory:" node
      seen[$column["params"]] = 1
      if ($column["placement"] !~ "^" wanted "$") { print place " memory=" memory ": asked for " wanted ", got " $column["placement"]; bad = 1 }
    }
    END {
      for (one in seen) cells++
      for (one in pool) cells++
      if (cells != 11) { print cells " cells of 11 were measured"; bad = 1 }
      if (!bad) print cells " cells, all at their places"
      exit bad
    }' /tmp/results/placed/samples.csv
}

# Was every workload tried above?
all_tried() {
  for workload in $(for family in build/deques/*/chase_lev; do "$family" --describe; done | awk '$1 == "workload" { print $2 }' | sort -u); do
    case " $tried " in
      *" $workload "*) ;;
      *) echo "$workload was not tried" && return 1 ;;
    esac
  done
}

machine() {
  grep -E '"(sockets|packages|numa_nodes|cores|processors)"' /tmp/results/placed/manifest.json | tr -d ' \n'
  grep -q '"packages": 2' /tmp/results/placed/manifest.json && grep -q '"numa_nodes": 2' /tmp/results/placed/manifest.json
}

case $asked in
  placed)
    try "pool" ./placed
    try "cells" placements
    try "manifest" machine
    ;;
  many)
    n=$(nproc)
    pool="threads=$n placement=compact victims=nearest"
    # shellcheck disable=SC2086 # several words
    {
      try "contention" build/deques/contention/chase_lev --run contention thieves=$((n - 1)) frequency=100 --minimum-time=0.5
      try "push" build/deques/latency/chase_lev --run push
      try "pop" build/deques/latency/chase_lev --run pop
      try "pair" build/deques/latency/chase_lev --run pair
      try "steal" build/deques/latency/chase_lev --run steal size=256 owner=idle
      try "growth" build/deques/latency/locked --run growth size=10000
      try "fib" build/deques/fib/chase_lev --run fib $pool n=20
      try "nqueens" build/deques/nqueens/chase_lev --run nqueens $pool n=7
      try "dag" build/deques/dag/chase_lev --run dag $pool nodes=20000
      try "quicksort" build/deques/quicksort/chase_lev --run quicksort $pool size=200000
      try "bag" build/deques/bag/chase_lev --run bag $pool tasks=2000
      try "marking" build/deques/marking/chase_lev --run marking $pool objects=20000
      try "uts" build/deques/uts/chase_lev --run uts $pool tree=T3
      try "walk" build/deques/walk/chase_lev --run walk $pool path=/sys/devices/system
      try "duplicates" build/deques/duplicates/chase_lev --run duplicates $pool bytes=1000000
    }
    try "workloads" all_tried
    ;;
  *) echo "FAILED init: expected run=placed or run=many" ;;
esac
echo "guest: end"
poweroff -f
