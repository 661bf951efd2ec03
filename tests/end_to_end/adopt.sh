#!/usr/bin/env bash
# adopt: two C++ classes in two styles become deques of a copy of the tree. One passes and is measured, the fault of the other is
# found; a class that lacks something is refused by name. So does a Rust crate, where cargo is.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy="$scratch/a b"
around() (cd "$copy" && timeout 600 "$@" < /dev/null)

copy_tree "$copy"
copy_built "$copy"
cp -a build/lab/runtime "$scratch/" && mkdir -p "$copy/build/lab" && mv "$scratch/runtime" "$copy/build/lab/"
find "$copy/build" -type f -exec touch {} +
cp -a tests/end_to_end/adopted/. "$copy/my queues/"

expect "a class of optionals" 0 "steal is steal (returns an optional); it grows" \
  ./run.sh adopt "my queues/growing.hpp" --class='growing::Deque<void *>'
expect "the lab finds no fault" 0 "no fault" ./run.sh lab explore adopted/growing --seconds=1
expect "its checks pass" 0 "2 passed, 0 failed" ./run.sh check adopted/growing --check=conformance
expect "it is measured" 0 "results: " ./run.sh run pop --deque=adopted/growing,array --unsound --invocations=1 --repetitions=1 --minimum-time=0.001 --name=run
expect "it has a value" 0 "pop_latency" grep -E "\<adopted/growing\>.*\<ok\>" results/run/samples.csv

ring=(./run.sh adopt "my queues/bounded.hpp" --class='bounded::Ring<bounded::Task *, UPSTREAM_FIXED_CAPACITY>' --item='bounded::Task *')
expect "a class without a name for steal" 2 "no steal (tried steal, " "${ring[@]}"
expect "a class of bool" 0 "steal is rob (returns bool); its capacity is fixed" "${ring[@]}" --steal=rob
expect "its fault is found" 1 "item doubled" ./run.sh lab explore adopted/bounded --client=last_item
expect "a class that is not there" 3 "growing::Dequeue" ./run.sh adopt "my queues/growing.hpp" --class='growing::Dequeue<void *>'
expect "a header that is not there" 2 "no such header" ./run.sh adopt nothing.hpp --class=X

if command -v cargo > /dev/null && command -v rustc > /dev/null; then
  expect "a crate" 0 "Next: ./run.sh check adopted/locked" ./run.sh adopt "my queues/crate" --name=locked
  expect "its checks pass" 0 " 0 failed" ./run.sh check adopted/locked --check=conformance,stress
  expect "the lab says why not" 3 "the lab sees no access that Rust's compiler made" ./run.sh lab explore adopted/locked
else
  echo "no cargo here: the crate is left out"
fi
