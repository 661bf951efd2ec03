#!/usr/bin/env bash
# A user's first day, in a copy of the tree: the README's commands, word for word (what takes minutes or a night is only planned, and
# compare and check end early), and what there is to do with the deque and the C++ class that they bring in.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy=$scratch/stealbench
around() (cd "$copy" && timeout 900 "$@" < /dev/null)

copy_tree "$copy"
copy_built "$copy" chase_lev
cp -a results/baseline "$copy/results/"
for part in checks stress pool_checks address thread; do
  mkdir -p "$copy/build/$part" && cp -a "build/$part/chase_lev" "$copy/build/$part/"
done
for flavour in address thread; do cp -a "build/obj/$flavour/chase_lev" "$copy/build/obj/$flavour/"; done
sed 's/growing/my/; s/\<Deque\>/Queue/' tests/end_to_end/adopted/growing.hpp > "$copy/my_queue.hpp"

mapfile -t commands < <(sed -n 's/^\$ \([^#]*[^# ]\).*/\1/p' README.md)
expect "the README has commands" 0 "" test ${#commands[@]} -ge 8
for command in "${commands[@]}"; do
  more='' says=''
  case $command in
    ./run.sh | ./run.sh\ smoke | ./run.sh\ paper*) more=' --dry-run' ;;
    ./run.sh\ compare*) more=' --budget=2s --variants=2' says='Intervals and verdicts hold whenever measuring stops' ;; # ci.sh has all
    ./run.sh\ check*) more=' --seconds=0.1' ;;
    ./run.sh\ export*) more=' --unchecked' ;; # verbs.sh checks
  esac
  expect "$command" 0 "$says" bash -c "$command$more"
done
expect "the header is there" 0 "cl_steal" cat cl.h
expect "the fence is there" 0 "1" grep -c '^    atomic_thread_fence(memory_order_seq_cst);$' queues/my_deque.h
expect "the baseline fails nothing" 3 "notice: my_deque: new, so nothing to compare with" harness/judging/counts/counts.sh my_deque
if command -v "${GENMC:-genmc}" > /dev/null; then
  grep -m 1 '^\*.*last_item' proof/model/table.txt > "$copy/proof/model/table.txt"
  expect "the model checker has clients for it" 0 " 0 failed" proof/model/run.py --brief my_deque
else
  echo "no model checker here: left out"
fi
sed -i '/^    atomic_thread_fence(memory_order_seq_cst);$/d' "$copy/queues/my_deque.h"
expect "without the fence" 1 "item2 came out twice" ./run.sh lab explore my_deque
rm "$copy/queues/my_deque.h"

expect "the class is a deque" 0 "adopted/my_queue" cat queues/adopted/my_queue.h
expect "the lab finds no fault" 0 "no fault" ./run.sh lab explore adopted/my_queue --seconds=0.2
expect "its checks pass, and it is measured" 0 "results: " ./run.sh run pop --deque=adopted/my_queue --invocations=1 \
  --repetitions=1 --minimum-time=0.001 --variants=1 --name=run
expect "it has a value" 0 "pop_latency" grep -E "\<adopted/my_queue\>.*\<ok\>" results/run/samples.csv

# Other classes: the fault of one is found; one that lacks something is refused by name. So does a Rust crate, where cargo is.
cp -a tests/end_to_end/adopted/. "$copy/my queues/"
ring=(./run.sh adopt "my queues/bounded.hpp" --class='bounded::Ring<bounded::Task *, UPSTREAM_FIXED_CAPACITY>' --item='bounded::Task *')
expect "a class without a name for steal" 2 "no steal (tried steal, " "${ring[@]}"
expect "a class of bool" 0 "steal is rob (returns bool); its capacity is fixed" "${ring[@]}" --steal=rob
expect "its fault is found" 1 "item doubled" ./run.sh lab explore adopted/bounded --client=last_item
expect "a class that is not there" 3 "growing::Dequeue" ./run.sh adopt "my queues/growing.hpp" --class='growing::Dequeue<void *>'
expect "a header that is not there" 2 "no such header" ./run.sh adopt nothing.hpp --class=X
if command -v cargo > /dev/null && command -v rustc > /dev/null; then
  expect "a crate" 0 "Next: ./run.sh check adopted/locked" ./run.sh adopt "my queues/crate" --name=locked
  expect "its checks pass" 0 " 0 failed" ./run.sh check adopted/locked --check=conformance,stress --seconds=0.1
  expect "the lab says why not" 3 "the lab sees no access that Rust's compiler made" ./run.sh lab explore adopted/locked
else
  echo "no cargo here: the crate is left out"
fi
