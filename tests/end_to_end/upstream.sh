#!/usr/bin/env bash
# Live originals: those that cannot be built are named, those that are built answer as deques, and fidelity runs from a mapping to
# its table. If none is installed, two of our own deques stand for a port and its original.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"

# A machine without headers and Rust.
bare=$scratch/bare
mkdir -p "$bare/deques/latency" "$scratch/bin"
for tool in python3 env gcc ninja; do ln -s "$(command -v "$tool")" "$scratch/bin/"; done
asked() { ninja -f "$bare/build.ninja" -t "$@"; } # what ninja says of what would be built
expect "a bare machine is configured" 0 "" env PATH="$scratch/bin" CC='gcc -nostdinc' CPPFLAGS='' UPSTREAM_FROM='' BUILD="$bare" setup/configure.py
expect "and builds no original" 1 "unknown target" asked query deques/upstream/eigen_runqueue deques/upstream/crossbeam_lifo
cp build/stealbench "$bare/"
cp build/deques/latency/chase_lev "$bare/deques/latency/"
build/deques/latency/chase_lev --describe > "$bare/described/deques/chase_lev"
expect "list says what is not built" 0 "not built: taskflow/core/wsq.hpp not found" "$bare/stealbench" list deques
expect "measuring it says so too" 3 "upstream/eigen_runqueue is not built here: " \
  "$bare/stealbench" run push --deque=upstream/eigen_runqueue --results="$scratch"
expect "and checking it" 3 "is not built here: " "$bare/stealbench" check upstream/stdexec_bwos_lifo

# --from finds a folder's headers, whatever its path; only what includes them depends on it.
mkdir -p "$scratch/a folder/libfork/core/ext" "$scratch/other"
touch "$scratch/a folder/libfork/core/ext/deque.hpp"
found() { UPSTREAM_FROM=$1 CC='gcc -nostdinc' CPPFLAGS='' BUILD="$bare" setup/configure.py && asked query deques/upstream/libfork_deque; }
object() { asked commands "$bare/obj/address/upstream/libfork_deque/+0/$1.o"; }
expect "from elsewhere it is not found" 1 "unknown target" found "$scratch/other"
expect "an original in a folder with a blank" 0 "$bare/deques/fib/upstream/libfork_deque" found "$scratch/other:$scratch/a folder"
expect "is included from there" 0 "-isystem $bare/upstream/from/" object queues/upstream/libfork_deque
expect "and depends on the folder's headers" 0 " -MD " object queues/upstream/libfork_deque
expect "a check does not" 0 " -MMD " object proof/checks/stress
variant() { UPSTREAM_FROM="$scratch/a folder" CC='gcc -nostdinc' CPPFLAGS='' BUILD="$bare" setup/configure.py -nv "$@"; }
expect "a variant is linked with the shim" 0 "/queues/upstream/libfork_deque.o" variant "$bare/deques/fib.1/upstream/libfork_deque"
expect "a folder that there is not" 2 "no such folder: " build/stealbench check upstream/libfork_deque --from="$scratch/none"

original=upstream/eigen_runqueue
[ -x "build/deques/latency/$original" ] || original=abp
echo "case push 1 push owner:push_latency batch=1 push=single capacity=1024
case pair 1 pair owner:pair_latency size=64 capacity=1024
pair chase_lev $original push pair" > "$scratch/mapping.txt"
fidelity=(/usr/bin/python3 -m harness.trust.fidelity --mapping="$scratch/mapping.txt")
"${fidelity[@]}" suite build > "$scratch/fidelity.suite"
expect "fidelity's suite is one" 0 "results: " build/stealbench suite "$scratch/fidelity.suite" --name=run \
  --results="$scratch" --invocations=2 --repetitions=1 --minimum-time=0.001
judged() { "${fidelity[@]}" judge build "$scratch/run" || [ $? = 1 ]; } # two invocations settle nothing, but have a mean
expect "fidelity, from a mapping to its table" 0 "2 not settled, 0 without values" judged
expect "and its data" 0 "chase_lev,$original,pair,owner,pair_latency," cat "$scratch/run/fidelity.csv"
echo "pair abp $original sort" >> "$scratch/mapping.txt"
expect "a case that there is not" 2 "mapping.txt:4: no such case: sort" "${fidelity[@]}" suite build

for executable in build/{deques/*,checks,stress,pool_checks}/upstream/*; do
  [ -x "$executable" ] || continue
  id=upstream/${executable##*/}
  expect "$id knows itself" 0 "deque	id	$id" "$executable" --describe
done
