#!/bin/bash
# aarch64.sh: cross-compiles every deque for AArch64 and runs conformance and stress under qemu's user mode. This
# finds functional faults only: the processor underneath orders memory more strongly, so it hides missing barriers. The model
# checker finds those.
#
# First the emulator is tested (aarch64/store_buffering.c). qemu 7.2 on x86 lets a sequentially consistent load pass an earlier
# sequentially consistent store, which AArch64 forbids. If that happens, a deque with such stores in place of fences runs on
# one processor, where no order can be seen, and also runs preempt, whose threads give way inside operations.
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

# Compiles what does not depend on the deque, once. The checks need no library, and there is none for that processor.
build_main() {
    local source
    for source in harness/deque_main.c harness/measuring/{describe,parameters,cell}.c harness/measuring/clock.c \
        harness/measuring/random.c proof/checks/verdict.c tests/checks/alone/counters.c; do
        "$compiler" "${flags[@]}" -DDEQUE_ID='"aarch64"' -DDEQUE_HEADER='"queues/chase_lev.h"' -c "$source" \
            -o "$work/$(basename "$source" .c).main.o" || return 1
    done
}

# Does the emulator let a load pass an earlier store? Sets $accesses and $fences to "seen in N rounds" or "not seen in N
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

# Does a deque, or another deque's header that it includes, have a sequentially consistent store?
has_such_stores() { # deque
    "$compiler" "${flags[@]}" -MM "queues/$1.h" | grep -o 'queues/[^ ]*\.h' | xargs cat | tr '\n' ' ' |
        grep -cE 'atomic_store(_explicit\([^;]*memory_order_seq_cst| *\()' >/dev/null
}

# Runs conformance's fixed part, then each check with threads for a moment.
try() { # deque
    local program=$work/$1.program log=$work/$1.log check place=() remark=""
    local files=(proof/checks/{conformance,stress}.c)
    local checks=("conformance --rounds=1" "stress --seconds=0.2")
    if [[ $accesses == seen* ]] && has_such_stores "$1"; then
        place=(taskset -c "$first_processor")
        files+=(proof/checks/preempt.c)
        checks+=("preempt --seconds=0.2")
        remark=" on one processor, because the emulator reorders its sequentially consistent accesses"
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
