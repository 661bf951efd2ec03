#!/bin/bash
# aarch64.sh: every deque cross-compiled for AArch64 and put through the gate's conformance, stress and stopped under
# qemu's user mode. Functional only: the processor underneath keeps its own, stronger order of memory accesses, so that a
# missing barrier is the model checker's to find.
#
# First the emulator itself is tried (aarch64/store_buffering.c). qemu 7.2 on x86 lets a sequentially consistent load pass
# the sequentially consistent store before it, which AArch64 never does. Where that is seen, it is said, and a deque that
# has such stores in place of fences runs on one processor, where no order of memory can be seen: the checks above, and
# preempt, whose threads give way inside of operations.
#
#   tests/aarch64.sh [DEQUE ...]      default: every sound deque and reference
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
    for source in harness/deque_main.c harness/measuring/cell/{describe,parameters,cell}.c harness/measuring/clock/clock.c \
        harness/measuring/random.c proof/checks/deque_independent/verdict.c tests/checks/alone/counters.c; do
        "$compiler" "${flags[@]}" -DDEQUE_ID='"aarch64"' -DDEQUE_HEADER='"queues/chase_lev.h"' -c "$source" \
            -o "$work/$(basename "$source" .c).main.o" || return 1
    done
}

# Whether the emulator lets a load pass an earlier store: $accesses and $fences are "seen in N rounds" or "not seen in N
# rounds".
try_emulator() {
    local program=$work/store_buffering
    "$compiler" "${flags[@]}" tests/aarch64/store_buffering.c -static -o "$program" || return 1
    accesses=$(timeout 60 "$emulator" "$program" accesses 10) || [ $? -eq 1 ] || return 1
    fences=$(timeout 60 "$emulator" "$program" fences 2) || [ $? -eq 1 ] || return 1
    [[ $accesses == *seen* && $fences == *seen* ]] || return 1
    echo "emulator: a load that passes an earlier store: $accesses where both are sequentially consistent," \
        "$fences where a fence stands between"
}

# Whether a deque, or a header of another that it includes, has a sequentially consistent store. (Such loads alone have
# no such store to pass.)
has_such_stores() { # deque
    "$compiler" "${flags[@]}" -MM "queues/$1.h" | grep -o 'queues/[^ ]*\.h' | xargs cat | tr '\n' ' ' |
        grep -cE 'atomic_store(_explicit\([^;]*memory_order_seq_cst| *\()' >/dev/null
}

# conformance's fixed part, then a moment of each check with threads.
try() { # deque
    local program=$work/$1.program log=$work/$1.log check place=() remark=""
    local files=(proof/checks/{conformance,stress,stopped}.c)
    local checks=("conformance --rounds=1" "stress --seconds=0.2" "stopped --rounds=24")
    if [[ $accesses == seen* ]] && has_such_stores "$1"; then
        place=(taskset -c "$first_processor")
        files+=(proof/checks/preempt.c)
        checks+=("preempt --seconds=0.2")
        remark=" on one processor, for the emulator does not keep its sequentially consistent accesses in order"
    fi
    if ! "$compiler" "${flags[@]}" -DDEQUE_HEADER="\"queues/$1.h\"" "${files[@]}" "$work"/*.main.o -static \
        -o "$program" -lm >"$log" 2>&1; then
        echo "FAILED $1: does not compile: $(grep -m 1 error "$log")"
        return
    fi
    for check in "${checks[@]}"; do
        # shellcheck disable=SC2086
        if ! timeout 120 "${place[@]}" "$emulator" "$program" --check $check --seed="${AARCH64_SEED:-1}" \
            >"$log" 2>&1; then
            echo "FAILED $1$remark: $(tail -n 1 "$log")"
            return
        fi
    done
    echo "passed $1$remark"
}

first_processor=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
try_emulator || {
    echo "FAILED emulator: the test of its memory order did not run; no deque was tried"
    echo "0 passed, 1 failed"
    exit 1
}
if [[ $fences == seen* ]]; then
    echo "FAILED emulator: it lets a load pass a fence; no deque was tried"
    echo "0 passed, 1 failed"
    exit 1
fi
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
