#!/usr/bin/env bash
# Does measured_loops.sh catch planted faults? It must fail on a loop that calls its operation, and on one that copies a
# batch item by item.
set -u
cd "$(dirname "$0")/.." || exit 3
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/queues"
sed 's/__attribute__((always_inline, unused)) static inline/__attribute__((noinline, unused)) static/' \
  queues/deque.h > "$scratch/queues/deque.h"
if cmp -s queues/deque.h "$scratch/queues/deque.h"; then
  echo "FAILED queues/deque.h no longer says always_inline where this test looks for it"
  echo "0 passed, 1 failed"
  exit 1
fi
cp queues/chase_lev.h "$scratch/queues/"
if ! ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O2 "-I$scratch" -I. -DDEQUE_HEADER="\"$scratch/queues/chase_lev.h\"" \
  -c workloads/latency/variants/loops.c -o "$scratch/pop.o"; then
  echo "0 passed, 1 failed"
  exit 1
fi
if tests/measured_loops.sh "$scratch/pop.o" > "$scratch/said"; then
  echo "FAILED a loop that calls deque_pop was passed:"
  cat "$scratch/said"
  echo "0 passed, 1 failed"
  exit 1
fi
[ "$(uname -m)" = x86_64 ] || { echo "1 passed, 0 failed"; exit 0; }
mkdir "$scratch/deques"
as_written=(-fno-tree-vectorize -fno-tree-loop-distribute-patterns)
! "${CC:-gcc}" --version | grep -q clang || as_written=(-fno-vectorize -fno-slp-vectorize -fno-builtin)
# The one variant of two whose loops do so has to be seen beside the other.
copied=('-DDEQUE_COPY(to, from, n)=for (size_t i = 0; i < (n); i++) (to)[i] = (from)[i]' "${as_written[@]}")
for variant in 0 1; do
  [ $variant -eq 1 ] || flags=(-O3)
  [ $variant -eq 0 ] || flags=(-O2 "${copied[@]}")
  if ! ${CC:-gcc} -std=gnu11 -D_GNU_SOURCE "${flags[@]}" -I. "-DCODE_VARIANT=$variant" \
    -DDEQUE_HEADER='"queues/st3.h"' -c workloads/latency/variants/loops.c -o "$scratch/loops_$variant.o"; then
    echo "1 passed, 1 failed"
    exit 1
  fi
done
ld -r "$scratch/loops_0.o" "$scratch/loops_1.o" -o "$scratch/deques/st3"
tests/measured_loops.sh "$scratch/deques/st3" > "$scratch/said"
if ! grep -q 'item by item: measured_push_batch, measured_steal_native' "$scratch/said"; then
  echo "FAILED loops that copy item by item were passed:"
  cat "$scratch/said"
  echo "1 passed, 1 failed"
  exit 1
fi
echo "2 passed, 0 failed"
