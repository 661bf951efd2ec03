#!/usr/bin/env bash
# What is built when, in a copy of the tree with three deques, one of which does not compile. A dry run builds no deque, a run
# only those that it names. Another set of flags gets a build of its own. Quotes in flags are the shell's.
# shellcheck disable=SC2016,SC2317 # scripts of other shells; expect calls what seems not to be called
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy="$scratch/a b"
copy_tree "$copy" chase_lev empty
copy_built "$copy" chase_lev # so that little is compiled
rm -r "$copy"/build/{described,lab/chase_lev}
sed 's/"chase_lev"/"wrong"/; s/^struct deque {/this is not C/' queues/chase_lev.h > "$copy/queues/wrong.h"
unset MAKEFLAGS
around() { cd "$copy" && timeout 600 "$@"; }

# Prints the executables below build, without the descriptions.
made() { (cd "$copy/build" && find . -type f -perm -u+x ! -path './obj/*' ! -path './other_flags/*' | sort | xargs); }

push=(./run.sh run push --invocations=1 --minimum-time=0.001)
expect "an argument that is wrong" 2 "did you mean chase_lev?" ./run.sh run push --deque=chase_lve
expect "needs the driver alone" 0 "[./stealbench]" echo "[$(made)]"
expect "a dry run" 0 "1 cell, 5 invocations" ./run.sh run push --deque=chase_lev --dry-run
expect "builds no deque" 0 "[./stealbench]" echo "[$(made)]"
expect "and describes no other than what it names" 0 "[chase_lev]" bash -c 'echo "[$(ls build/described/deques | xargs)]"'
expect "a header that does not compile is said" 0 "wrong cannot be built and is left out: ./queues/wrong.h:" ./run.sh list
expect "and asked for, missing" 3 "wrong is not built here: ./queues/wrong.h:" "${push[@]}" --deque=wrong
expect "nothing is asked twice" 0 "[]" bash -c 'echo "[$(CC=/bin/false ./run.sh list 2>&1 > /dev/null)]"'
expect "a run" 0 "results/" "${push[@]}" --deque=chase_lev
expect "builds its deque, in two variants of one family, alone" 0 \
  "[./checks/chase_lev ./deques/latency.1/chase_lev ./deques/latency/chase_lev ./lab/chase_lev ./stealbench]" echo "[$(made)]"
# compiled MOST TARGET...: so many files at most are compiled for these, besides the driver, but not none
compiled() {
  local most=$1 number
  shift
  number=$(cd "$copy" && ninja -f build/variants.ninja -t commands "$@" | grep -c ' -c ')
  if [ "$number" -gt 10 ] && [ "$number" -le "$most" ]; then pass; else fail "$number files are compiled for $*, and $most are due"; fi
}
compiled 12 build/deques/latency{,.1}/chase_lev build/{checks,lab}/chase_lev
compiled 29 build/deques/latency{,.{1..7}}/{chase_lev,empty} build/{checks,lab}/{chase_lev,empty}
compiled 20 build/deques/fib{,.1}/chase_lev
for family in latency fib; do
  expect "$family" 0 "" make -s "build/deques/$family/chase_lev" described_families
  # shellcheck disable=SC2016 # for the bash that it runs in
  expect "$family is described as it describes itself" 0 "" \
    bash -c 'diff <(build/deques/"$1"/chase_lev --describe | sort) <(sort build/described/{deques/chase_lev,families/"$1"})' - "$family"
done
expect "nothing is said of nothing" 0 "[]" bash -c 'echo "[$(setup/configure.py --leave-out build/checks/chase_lev 2>&1)]"'

# compiles TARGET: prints how many files are compiled for it
compiles() { around setup/configure.py "$1" | grep -c '\.o$'; }
compiles build/checks/chase_lev > /dev/null
expect "other flags compile" 0 "" test "$(OPTIMISE='-O1 -DA="b c"' compiles build/checks/chase_lev)" -gt 3
expect "into a folder of their own, told in valid JSON" 0 'O1 -DA="b c"' \
  python3 -c 'import json; print(json.load(open("build/build.json"))["flags"])'
expect "and the first ones then nothing" 0 "0" echo "$(compiles build/checks/chase_lev)"
expect "nor those again" 0 "0" echo "$(OPTIMISE='-O1 -DA="b c"' compiles build/checks/chase_lev)"
expect "what the shell cannot read ends it" 2 "OPTIMISE: the shell cannot read -O1 'a" env OPTIMISE="-O1 'a" make build/checks/chase_lev
expect "for a person too" 3 "OPTIMISE: the shell cannot read" env OPTIMISE="-O1 'a" setup/configure.py build/checks/chase_lev
expect "the tests end when the build does" 1 "(Not Run)" env OPTIMISE="-O1 'a" tests/run.sh build units
rm "$copy/queues/chase_lev.h"
expect "what is of a deque that is gone" 0 "" ./run.sh list
expect "goes" 0 "[./stealbench]" echo "[$(made)]"
