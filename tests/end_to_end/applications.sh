#!/usr/bin/env bash
# dag, marking and quicksort, run as executables: known answers; and bad settings, which must give a message and exit code 2.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"

# refused WORKLOAD SETTING TEXT: exit code 2, and standard error contains the text
refused() {
  timeout 10 "build/deques/$1/chase_lev" --run "$1" "$2" > "$scratch/out" 2> "$scratch/err"
  [ $? -eq 2 ] && grep -qF -- "$3" "$scratch/err" && ! grep -q "run_time" "$scratch/out"
  verdict "$1 $2: $3"
}

# answers WORKLOAD SETTINGS...: exit code 0 and a time
answers() {
  "build/deques/$1/chase_lev" --run "$@" > "$scratch/out" 2> "$scratch/err" && grep -q "run_time" "$scratch/out"
  verdict "$*"
}

has() { # METRIC VALUE
  awk -F '\t' -v metric="$1" -v value="$2" '$4 == metric && $5 == value { found = 1 } END { exit !found }' "$scratch/out"
  verdict "$1 is $2"
}

if ! build/deques/uts/chase_lev --run uts tree=T3S --repetitions=1 2>&1 | grep -q unsupported; then # there is a SHA-1 library
  answers uts tree=T3S threads=2
  has nodes 68257
fi
answers dag nodes=20000 threads=3 victims=sequential steal=half turns=1
answers dag nodes=20000 width=0 threads=2 stored=1
answers dag nodes=20000 degree=200 push=single threads=2 cost=heavy mean=50 mean_unit=iterations
answers dag nodes=1 threads=2
for pool in volt worksteal; do
  answers dag nodes=20000 threads=3 "pool=$pool" steal_times=1
  answers bag tasks=3000 mean=100 threads=3 "pool=$pool" first=each cost=heavy
done
answers dag nodes=20000 width=7 threads=3 first=each
answers dag nodes=2 threads=7 first=each
# Without steals, each worker does the tasks it was dealt; if one worker got all, the others do none.
answers bag tasks=4000 mean=10 threads=4 victims=none first=each room=1024
has jain_tasks 1
has steals 0
has attempts_empty 0
answers bag tasks=1000 mean=10 threads=4 victims=none
has jain_tasks 0.25
answers bag tasks=3000 mean=100 threads=3 steal=100
refused bag steal=101 "expected a whole number from 1 to 100 percent, or one|half"
# A preset changes defaults.
build/stealbench run dag --deque=chase_lev --nodes=1000 --threads=2 --pool=volt --invocations=1 --unsound --minimum-time=0.001 \
  "--results=$scratch/settled" > "$scratch/out" 2> "$scratch/err" && grep -q 'pool=volt.*room=256.*slot=1.*steal=half' "$scratch"/settled/*/samples.csv
verdict "pool=volt is a ring of 256 with a slot"
answers marking objects=20000 threads=3 --repetitions=3
answers marking objects=20000 window=1 threads=2 steal=half
answers marking objects=1 threads=2
answers marking objects=20000 threads=2 waits=1
grep -q 'task_wait_p99' "$scratch/out"
verdict "waits are told"

for order in random sorted reversed few_distinct; do
  for size in 0 1 2 3 33 20000; do
    answers quicksort "input=$order" "size=$size" threads=2 --repetitions=2
  done
done

refused dag degree=1 "degree=1: expected a whole number from 2 to 1024 arcs"

# Through the driver: the same exit code, and no run.
build/stealbench run dag --deque=chase_lev --degree=1 "--results=$scratch/results" > "$scratch/out" 2> "$scratch/err"
[ $? -eq 2 ] && grep -q 'from 2 to 1024' "$scratch/err" && [ -z "$(ls "$scratch/results")" ]
verdict "the driver refuses a graph"

# A real run is published.
build/stealbench run bag --deque=chase_lev --tasks=20000 --mean=100 --first=each --threads=2 --invocations=1 --name=drawn "--results=$scratch/results" \
  > "$scratch/out" 2> "$scratch/err" &&
  /usr/bin/python3 -m plots.draw "$scratch/results/drawn" --to "$scratch/site" > "$scratch/out" 2> "$scratch/err" &&
  grep -q 'run_time' "$scratch/site/index.html"
verdict "a real run is published"

