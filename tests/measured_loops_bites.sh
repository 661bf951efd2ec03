#!/usr/bin/env bash
# measured_loops.sh must fail on a loop that calls its operation: compile one so, and see.
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
  -c workloads/pop.c -o "$scratch/pop.o"; then
  echo "0 passed, 1 failed"
  exit 1
fi
if tests/measured_loops.sh "$scratch/pop.o" > "$scratch/said"; then
  echo "FAILED a loop that calls deque_pop was passed:"
  cat "$scratch/said"
  echo "0 passed, 1 failed"
  exit 1
fi
echo "1 passed, 0 failed"
