#!/bin/sh
# run.sh: the lab's tests: a line each, of a command, its exit code and words of what it says. That the lab finds faults,
# proof/planted_faults shows. Needs a compiler or two, binutils and ninja; writes below a temporary folder only.
#
# usage: tests/lab/run.sh [COMPILER...]        default: gcc and clang, those that are there. Ends on "N passed, N failed"
# ONLY='count stop ci': these parts alone
set -u
cd "$(dirname "$0")/../.." || exit 3
top=$PWD
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    printf 'FAILED (%s): %s\n' "$compiler" "$1"
    [ ! -s "$work/out" ] || head -n 12 "$work/out" | sed 's/^/    /'
}
# expect STATUS TEXT COMMAND...: the command ends with this status and says this (a basic regular expression)
expect() {
    status=$1 text=$2
    shift 2
    "$@" >"$work/out" 2>&1
    got=$?
    if [ "$got" -eq "$status" ] && grep -q -e "$text" "$work/out"; then pass; else fail "$* (status $got, not $status, or no '$text')"; fi
}

also() { # TEXT...: what was just said holds these, too
    for text; do if grep -q -e "$text" "$work/out"; then pass; else fail "no '$text'"; fi; done
}

# A tree of its own with changed headers, so that the real one stays as it is.
tree=$work/tree
mkdir -p "$tree/queues"
for folder in proof tests harness setup workloads; do ln -s "$top/$folder" "$tree/$folder"; done
cp -a queues/parts queues/as_published queues/as_shipped queues/*.h "$tree/queues/"

# The mutants are made from the header as it is; a mutation that no longer applies must fail, not pass.
mutate() { # NAME FROM SCRIPT
    sed "$3" "$tree/queues/$2.h" >"$tree/queues/$1.h"
    if cmp -s "$tree/queues/$2.h" "$tree/queues/$1.h"; then fail "the mutation $1 of $2 changes nothing"; fi
}
in_push='s/^\(DEQUE_OPERATION enum deque_result deque_push.*\)/\1'
in_pop='s/^\(DEQUE_OPERATION enum deque_result deque_pop.*\)/\1'
at_top='s/^enum chase_lev_orders .*/&\n'
compiler=-
mutate no_fence chase_lev '/pairs with the fence in steal: either/{n;d;}'
mutate no_steal_fence chase_lev '/pairs with the fence in pop/d'
mutate endless chase_lev "$in_pop while (atomic_load_explicit(\&deque->top, memory_order_relaxed) == 0) {}/"
mutate spinner chase_lev "$in_pop volatile int wait = 1; while (wait) {}/"
mutate broken chase_lev "${at_top}this is not C/"
mutate assembly chase_lev "$in_push __asm__ volatile(\"mfence\" ::: \"memory\");/"
mutate thread_local chase_lev "${at_top}static _Thread_local int mine;/; $in_push mine++;/"
mutate wide chase_lev "${at_top}typedef struct { uint64_t a, b; } wide; _Atomic wide pair;/; $in_push wide now = atomic_load_explicit(\&pair, memory_order_seq_cst); if (now.a) return DEQUE_FULL;/"
mutate sleeper locked "$in_push static pthread_cond_t c; pthread_cond_signal(\&c);/"
mutate wanderer chase_lev "$in_push if (getenv(\"NOTHING\")) return DEQUE_FULL;/"
mutate extra_rmw chase_lev "$in_push static _Atomic uint64_t extra; atomic_fetch_add_explicit(\&extra, 1, memory_order_relaxed);/"
mutate half_padding chase_lev 's/alignas(DEQUE_LINE)/alignas(64)/'
mutate slots_beside chase_lev 's/^    alignas(DEQUE_LINE) _Atomic(deque_item) \*slots;.*/    _Atomic(deque_item) room[4096];\n&/; s/^    deque->orders = config.*/    DEQUE_FREE(deque->slots);\n    deque->slots = deque->room;\n&/; s/DEQUE_FREE(deque->slots);/(void)deque;/'
mutate dear_loss half_padding 's/^        return DEQUE_LOST;/        { static _Atomic uint64_t lost; atomic_fetch_add_explicit(\&lost, 1, memory_order_relaxed); return DEQUE_LOST; }/'

# using COMMAND...: runs it in the tree with the compiler
using() {
    case $folder in
    build) (cd "$tree" && BUILD=build "$@") ;;
    *) (cd "$tree" && CC=$compiler BUILD=$folder "$@") ;;
    esac
}
built() { # TARGET...
    for one; do set -- "$@" "$folder/$one" && shift; done
    using setup/configure.py -k0 "$@"
}
builds() { # ID...
    for one; do set -- "$@" "lab/$one" && shift; done
    built "$@" >"$work/out" 2>&1 || fail "$* build"
}
lab() { # ID VERB OPTIONS...
    id=$1
    shift
    "$tree/$folder/lab/$id" "$@"
}
# replays ID TEXT: the command that was just printed shows it again
replays() {
    replay=$(sed -n 's/^  replay: [^ ]* \(.*\)$/\1/p' "$work/out")
    eval "expect 1 \"\$2\" lab \"\$1\" ${replay:-nothing}"
}

test_machine() {
    built lab/tests/runtime_test >"$work/out" 2>&1 || fail "the machine's tests build"
    "$tree/$folder/lab/tests/runtime_test" >"$work/out" 2>&1 || cat "$work/out"
    last=$(tail -n 1 "$work/out")
    passed=$((passed + $(echo "$last" | awk '{print $1 + 0}')))
    failed=$((failed + $(echo "$last" | awk '$2 != "passed," {print 1; next} {print $3 + 0}')))
}

test_explore() {
    builds no_fence no_steal_fence endless spinner fence_free chase_lev_asymmetric as_shipped/stdexec_bwos_rounds \
        as_shipped/parlay_abp as_shipped/ftl_wait_free_queue as_shipped/charm_taskqueue as_shipped/sledge_deque
    expect 1 'no_fence.h:[0-9].*|$' lab no_fence explore --mode=fences
    replays no_fence 'item doubled'
    for time in first second; do lab no_fence explore --seed=5 --quiet >"$work/$time"; done
    if cmp -s "$work/first" "$work/second"; then pass; else fail 'the same seed finds the same'; fi
    expect 1 'no end after .* accesses' lab endless explore
    expect 1 'computes in .*spinner.h:[0-9].* without an access to shared memory.*--client=' lab spinner explore
    # programs made by chance
    expect 1 'client make(2,2),pop(1),steal(.*: item doubled' lab no_fence explore --client=programs
    replays no_fence 'item doubled'
    expect 0 'programs .* by chance, of [0-9]* programs' lab chase_lev explore --client=programs --schedules=2000
    expect 1 'two owners of deque: thief calls pop, and its owner is owner' lab chase_lev explore '--client=make(4,3),pop(1),pop(1)'
    # weak memory, a buffer of a known size, plain slots that count as atomic, no fences by the kernel
    expect 0 'no fault found' lab no_steal_fence explore --schedules=4000
    expect 1 'load .* newer store' lab no_steal_fence explore --memory=weak --schedules=4000
    replays no_steal_fence 'item \(doubled\|lost\)'
    expect 0 'no fault found' lab fence_free explore --block=2 --buffer=2 --schedules=4000 --bound=1
    expect 1 'item \(doubled\|lost\)' lab fence_free explore --block=2 --buffer=3 --schedules=20000
    replays fence_free 'item \(doubled\|lost\)'
    expect 1 'read memory.* newer store' lab as_shipped/stdexec_bwos_rounds explore --memory=weak
    replays as_shipped/stdexec_bwos_rounds 'item doubled'
    expect 0 'no fault found' lab chase_lev_asymmetric explore --fences=pair --schedules=4000
    # the forms that repair what was shipped (docs/faults.md)
    for id in parlay_abp ftl_wait_free_queue charm_taskqueue sledge_deque; do
        expect 0 'no fault found' lab as_shipped/$id explore --mode=repaired --memory=weak --schedules=2000
    done
    expect 1 'with --memory=weak, which its fault needs' lab as_shipped/parlay_abp explore --quiet
    expect 0 "no fault found on x86's memory; --memory=weak allows more" lab as_shipped/parlay_abp explore --schedules=2000
}

test_count() {
    lab chase_lev count --csv >"$work/first"
    lab chase_lev count --csv >"$work/second"
    if cmp -s "$work/first" "$work/second"; then pass; else fail 'counts repeat to the byte'; fi
    # three loads, a store, a fence; a CAS and a fence; what a lost steal costs at least
    expect 0 '^chase_lev,pop,alone,ok,exact,32,3.0000,1.0000,0.0000,1.0000,' cat "$work/first"
    expect 0 '^chase_lev,steal,alone,ok,exact,32,3.0000,0.0000,1.0000,1.0000,' cat "$work/first"
    expect 0 '^chase_lev,steal,busy owner (least),lost,exact,,3,0,1,1,' cat "$work/first"
    # After the first round push finds top changed by the thief, and takes bottom from the thief. Nothing moves to an owner alone.
    expect 0 '^chase_lev,push,steals between,ok,exact,32,2.0000,2.0000,0.0000,0.0000,0.9688,[0-9.]*,0.9688,' cat "$work/first"
    expect 0 '^chase_lev,push,alone,ok,exact,32,2.0000,2.0000,0.0000,0.0000,0.0000,0.0000,0.0000,0.0000,' cat "$work/first"
}

# Every compiler makes the same atomic accesses, and the same lines are touched.
test_same_everywhere() {
    [ "$compilers" -gt 1 ] || return 0
    builds chase_lev st3 bwos_lifo bwos_fifo tokio multiplicity locked
    for id in chase_lev st3 bwos_lifo bwos_fifo tokio multiplicity locked; do
        lab $id count --csv | cut -d, -f1-19
    done >"$work/counts.$compiler"
    if [ -z "${counted_before:-}" ]; then
        counted_before=$compiler
    elif cmp -s "$work/counts.$counted_before" "$work/counts.$compiler"; then pass; else
        diff "$work/counts.$counted_before" "$work/counts.$compiler" >"$work/out"
        fail "$compiler counts as $counted_before does"
    fi
}

# A stopped claim starves the other thieves; nobody is blocked; a lock makes others hang; a spare block for each thief that stands still.
test_stop() {
    builds tokio bwos_fifo
    expect 0 'steal .*starves' lab tokio stop
    expect 0 'steal .*ok *ok *ok' lab chase_lev stop
    expect 0 'push hangs' lab locked stop
    expect 0 'steal .*ok *ok *ok' lab bwos_fifo stop
}

test_bad_input() {
    expect 1 'broken.h does not compile' built lab/broken lab/assembly lab/thread_local lab/wide lab/sleeper lab/wanderer
    also 'instruction the lab cannot see.*assembly.h' 'thread_local: thread-local' 'wide: 16-byte atomics' \
        'sleeper: calls pthread_cond_signal' 'wanderer: calls getenv, which the lab does not know'
    expect 2 'usage' lab chase_lev
    expect 2 'usage' lab chase_lev dance
    expect 2 'no client .nobody' lab chase_lev explore --client=nobody
    expect 2 'no client .make(4' lab chase_lev explore '--client=make(4,3),dance(1)'
    expect 2 'seed=x: expected a whole number' lab chase_lev explore --seed=x
    expect 2 'is no schedule' lab chase_lev explore --client=last_item --replay=0x1y,
    expect 2 'replay needs the --client' lab chase_lev explore '--replay=0*'
    expect 2 'fault=big: expected one of any|race' lab chase_lev explore --fault=big
    expect 2 'no such one; its modes: none' lab locked count --mode=fast
    expect 2 'chase_lev has no asymmetric fences' lab chase_lev stop --fences=pair
}

ci() { BASELINE_DIR=baseline using "${around:-env}" harness/judging/counts/counts.sh "$@"; }
judged() { # OPTIONS...: the baseline as it was against what is there
    (cd "$tree" && /usr/bin/python3 harness/judging/counts/compare_counts.py --compiler="$compiler" "$@" "$work/now" baseline)
}
test_ci() {
    if ! command -v valgrind >/dev/null; then
        echo 'no valgrind: the comparison of counts is left out'
        return
    fi
    expect 0 'rows written' ci --update-baseline chase_lev
    around=tests/with_decimal_comma.sh
    "$around" true || around="env"
    expect 0 'as in the baseline' ci chase_lev
    around="env"
    counted=$folder/callgrind/locked
    expect 0 whole \
        using sh -c "setup/configure.py $counted && ! nm $counted | grep 'counted_.*cold' && echo whole"
    cp "$tree/queues/chase_lev.h" "$work/as_it_was.h"
    cp "$tree/queues/extra_rmw.h" "$tree/queues/chase_lev.h"
    expect 1 'MORE .*push .*rmws .*0.0000 -> .*1.0000' ci chase_lev
    also 'MORE .*push .*instructions'
    cp "$tree/baseline/toolchain-$compiler.txt" "$work/toolchain"
    echo 'another compiler' >"$tree/baseline/toolchain-$compiler.txt"
    cp "$tree/queues/slots_beside.h" "$tree/queues/chase_lev.h"
    expect 1 'MORE .*false_sharing  *[0-9]' ci chase_lev
    also 'instructions are not judged'
    if grep -q 'instructions   ' "$work/out"; then fail 'instructions of another compiler are compared'; else pass; fi
    cp "$work/toolchain" "$tree/baseline/toolchain-$compiler.txt"
    cp "$tree/queues/dear_loss.h" "$tree/queues/chase_lev.h"
    expect 1 'MORE .*steal .*(least) .*lost .*rmws .*1.0000 -> .*2.0000' ci chase_lev
    also 'MORE .*false_sharing_128' # of half the padding, of which dear_loss is made
    cp "$tree/queues/extra_rmw.h" "$tree/queues/chase_lev.h"
    expect 0 'rows written' ci --update-baseline chase_lev
    cp "$work/as_it_was.h" "$tree/queues/chase_lev.h"
    expect 0 'less .*rmws' ci chase_lev
    expect 2 'no deque .nobody' ci nobody
    expect 3 'nothing was judged' ci locked
    cp -r "$tree/baseline" "$work/now"
    while read -r script said; do
        sed "$script" "$work/now/counts.csv" >"$tree/baseline/counts.csv"
        expect 3 "counts.csv is damaged$said" judged
    done <<'DAMAGES'
3s/,[^,]*$// : line 3
2s/,32,/,many,/ : line 2: .*many
d
DAMAGES
    expect 3 'counts.csv is damaged' judged --update-baseline --partial
    cp "$work/now/counts.csv" "$tree/baseline/"
    rm "$tree/baseline/instructions-$compiler.csv"
    expect 3 "damaged: no baseline/instructions-$compiler.csv" judged
    rm -rf "$tree/baseline"
    expect 3 'nothing to compare with: no baseline/counts.csv' judged
}

[ $# -gt 0 ] || set -- gcc clang
compilers=$#
for compiler; do
    command -v "$compiler" >/dev/null || { echo "no $compiler: left out"; continue; }
    # What this compiler has built is not built again.
    folder=out/$compiler
    if [ "$compiler" = "${CC:-gcc}" ] && [ -d build/lab ]; then
        folder=build
        mkdir "$tree/build" && cp -a build/build.json build/lab "$tree/build/"
        grep -e '^#' -e build/lab/ build/.ninja_log >"$tree/build/.ninja_log"
    fi
    builds chase_lev locked
    for part in ${ONLY:-machine explore count same_everywhere stop bad_input ci}; do
        "test_$part"
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
