#!/usr/bin/env bash
# ./run.sh and make in a copy of the tree with a space in its path: a header does not compile, the lab refuses one, packages are
# missing, headers are installed later, the folder cannot be written.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy="$scratch/a b/stealbench" tools=$scratch/tools

# Runs a command in the copy, with these tools.
around() { cd "$copy" && PATH="$tools:$PATH" timeout 300 "$@" < "$scratch/open"; }

# Standard input that never ends: a command that reads it hangs.
mkfifo "$scratch/open" && exec 9<> "$scratch/open"

# A copy with two deques and none of other people's, and what is built of these already.
mkdir "$tools"
copy_tree "$copy" empty chase_lev lf_bulk
copy_built "$copy" chase_lev lf_bulk

# All packages count as installed except those named in a file, and the user is not root.
cat > "$tools/dpkg-query" << 'TOOL'
#!/bin/sh
for word; do grep -qsx -e "$word" "${0%/*}/missing" || echo "$word install ok installed"; done
TOOL
printf '#!/bin/sh\necho 1000\n' > "$tools/id"
chmod +x "$tools"/*

expect "everything is there" 0 "" ./run.sh setup
printf '%s\n' libhwloc-dev libssl-dev > "$tools/missing"
expect "one command to copy" 3 "Run: sudo apt-get update && sudo apt-get install -y --no-install-recommends libhwloc-dev libssl-dev" \
  setup/packages.sh --driver
echo libssl-dev > "$tools/missing"
expect "what is optional is said where it is asked for" 0 \
  "come with: sudo apt-get update && sudo apt-get install -y --no-install-recommends libssl-dev" setup/packages.sh --need build -- optional
rm "$tools/missing"

# deque NAME SED_SCRIPT: a copy of chase_lev, edited by the script
deque() { sed "s/\"chase_lev\"/\"$1\"/; $2" "$copy/queues/chase_lev.h" > "$copy/queues/$1.h"; }
measure=(./run.sh run push --minimum-time=0.001 --repetitions=1 --invocations=1 --variants=1)
deque mine ''
expect "a deque is found" 0 "mine " ./run.sh list deques
deque mine 's/^enum chase_lev_orders .*/this is not C/'
deque refused 's/^\(DEQUE_OPERATION enum deque_result deque_push.*\)/\1 __asm__ volatile("" ::: "memory"); __asm__ volatile("mfence");/'
expect "others are measured beside one that does not compile" 0 "push chase_lev, invocation 1" "${measure[@]}" --deque=chase_lev
expect "which is said of all" 0 "mine cannot be built and is left out: ./queues/mine.h" ./run.sh list deques
expect "and one that the lab refuses" 0 "refused cannot be built and is left out: lab: refused: " ./run.sh lab count
printf 'title Some\nrepetitions 1\ninvocations 1\nvariants 1\nminimum_time 0.001\n[a]\npush deque=chase_lev,mine\n' > "$copy/some.suite"
expect "a suite goes without it, and says so" 3 "left out: mine is not built here: ./queues/mine.h" \
  ./run.sh suite some.suite
# A stand-in for the drawing program prints its argument and exits with $DRAWN.
mv "$copy/plots/draw.py" "$scratch/"
cat > "$copy/plots/draw.py" << 'TOOL'
import os, sys
print("drawn:", sys.argv[1])
sys.exit(int(os.environ["DRAWN"]))
TOOL
once=(./run.sh suite some.suite --name=once)
expect "what could be measured is judged, and the worst exit code is the answer" 4 "drawn: results/once" env DRAWN=4 "${once[@]}"
expect "it is judged again when it is taken up" 3 "drawn: results/once" env DRAWN=1 ./run.sh suite some.suite --resume
mv "$scratch/draw.py" "$copy/plots/"
expect "asked for, it is an error with its reason" 3 "mine is not built here: ./queues/mine.h" "${measure[@]}" --deque=mine
expect "and its lab" 3 "refused is not built here: lab: refused: " ./run.sh lab count refused
expect "what it was before is gone" 1 "" test -e build/deques/latency/mine
deque mine '' && rm "$copy/queues/refused.h"
expect "mended, it is there again" 0 "mine " ./run.sh list deques
rm -rf "$copy"/build/deques
expect "two deques are compared" 0 "pop_latency " ./run.sh compare chase_lev lf_bulk --only=pop --variants=1 \
  --invocations=2 --repetitions=1 --minimum-time=0.001 # ci.sh has all variants
# shellcheck disable=SC2016 # for the bash that it runs in
expect "and of them just what a pop needs is built" 0 "[latency]" bash -c 'echo "[$(ls build/deques | xargs)]"'
expect "and the reason is gone" 1 "" grep -rs mine build --include=not_built.txt
source=$(cd "$copy" && find harness -name cell.c)
mv "$copy/$source" "$scratch/" && { echo 'this is not C' && cat "$scratch/cell.c"; } > "$copy/$source"
expect "what all need is said, and ends it" 3 "$source:1:1: error" ./run.sh list deques
mv "$scratch/cell.c" "$copy/$source"

# A compiler that does not find a header until it is installed.
cat > "$tools/cc" << 'TOOL'
#!/bin/sh
case "$*" in *"-E -v"*) exec gcc -nostdinc -isystem "${0%/*}/include" "$@" ;; esac
exec gcc "$@"
TOOL
chmod +x "$tools/cc" && mkdir "$tools/include"
object=$(cd "$copy" && find build/obj/timed/once -name duplicates.o)
make_object=(bash -c "CC=cc setup/configure.py $object | grep -c '\.o$'")
expect "without the header" 0 1 "${make_object[@]}"
expect "once" 1 0 "${make_object[@]}"
touch "$tools/include/xxhash.h"
expect "and again with it" 0 1 "${make_object[@]}"

# As a user who may not write here.
someone=()
[ "$EUID" -ne 0 ] || someone=(setpriv --reuid=65534 --regid=65534 --clear-groups)
mv "$copy/build" "$scratch/build" && chmod a-w "$copy"
expect "nothing can be written" 3 "to a folder that you may write to" "${someone[@]}" ./run.sh list deques
chmod u+w "$copy" && mv "$scratch/build" "$copy/build"
