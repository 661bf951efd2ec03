#!/bin/bash
# aarch64.sh: every deque cross-compiled for AArch64 and put through the gate's conformance, stress and stopped under
# qemu's user mode. Functional only: the processor underneath keeps its own, stronger order of memory accesses, so that a
# missing barrier is the model checker's to find.
#
#   tests/aarch64.sh [DEQUE ...]      default: every sound deque and yardstick
#
# Ends on "N passed, N failed". Exit: 0 all passed, 1 not, 3 no cross compiler or no qemu (said, and nothing is counted).
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=${AARCH64_CC:-aarch64-linux-gnu-gcc}
emulator=${AARCH64_EMULATOR:-qemu-aarch64}
for tool in "$compiler" "$emulator"; do
    command -v "$tool" >/dev/null || {
        echo "aarch64: $tool is not installed; no deque was tried (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)"
        exit 3
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=gnu11 -D_GNU_SOURCE -I. -pthread -O1)

# Once: what does not depend on the deque. There is no library for that processor, and checks need none.
build_main() {
    local source
    for source in harness/{deque_main,describe,parameters,cell,clock,items}.c tests/gate/{verdict,alone/counters}.c; do
        "$compiler" "${flags[@]}" -DDEQUE_ID='"aarch64"' -DDEQUE_HEADER='"queues/chase_lev.h"' -c "$source" \
            -o "$work/$(basename "$source" .c).main.o" || return 1
    done
}

# conformance's fixed part, then a moment of each check with threads.
try() { # deque
    local program=$work/$1.program log=$work/$1.log check
    if ! "$compiler" "${flags[@]}" -DDEQUE_HEADER="\"queues/$1.h\"" tests/gate/{conformance,stress,stopped}.c \
        "$work"/*.main.o -static -o "$program" -lm >"$log" 2>&1; then
        echo "FAILED $1: does not compile: $(grep -m 1 error "$log")"
        return
    fi
    for check in "conformance --rounds=1" "stress --seconds=0.2" "stopped --rounds=24"; do
        # shellcheck disable=SC2086
        if ! timeout 120 "$emulator" "$program" --check $check --seed="${AARCH64_SEED:-1}" >"$log" 2>&1; then
            echo "FAILED $1: $(tail -n 1 "$log")"
            return
        fi
    done
    echo "passed $1"
}

build_main
deques=("$@")
if [ ${#deques[@]} -eq 0 ]; then
    mapfile -t deques < <(cd queues && printf '%s\n' *.h | sed 's/\.h$//' | grep -vx deque)
fi
for deque in "${deques[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
    try "$deque" >"$work/$deque.verdict" &
done
wait
cat "$work"/*.verdict
passed=$(cat "$work"/*.verdict | grep -c '^passed' || true)
failed=$(cat "$work"/*.verdict | grep -c '^FAILED' || true)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
