#!/usr/bin/env bash
# Lists the calls in the machine code of the measured loops. A call of a deque's operation fails, because a call doubled the
# cost of pop. Calls of slow paths (growth), the C library and locks are allowed.
# On x86-64 a deque with plain slots also fails if its loop over batches moves one item at a time, with neither memcpy nor a
# vector store. (Compilers do not vectorise accesses of atomic slots.)
#
#   tests/measured_loops.sh [EXECUTABLE...]      default: every variant that is built
set -u
cd "$(dirname "$0")/.." || exit 3
command -v objdump >/dev/null || { echo "objdump is missing: apt-get install binutils"; exit 3; }
if [ $# -gt 0 ]; then executables=("$@"); else
  mapfile -t executables < <(find build/deques/latency{,.*} build/deques/contention{,.*} -type f -perm -u+x 2> /dev/null | sort)
fi
[ "$(uname -m)" = x86_64 ] || echo "not x86-64: not checked whether batches are copied many items at a time"

# The loops over batches that an executable of the latency family has of its own, if its deque's slots are plain.
batch_loops() {
  [[ $1 == */latency*/* ]] || return
  local id=${1##*/deques/}
  local header="queues/${id#*/}.h"
  [ "$(uname -m)" = x86_64 ] && grep -qsE '^ *(alignas\(DEQUE_LINE\) )?deque_item \*slots;' "$header" || return
  grep '^#define DEQUE_NATIVE' "$header" | grep -q DEQUE_PUSH_BATCH && echo measured_push_batch
  grep '^#define DEQUE_NATIVE' "$header" | grep -q DEQUE_STEAL_BATCH && echo measured_steal_native
}

passed=0 failed=0
for executable in "${executables[@]}"; do
  # One line for each call: its loop and its target. (Compilers name parts of a function NAME.part.0, NAME.cold.) And one
  # line for each loop that moves many items at a time in all of its variants. gcc may put that move into the unlikely part
  # (NAME.cold), after growth; the unlikely parts stand in the order of the variants.
  calls=$(objdump -d --no-show-raw-insn "$executable" | awk '
    /^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name); inside = name ~ /^measured_/; if (inside) loops++
      whole = name; sub(/\..*/, "", whole); cold = name ~ /\.cold/; if (inside) number = ++parts[whole, cold] }
    inside && /call.*mem(cpy|move)|mov(dq|[au]p)[a-z0-9]* +%[xyz]mm[0-9]+,.*\(/ { many[whole, cold, number] = 1 }
    inside && $2 ~ /^call/ { target = $0; sub(/.*call[a-z]* */, "", target); print name " -> " target }
    END { print "loops " loops + 0
      for (part in parts) { split(part, of, SUBSEP); if (of[2]) continue
        paired = parts[of[1], 1] == parts[of[1], 0]; every = 1
        for (i = 1; i <= parts[part]; i++)
          every = every && (many[of[1], 0, i] || (paired && many[of[1], 1, i]))
        if (every) print "many " of[1] } }')
  loops=$(sed -n 's/^loops //p' <<<"$calls")
  singly=$(comm -23 <(batch_loops "$executable" | sort) <(sed -n 's/^many //p' <<<"$calls" | sort))
  calls=$(grep -vE '^(loops|many) ' <<<"$calls" | sort -u)
  # our operations by name, those of the live originals (queues/upstream) by their C++ and Rust symbols
  operations=$(grep -E -- '-> .*<?((deque|upstream)_(push|pop|steal|poll)|_ZNK?[^>]*([Pp]ush|[Pp]op|steal))[a-z_]*' <<<"$calls")
  [ -n "$calls" ] && printf '%s:\n  %s\n' "$executable" "${calls//$'\n'/$'\n'  }"
  if [ "$loops" -eq 0 ]; then
    echo "FAILED $executable: no measured loop found in it"
    failed=$((failed + 1))
  elif [ -n "$operations" ]; then
    echo "FAILED $executable: an operation is called, not inlined"
    failed=$((failed + 1))
  elif [ -n "$singly" ]; then
    echo "FAILED $executable: a batch is copied item by item: ${singly//$'\n'/, }"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
done

# The light asymmetric fence (queues/parts/fences.h) must be no instruction: a store and a load compile to the same code with it and
# without it.
light_fence() {
  printf '%s\n' '#include "queues/deque.h"' '#include "queues/parts/fences.h"' '#define NOTHING() ((void)0)' \
    'uint64_t between(_Atomic uint64_t *stored, _Atomic uint64_t *loaded) {' \
    'atomic_store_explicit(stored, 1, memory_order_release);' "$1();" \
    'return atomic_load_explicit(loaded, memory_order_relaxed); }' |
    "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -I. -x c -c - -o "$folder/$1.o" &&
    objdump -d --no-show-raw-insn "$folder/$1.o" | sed '1,/^Disassembly/d'
}
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
if ! without=$(light_fence NOTHING) || ! with=$(light_fence deque_fence_light); then
  echo "FAILED queues/parts/fences.h: a light fence does not compile"
  failed=$((failed + 1))
elif [ "$with" != "$without" ]; then
  printf 'FAILED queues/parts/fences.h: a light fence is not free:\n%s\n' "$with"
  failed=$((failed + 1))
else
  passed=$((passed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
