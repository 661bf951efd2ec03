#!/usr/bin/env bash
# Live originals: those that cannot be built are named, those that are built answer as deques, and fidelity runs from a mapping to
# its table. If none is installed, two of our own deques stand for a port and its original.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"

# A machine without headers and Rust, with an executable from when they were there.
bare=$scratch/bare
mkdir -p "$bare/deques/upstream" "$scratch/bin"
for tool in bash cut cat mkdir rm sed dirname; do ln -s "$(command -v "$tool")" "$scratch/bin/"; done
mkdir -p "$bare/pool/upstream"
for part in deques pool; do cp build/deques/chase_lev "$bare/$part/upstream/eigen_runqueue"; done
found=$(PATH="$scratch/bin" CXX=false CPPFLAGS='' BUILD="$bare" queues/upstream/found.sh)
expect "a bare machine builds none" 0 "nothing" echo "${found:-nothing}"
expect "an executable that cannot be built any more goes" 0 "" test ! -e "$bare/deques/upstream/eigen_runqueue"
expect "and its others with it" 0 "" test ! -e "$bare/pool/upstream/eigen_runqueue"
cp build/stealbench "$bare/"
cp build/deques/chase_lev "$bare/deques/"
expect "list says what is not built" 0 "not built: taskflow/core/wsq.hpp not found" "$bare/stealbench" list deques
expect "measuring it says so too" 3 "upstream/eigen_runqueue is not built here: " \
  "$bare/stealbench" run push --deque=upstream/eigen_runqueue --results="$scratch"
expect "and checking it" 3 "is not built here: " "$bare/stealbench" check upstream/stdexec_bwos_lifo

# --from finds a folder's headers, whatever its path; only what includes them depends on it.
mkdir -p "$scratch/a folder/libfork/core/ext" "$scratch/other"
touch "$scratch/a folder/libfork/core/ext/deque.hpp"
found() { UPSTREAM_FROM=$1 CXX="${CXX:-g++} -nostdinc" CPPFLAGS='' BUILD="$bare" queues/upstream/found.sh; }
expect "an original in a folder with a blank" 0 "upstream/libfork_deque" found "$scratch/other:$scratch/a folder"
expect "is included from there" 0 "-isystem $bare/upstream/from/2 " cat "$bare/upstream/from/flags"
expect "from elsewhere it is not found" 0 "nothing" echo "$(found "$scratch/other")nothing"
expect "a folder that there is not" 2 "no such folder: " build/stealbench check upstream/libfork_deque --from="$scratch/none"
depends_on() { # OBJECT: does make want it to be newer than the folders?
  make -np "build/obj/address/upstream/libfork_deque/+0/$1.o" 2> /dev/null | grep -c "^build/obj/.*$1.o:.* build/upstream/from/flags"
}
expect "the shim depends on the folder" 0 "1" depends_on queues/upstream/libfork_deque
layout_of() { make -n "build/pool_layouts/1/upstream/$1" 2> /dev/null | grep -c -- "-o build/pool_layouts/.*queues/upstream/$1.o"; }
expect "a layout is linked with the shim" 0 "1" layout_of libfork_deque
expect "a check does not" 1 "0" depends_on proof/checks/stress

original=upstream/eigen_runqueue
[ -x "build/deques/$original" ] || original=abp
echo "case push 1 push owner:push_latency batch=1 push=single capacity=1024
case pair 1 pair owner:pair_latency size=64 capacity=1024
pair chase_lev $original push pair" > "$scratch/mapping.txt"
fidelity=(/usr/bin/python3 -m harness.trust.fidelity --mapping="$scratch/mapping.txt")
"${fidelity[@]}" suite build/deques > "$scratch/fidelity.suite"
expect "fidelity's suite is one" 0 "results: " build/stealbench suite "$scratch/fidelity.suite" --name=run \
  --results="$scratch" --invocations=2 --repetitions=1 --minimum-time=0.001
judged() { "${fidelity[@]}" judge build/deques "$scratch/run" || [ $? = 1 ]; } # two invocations settle nothing, but have a mean
expect "fidelity, from a mapping to its table" 0 "2 not settled, 0 without values" judged
expect "and its data" 0 "chase_lev,$original,pair,owner,pair_latency," cat "$scratch/run/fidelity.csv"
echo "pair abp $original sort" >> "$scratch/mapping.txt"
expect "a case that there is not" 2 "mapping.txt:4: no such case: sort" "${fidelity[@]}" suite build/deques

for executable in build/{deques,pool,checks,pool_checks}/upstream/*; do
  [ -x "$executable" ] || continue
  id=${executable#build/*/}
  expect "$id knows itself" 0 "deque	id	$id" "$executable" --describe
done
