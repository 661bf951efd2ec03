#!/bin/bash
# aarch64.sh: cross-compiles every deque for AArch64 and runs conformance and preempt under qemu's user mode. This finds
# functional faults only: the processor underneath orders memory more strongly, so it hides missing barriers. The lab's weak
# memory and the model checker find those.
#
# All threads run on one processor: qemu 7.2 on x86 lets a sequentially consistent load pass an earlier sequentially consistent
# store, which AArch64 forbids. Threads give way inside operations, so they meet there, too.
#
#   tests/aarch64.sh [DEQUE ...]      default: every sound deque and reference
#
# Ends on "N passed, N failed". Exit: 0 all passed, 1 not, 3 no cross compiler or no qemu.
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
first_processor=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)

# Compiles what does not depend on the deque, once. The checks need no library, and there is none for that processor.
build_main() {
    local source
    for source in harness/deque_main.c harness/measuring/{describe,parameters,cell}.c harness/measuring/clock.c \
        harness/measuring/random.c proof/checks/verdict.c tests/checks/alone/counters.c; do
        "$compiler" "${flags[@]}" -c "$source" -o "$work/$(basename "$source" .c).main.o" || return 1
    done
}

# Runs conformance's fixed part, then threads for a moment.
try() { # deque
    local program=$work/$1.program log=$work/$1.log check
    if ! "$compiler" "${flags[@]}" -DDEQUE_ID="\"$1\"" -DDEQUE_HEADER="\"queues/$1.h\"" proof/checks/{conformance,preempt}.c \
        "$work"/*.main.o -static -o "$program" -lm >"$log" 2>&1; then
        echo "FAILED $1: does not compile: $(grep -m 1 error "$log")"
        return
    fi
    for check in "conformance --rounds=1" "preempt --seconds=0.2"; do
        # shellcheck disable=SC2086
        if ! timeout 120 taskset -c "$first_processor" "$emulator" "$program" --check $check --seed="${AARCH64_SEED:-1}" \
            >"$log" 2>&1; then
            echo "FAILED $1: $(tail -n 1 "$log")"
            return
        fi
    done
    echo "passed $1"
}

build_main
deques=("$@")
if [ ${#deques[@]} -eq 0 ]; then
    mapfile -t deques < <(cd queues && grep -L 'sound = false' -- *.h | sed 's/\.h$//' | grep -vx deque)
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
