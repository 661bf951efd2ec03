#!/usr/bin/env bash
# dag, bag, marking and quicksort, run as executables: known answers, at the edges of their settings (sanitized.py tries each setting);
# and bad settings, which give a message and exit code 2.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"

# run WORKLOAD SETTING...: one repetition of chase_lev's, in one line
run() { timeout 60 "build/deques/$1/chase_lev" --run "$@" --minimum-time=0.001 | tr '\n' ' '; return "${PIPESTATUS[0]}"; }

# An executable finds out itself whether its answer is right: exit code 1. tests/scripted/due_test.py knows uts's.
while read -r words; do
  # shellcheck disable=SC2086 # words
  expect "$words" 0 "	run_time	" run $words
done << 'RUNS'
dag nodes=20000 width=0 threads=2 stored=1
dag nodes=20000 degree=200 push=single threads=2 cost=heavy mean=50 mean_unit=iterations
dag nodes=20000 threads=3 victims=sequential steal=half turns=1
dag nodes=20000 width=7 threads=3 first=each
dag nodes=20000 threads=3 pool=volt steal_times=1
dag nodes=1 threads=2
dag nodes=2 threads=7 first=each
bag tasks=3000 mean=100 threads=3 pool=worksteal first=each cost=heavy
bag tasks=3000 mean=100 threads=3 steal=100
marking objects=20000 threads=3 --repetitions=3
marking objects=20000 window=1 threads=2 steal=half
marking objects=1 threads=2
RUNS
for order in random sorted reversed few_distinct; do
  for size in 0 1 2 3 33 20000; do expect "quicksort $order $size" 0 "	run_time	" run quicksort "input=$order" "size=$size" threads=2; done
done
# Without steals, each worker does the tasks it was dealt; if one worker got all, the others do none.
dealt=(run bag tasks=4000 mean=10 threads=4 victims=none first=each room=1024)
for told in "jain_tasks	1	" "steals	0	" "attempts_empty	0	"; do expect "dealt to each" 0 "	$told" "${dealt[@]}"; done
expect "dealt to one" 0 "	jain_tasks	0.25	" run bag tasks=1000 mean=10 threads=4 victims=none
expect "waits are told" 0 "task_wait_p99" run marking objects=20000 threads=2 waits=1
expect "bad settings" 2 "expected a whole number from 1 to 100 percent, or one|half" run bag steal=101
expect "of a graph" 2 "degree=1: expected a whole number from 2 to 1024 arcs" run dag degree=1

# Through the driver: the same exit code, and no run. A preset changes defaults. A real run is published.
driver() { build/stealbench run "$@" --deque=chase_lev --threads=2 --invocations=1 --unsound --minimum-time=0.001 --results="$scratch/results"; }
expect "the driver refuses it" 2 "from 2 to 1024" driver dag --degree=1
expect "and leaves no run" 0 "[]" echo "[$(ls "$scratch/results" 2> /dev/null)]"
expect "a preset" 0 "results: " driver dag --nodes=1000 --pool=volt --name=preset
expect "pool=volt is a ring of 256 with a slot" 0 "1" grep -cm 1 'pool=volt.*room=256.*slot=1.*steal=half' "$scratch/results/preset/samples.csv"
expect "its page" 0 "" /usr/bin/python3 -m plots.draw "$scratch/results/preset" --to "$scratch/site"
expect "has its time" 0 "run_time" cat "$scratch/site/index.html"
