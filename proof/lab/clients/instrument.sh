#!/bin/sh
# instrument.sh: one deque's object for the lab. Compiles proof/lab/clients/operations.c with the deque's header under
# -fsanitize=thread, makes sure that the lab sees all the deque does, and redirects its C library calls to the lab.
#
# usage: proof/lab/clients/instrument.sh ID HEADER OUTPUT COMPILER [FLAGS...]       from the top of the tree; CC's flags last
# A C++ original has its shim beside the header: it is compiled by SHIM_COMPILER, a command, and becomes part of the object.
set -u
id=$1 header=$2 output=$3
shift 3

refuse() {
    printf 'lab: %s: %s\n' "$id" "$1" >&2
    rm -f "$output" "$output.raw"
    exit 1
}

for tool in objcopy objdump readelf; do
    command -v "$tool" >/dev/null || { echo "lab: no $tool: install binutils" >&2; exit 3; }
done

# A header that waits a bounded time for another thread says how long in NAME_PATIENCE; here every wait is short.
patience=$(echo "${id##*/}" | tr '[:lower:]' '[:upper:]')_PATIENCE=3
compiles() {
    "$@" "-DDEQUE_HEADER=\"$header\"" "-D$patience" -MMD -MP -MT "$output" -MF "${output%.o}.d" -c proof/lab/clients/operations.c -o "$output.raw"
}
compiles "$@" || refuse "$header does not compile (the messages above); the lab builds it as C11, with void * items"

shim=${header%.h}.cc
if [ -e "$shim" ]; then
    # shellcheck disable=SC2086 # a command
    ${SHIM_COMPILER:?} -MD -MP -MT "$output" -MF "$output.d" -c "$shim" -o "$output.shim" || refuse "$shim does not compile"
    cat "$output.d" >> "${output%.o}.d"
    ld -r -o "$output.both" "$output.raw" "$output.shim" || refuse "ld failed"
    mv "$output.both" "$output.raw"
    rm -f "$output.d" "$output.shim"
fi

# Undefined symbols must be the instrumentation's, C++'s on ways that end in an exception or a message, or those that
# proof/lab/engine/libc_symbols.txt redirects to the lab. The first other one, else a section of thread-local variables:
strange=$(readelf -SsW "$output.raw" | awk '
    BEGIN {
        known = "^(__tsan_|_ZSt|_ZNSt8ios_base|_ZNSo|_ZTISt|__cxa_|(__gxx_personality_v0|__gcc_personality_v0|_Unwind_Resume|__dso_handle|" \
                "_GLOBAL_OFFSET_TABLE_|entry_heavy_fence|entry_fences_asymmetric|chosen_mutant)$)"
    }
    FILENAME != "-" { redirected[$1]; next }
    match($0, / \.(tdata|tbss)/) { local = substr($0, RSTART + 1, RLENGTH - 1) }
    $7 == "UND" && $8 && ($8 !~ known || $8 ~ /^__tsan_atomic128_/) && !($8 in redirected) { print $8; found = 1; exit }
    END { if (!found && local) print local }' proof/lab/engine/libc_symbols.txt -)
case $strange in
'') ;;
__atomic_* | __sync_* | __tsan_atomic128_*)
    refuse "16-byte atomics, or others without instructions of their own ($strange): the lab cannot see them. Pack \
the fields into one aligned word of at most 8 bytes" ;;
pthread_cond_* | pthread_create | sem_* | syscall | futex)
    refuse "calls $strange: a deque neither starts threads nor sleeps; waiting belongs to the pool" ;;
.t*)
    refuse "thread-local variables: the lab's threads share one. Keep per-thread state in the thread's own deque" ;;
*)
    refuse "calls $strange, which the lab does not know: do without, or add it to proof/lab/engine/libc_shim.c and libc_symbols.txt" ;;
esac

# Atomic instructions that bypass the instrumentation: inline assembly or intrinsics.
unseen=$(objdump -d --no-show-raw-insn "$output.raw" |
    awk -F'\t' 'NF > 1 &&
        ($2 ~ /^lock|^mfence|^lfence|^sfence|^cmpxchg|^xadd|^movnt/ || ($2 ~ /^xchg/ && $2 ~ /\(/)) {
            split($1, place, ":"); gsub(/ /, "", place[1]); print place[1], $2; exit }')
if [ -n "$unseen" ]; then
    line=$(addr2line -i -e "$output.raw" "0x${unseen%% *}" 2>/dev/null | head -n 1)
    refuse "an instruction the lab cannot see (${unseen#* }) at ${line:-?}: inline assembly or an intrinsic. \
Write it with <stdatomic.h>, every order explicit"
fi

# The deque's global variables in one section, so that each run finds them as they were.
objcopy --redefine-syms=proof/lab/engine/libc_symbols.txt \
    --set-section-flags .bss=alloc,load,data,contents \
    --rename-section .data=lab_globals --rename-section .bss=lab_globals \
    "$output.raw" "$output" || refuse "objcopy failed"
rm -f "$output.raw"
