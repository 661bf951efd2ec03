#!/usr/bin/env bash
# The README's commands, word for word, in a copy of the tree. What takes minutes or a night is only planned, and compare ends early.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy=$scratch/stealbench
around() (cd "$copy" && timeout 900 "$@" < /dev/null)

copy_tree "$copy"
copy_built "$copy" chase_lev
cp -a CITATION.cff LICENSE "$copy/"
cp -a build/described "$copy/build/" && cp -a build/obj/described "$copy/build/obj/"
for part in checks pool_checks address thread lab; do
  mkdir -p "$copy/build/$part" && cp -a "build/$part/chase_lev" "$copy/build/$part/"
done
for flavour in address thread; do cp -a "build/obj/$flavour" "$copy/build/obj/"; done
find "$copy/build" -type f -exec touch {} +
sed 's/growing/my/; s/\<Deque\>/Queue/' tests/end_to_end/adopted/growing.hpp > "$copy/my_queue.hpp"

mapfile -t commands < <(sed -n 's/^\$ \([^#]*[^# ]\).*/\1/p' README.md)
expect "the README has commands" 0 "" test ${#commands[@]} -ge 8
for command in "${commands[@]}"; do
  case $command in
    ./run.sh | ./run.sh\ smoke | ./run.sh\ paper*) more=' --dry-run' ;;
    ./run.sh\ compare*) more=' --budget=5s' ;;
    *) more='' ;;
  esac
  expect "$command" 0 "" bash -c "$command$more"
done
expect "the header is there" 0 "cl_steal" cat cl.h
expect "the class is a deque" 0 "adopted/my_queue" cat queues/adopted/my_queue.h
expect "the fence is there" 0 "1" grep -c '^    atomic_thread_fence(memory_order_seq_cst);$' queues/my_deque.h
sed -i '/^    atomic_thread_fence(memory_order_seq_cst);$/d' "$copy/queues/my_deque.h"
expect "without it" 1 "item2 came out twice" ./run.sh lab explore my_deque
