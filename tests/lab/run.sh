#!/bin/sh
# run.sh: the lab's tests. Needs a compiler or two, binutils and make; writes below a temporary folder only.
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
# expect STATUS TEXT WHAT COMMAND...: the command ends with this status and says this (a basic regular expression)
expect() {
    status=$1 text=$2 what=$3
    shift 3
    "$@" >"$work/out" 2>&1
    got=$?
    if [ "$got" -eq "$status" ] && grep -q -e "$text" "$work/out"; then pass; else fail "$what (status $got)"; fi
}

# A tree of its own with changed headers, so that the real one stays as it is.
tree=$work/tree
mkdir -p "$tree/queues"
for folder in proof tests harness setup workloads; do ln -s "$top/$folder" "$tree/$folder"; done
cp -r queues/parts queues/as_published queues/as_shipped queues/*.h "$tree/queues/"

# The mutants are made from the header as it is; a mutation that no longer applies must fail, not pass.
mutate() { # NAME FROM SCRIPT
    sed "$3" "$tree/queues/$2.h" >"$tree/queues/$1.h"
    if cmp -s "$tree/queues/$2.h" "$tree/queues/$1.h"; then fail "the mutation $1 of $2 changes nothing"; fi
}
compiler=-
mutate no_fence chase_lev '/pairs with the fence in steal: either/{n;d;}'
mutate no_steal_fence chase_lev '/pairs with the fence in pop/d'
mutate no_cas chase_lev '/if (atomic_compare_exchange_strong_explicit(&deque->top/,/memory_order_relaxed))/c\
        atomic_store_explicit(\&deque->top, top + 1, memory_order_release);'
mutate no_pair chase_lev_asymmetric '/if (!deque->asymmetric)/{n;s/.*/        deque_fence_light();/;}'
mutate relaxed_push chase_lev 's/atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_release);/atomic_store_explicit(\&deque->bottom, bottom + 1, memory_order_relaxed);/'
mutate extra_rmw chase_lev 's/^\(DEQUE_OPERATION enum deque_result deque_push.*\)/\1 static _Atomic uint64_t extra; atomic_fetch_add_explicit(\&extra, 1, memory_order_relaxed);/'
mutate half_padding chase_lev 's/alignas(DEQUE_LINE)/alignas(64)/'
mutate slots_beside chase_lev 's/^    alignas(DEQUE_LINE) _Atomic(deque_item) \*slots;.*/    _Atomic(deque_item) room[4096];\n&/; s/^    deque->orders = config.*/    DEQUE_FREE(deque->slots);\n    deque->slots = deque->room;\n&/; s/DEQUE_FREE(deque->slots);/(void)deque;/'
mutate dear_loss chase_lev 's/^        return DEQUE_LOST;/        { static _Atomic uint64_t lost; atomic_fetch_add_explicit(\&lost, 1, memory_order_relaxed); return DEQUE_LOST; }/'
# A wait-free push beside a pop that waits for thieves.
# shellcheck disable=SC2016 # sed scripts
mutate half_blocking chase_lev 's/^struct deque {/&\n    _Atomic int busy;/; s/^    atomic_init(&deque->top/    atomic_init(\&deque->busy, 0);\n&/; s/.pop_progress = DEQUE_WAIT_FREE/.pop_progress = DEQUE_BLOCKING/
s/^\(DEQUE_OPERATION enum deque_result deque_pop.*\)/\1 while (atomic_load_explicit(\&deque->busy, memory_order_acquire)) {}/
s/ deque_steal(/ steal_while_busy(/
$s/^#endif/DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {\n    atomic_fetch_add_explicit(\&victim->busy, 1, memory_order_acq_rel);\n    enum deque_result result = steal_while_busy(victim, self, item);\n    atomic_fetch_sub_explicit(\&victim->busy, 1, memory_order_acq_rel);\n    return result;\n}\n&/'
mutate unanswered lace 's/^\(DEQUE_OPERATION void deque_poll.*\)/\1 if (deque) return;/'
mutate hoarder bwos_fifo 's/&deque->spares; \*link; link/\&deque->spares; false; link/'
mutate careless bwos_fifo 's/if (!block || !slots) {/if (!block) {/'
mutate endless chase_lev 's/^\(DEQUE_OPERATION enum deque_result deque_pop.*\)/\1 while (atomic_load_explicit(\&deque->top, memory_order_relaxed) == 0) {}/'
mutate spinner chase_lev 's/^\(DEQUE_OPERATION enum deque_result deque_pop.*\)/\1 volatile int wait = 1; while (wait) {}/'
mutate broken chase_lev 's/^#define CHASE_LEV_DEFAULT_CAPACITY.*/this is not C/'
mutate assembly chase_lev 's/^\(DEQUE_OPERATION enum deque_result deque_push.*\)/\1 __asm__ volatile("mfence" ::: "memory");/'
mutate thread_local chase_lev 's/^#define CHASE_LEV_DEFAULT_CAPACITY.*/&\nstatic _Thread_local int mine;/; s/^\(DEQUE_OPERATION enum deque_result deque_push.*\)/\1 mine++;/'
mutate wide chase_lev 's/^#define CHASE_LEV_DEFAULT_CAPACITY.*/&\ntypedef struct { uint64_t a, b; } wide; _Atomic wide pair;/; s/^\(DEQUE_OPERATION enum deque_result deque_push.*\)/\1 wide now = atomic_load_explicit(\&pair, memory_order_seq_cst); if (now.a) return DEQUE_FULL;/'
mutate relaxed_claim bwos_lifo 's/claim + 2 \* share, memory_order_acquire,/claim + 2 * share, memory_order_relaxed,/'
mutate one_fewer fence_free 's/<= (int64_t)victim->delta/< (int64_t)victim->delta/'
mutate sleeper locked 's/^\(DEQUE_OPERATION enum deque_result deque_push.*\)/\1 static pthread_cond_t c; pthread_cond_signal(\&c);/'
mutate wanderer chase_lev 's/^\(DEQUE_OPERATION enum deque_result deque_push.*\)/\1 if (getenv("NOTHING")) return DEQUE_FULL;/'

# built TARGET: builds this with the compiler, below out/COMPILER
built() { (cd "$tree" && CC=$compiler BUILD=out/$compiler setup/configure.py "out/$compiler/$1"); }
build() { built "lab/$1"; }
builds() { # ID...
    for one; do build "$one" >"$work/out" 2>&1 || fail "$one builds"; done
}
lab() { # ID VERB OPTIONS...
    id=$1
    shift
    "$tree/out/$compiler/lab/$id" "$@"
}

replays() { # ID TEXT WHAT [OPTION]: the first replay command that was just printed, which has this option, shows it again
    replay=$(sed -n "s/^  replay: [^ ]* \(.*${4-}.*--replay=.*\)$/\1/p" "$work/out" | head -n 1)
    eval "expect 1 \"\$2\" \"\$3\" lab \"\$1\" ${replay:-nothing}"
}

test_machine() {
    built lab/tests/runtime_test >"$work/out" 2>&1 || fail "the machine's tests build"
    "$tree/out/$compiler/lab/tests/runtime_test" >"$work/out" 2>&1 || cat "$work/out"
    last=$(tail -n 1 "$work/out")
    passed=$((passed + $(echo "$last" | awk '{print $1 + 0}')))
    failed=$((failed + $(echo "$last" | awk '$2 != "passed," {print 1; next} {print $3 + 0}')))
}

# Seeds of 20 that find the fault within 2 s.
seeds_that_find() { # ID TEXT
    found=0
    for seed in $(seq 1 20); do
        lab "$1" explore --seed="$seed" --seconds=2 --quiet >"$work/out" 2>&1
        [ $? -eq 1 ] && grep -q "$2" "$work/out" && found=$((found + 1))
    done
    echo "$found"
}

test_explore() {
    builds no_fence no_cas relaxed_push endless spinner
    expect 0 'no fault found' 'chase_lev is sound' lab chase_lev explore --schedules=2000
    for id in no_fence no_cas; do
        if [ "$(seeds_that_find $id 'item doubled\|item lost\|wrong answer')" -eq 20 ]; then pass; else fail "20 seeds of 20 find $id"; fi
    done
    expect 1 'no_fence.h:[0-9].*|$' 'two columns with file and line are printed' lab no_fence explore
    replays no_fence 'item doubled' 'the replay command shows it again'
    for time in first second; do lab no_fence explore --seed=5 --quiet | grep -v 'processor time' >"$work/$time"; done
    if cmp -s "$work/first" "$work/second"; then pass; else fail 'the same seed finds the same'; fi
    expect 1 'replay: .* --mode=accesses --client=' 'a mode is part of the replay' lab no_cas explore --mode=accesses
    expect 1 'data race: item' 'a push without release is a race on the item' lab relaxed_push explore --seconds=2
    expect 1 'no end after .* accesses' 'a client that never ends is ended' lab endless explore
    expect 1 'computes in .*spinner.h:[0-9].* without an access to shared memory.*--client=' 'a loop without accesses is ended' lab spinner explore
}

# Programs made by chance: what fails is made small, printed as its text, and can be run again; two owners are told.
test_programs() {
    builds no_fence
    expect 1 'client make(2,2),pop(1),steal(.*: item doubled' 'the smallest program that fails' lab no_fence explore --client=programs
    replays no_fence 'item doubled' 'its replay shows it again'
    expect 1 'client make(4,3),pop(3),steal(2): item doubled' 'a program that somebody wrote' lab no_fence explore '--client=make(4,3),pop(3),steal(2)'
    expect 0 'programs .* by chance, of [0-9]* programs' 'chase_lev survives them' lab chase_lev explore --client=programs --schedules=2000
    expect 1 'two owners of deque: thief calls pop, and its owner is owner' 'two owners' lab chase_lev explore '--client=make(4,3),pop(1),pop(1)'
    expect 2 'no client .make(4' 'a program that is none' lab chase_lev explore '--client=make(4,3),dance(1)'
}

test_weak() {
    builds no_steal_fence
    expect 0 'no fault found' 'steal needs no fence under TSO' lab no_steal_fence explore --schedules=4000
    expect 1 'load .* newer store' 'the missing fence of steal is found on weak memory' \
        lab no_steal_fence explore --memory=weak --schedules=4000
    replays no_steal_fence 'item \(doubled\|lost\)' 'and its replay shows it again'
    expect 0 'no fault found' 'chase_lev is right on weak memory' lab chase_lev explore --memory=weak --schedules=4000
    expect 2 'memory is one of tso|weak' 'a memory that is none' lab chase_lev explore --memory=strong
}

# A race at plain slots: what does it do? There, slots are relaxed atomics.
test_slots() {
    builds bwos_lifo relaxed_claim
    expect 1 'client .*: data race$' 'a claim that does not acquire is a race' \
        lab relaxed_claim explore --memory=weak --client=programs --schedules=2000 --quiet
    expect 1 'read memory.* newer store.*' 'a thief reads what was in the slot before' lab relaxed_claim explore --memory=weak --slots=atomic
    replays relaxed_claim 'item doubled' 'its replay has the same slots' --slots=atomic
    expect 1 'item doubled' 'the gate asks, too' lab relaxed_claim --check explore --seconds=2
    expect 0 'no fault found' 'bwos_lifo is right there' lab bwos_lifo explore --memory=weak --slots=atomic --schedules=1000
    expect 0 'no fault found' 'with store buffers, too' lab bwos_lifo explore --slots=atomic --schedules=1000
    expect 2 'slots is one of plain|atomic' 'slots that are none' lab bwos_lifo explore --slots=some
}

# A deque that is right on TSO as long as a store buffer holds no more stores than its thieves leave items.
test_buffer() {
    builds fence_free one_fewer
    for delta in 1 2 8; do
        expect 0 'no fault found' "a store buffer of $delta holds $delta stores back" \
            lab fence_free explore --block=$delta --buffer=$delta --schedules=4000 --bound=1
        expect 1 'item \(doubled\|lost\)' "and one of $((delta + 1)) one more" \
            lab fence_free explore --block=$delta --buffer=$((delta + 1)) --schedules=20000
    done
    replays fence_free 'item \(doubled\|lost\)' 'its replay has the same buffer and block'
    expect 1 'item doubled' 'thieves that leave one item fewer' \
        lab one_fewer explore --block=8 --buffer=8 --schedules=20000 --quiet
    expect 1 'item doubled' 'on weak memory no number is enough' \
        lab fence_free explore --memory=weak --block=8 --schedules=20000 --quiet
    expect 2 'buffer is a whole number from 1 to 64' 'a buffer of none' lab fence_free explore --buffer=0
    expect 2 'buffer is of --memory=tso' 'a buffer where there is none' lab fence_free explore --buffer=4 --memory=weak
}

# Where the kernel runs no fences for thieves.
test_fences() {
    for id in chase_lev_asymmetric no_pair; do
        builds "$id"
        expect 0 'no fault found' "$id needs no fence of its own beside the kernel's" lab $id explore --schedules=4000
    done
    expect 0 'no fault found' 'and has one without them' lab chase_lev_asymmetric explore --fences=pair --schedules=4000
    expect 1 'item doubled' 'which is missed' lab no_pair explore --fences=pair --schedules=4000
    replays no_pair 'item doubled' 'its replay has the same fences' --fences=pair
    expect 1 'item doubled' 'the gate looks there, too' lab no_pair --check explore --seconds=2
    expect 2 'fences is one of kernel|pair' 'fences that are none' lab no_pair explore --fences=none
    builds chase_lev
    expect 2 'chase_lev has no asymmetric fences' 'fences where there are none' lab chase_lev stop --fences=pair
}

# A client that cannot show anything says so.
test_vacuous() {
    builds unanswered
    expect 1 'client .* shows nothing: .* that a thief got an item' 'an owner that answers nobody' \
        lab unanswered explore --schedules=4000
}

# The forms that repair what was shipped are sound (docs/faults.md). That the lab finds the faults, proof/planted_faults shows.
test_as_shipped() {
    for id in parlay_abp ftl_wait_free_queue charm_taskqueue sledge_deque; do
        builds as_shipped/$id
        expect 0 'no fault found' "$id is sound" lab as_shipped/$id explore --mode=repaired --memory=weak --schedules=2000
    done
    expect 1 'with --memory=weak, which its fault needs' 'a header names the options that show its fault' lab as_shipped/parlay_abp explore --quiet
    expect 0 "no fault found on x86's memory; --memory=weak allows more" 'x86 hides what parlay_abp lacks' lab as_shipped/parlay_abp explore --schedules=2000
}

test_count() {
    lab chase_lev count --csv >"$work/first"
    lab chase_lev count --csv >"$work/second"
    if cmp -s "$work/first" "$work/second"; then pass; else fail 'counts repeat to the byte'; fi
    expect 0 '^chase_lev,pop,alone,ok,exact,32,3.0000,1.0000,0.0000,1.0000,' 'pop of chase_lev: three loads, a store, a fence' \
        cat "$work/first"
    expect 0 '^chase_lev,steal,alone,ok,exact,32,3.0000,0.0000,1.0000,1.0000,' 'steal of chase_lev: a CAS and a fence' \
        cat "$work/first"
    expect 0 '^chase_lev,steal,busy owner (least),lost,exact,,3,0,1,1,' 'what a lost steal costs at least' cat "$work/first"
    builds extra_rmw
    expect 0 '^chase_lev,push,alone,ok,exact,32,2.0000,2.0000,1.0000,' 'a planted read-modify-write is counted' \
        lab extra_rmw count --csv
    # After the first round push finds top changed by the thief, and takes bottom from the thief.
    expect 0 '^chase_lev,push,steals between,ok,exact,32,2.0000,2.0000,0.0000,0.0000,0.9688,[0-9.]*,0.9688,' 'the lines that push fetches and takes' \
        cat "$work/first"
    expect 0 '^chase_lev,push,alone,ok,exact,32,2.0000,2.0000,0.0000,0.0000,0.0000,0.0000,0.0000,0.0000,' 'nothing moves to an owner alone' \
        cat "$work/first"
}

# Every compiler makes the same atomic accesses, and the same lines are touched.
test_same_everywhere() {
    for id in chase_lev st3 bwos_lifo bwos_fifo tokio multiplicity locked; do
        builds "$id"
        lab $id count --csv | cut -d, -f1-19
    done >"$work/counts.$compiler"
    if [ -z "${counted_before:-}" ]; then
        counted_before=$compiler
    elif cmp -s "$work/counts.$counted_before" "$work/counts.$compiler"; then pass; else
        diff "$work/counts.$counted_before" "$work/counts.$compiler" >"$work/out"
        fail "$compiler counts as $counted_before does"
    fi
}

test_stop() {
    builds tokio
    expect 0 'steal .*starves' 'a stopped claim starves the other thieves of tokio' \
        sh -c "'$tree/out/$compiler/lab/tokio' stop; true"
    expect 0 'steal .*ok *ok *ok' 'chase_lev blocks nobody' lab chase_lev stop
    expect 0 'push hangs' 'a lock makes others hang, as claimed' lab locked stop
    builds bwos_fifo half_blocking hoarder careless
    expect 0 'steal  *[0-9]*  *ok  *hangs' 'a wait-free push is not held against a pop that waits' \
        lab half_blocking stop
    expect 0 'steal .*ok *ok *ok' 'a spare block for each thief that stands still' lab bwos_fifo stop
    expect 1 'needs more memory [4-8] times  <- MAY NOT BE' 'spare blocks that are not used again' lab hoarder stop
    expect 1 'careless.h:.*MAY NOT BE' 'an allocation of two that fails unseen' lab careless stop
}

test_bad_input() {
    expect 1 'broken.h does not compile' 'a header that does not compile' build broken
    expect 1 'instruction the lab cannot see.*assembly.h' 'inline assembly' build assembly
    expect 1 'thread-local' 'thread-local variables' build thread_local
    expect 1 '16-byte atomics' '16-byte atomics' build wide
    expect 1 'calls pthread_cond_signal' 'a deque that sleeps' build sleeper
    expect 1 'calls getenv, which the lab does not know' 'an unknown call' build wanderer
    expect 2 'usage' 'no verb' lab chase_lev
    expect 2 'usage' 'an unknown verb' lab chase_lev dance
    expect 2 'no client .nobody' 'an unknown client' lab chase_lev explore --client=nobody
    expect 2 'whole number' 'a seed that is no number' lab chase_lev explore --seed=x
    expect 2 'above 0' 'no time' lab chase_lev explore --seconds=0
    expect 2 'is no schedule' 'a schedule that is none' lab chase_lev explore --client=last_item --replay=0x1y,
    expect 2 'fault is one of any|race' 'a kind of fault that is none' lab chase_lev explore --fault=big
    expect 2 'no modes' 'a mode of a deque without' lab locked count --mode=fast
}

ci() { # OPTIONS...
    (cd "$tree" && CC="$compiler" BUILD="out/$compiler" BASELINE_DIR=baseline "${around:-env}" harness/judging/counts/counts.sh "$@")
}
ci_with_comma() { (around=tests/with_decimal_comma.sh && ci "$@"); }
test_ci() {
    if ! command -v valgrind >/dev/null; then
        echo 'no valgrind: the comparison of counts is left out'
        return
    fi
    expect 0 'rows written' 'a baseline is made' ci --update-baseline chase_lev
    expect 0 'as in the baseline' 'the same code has the same counts' ci chase_lev
    if tests/with_decimal_comma.sh true; then
        expect 0 'as in the baseline' 'a decimal comma changes no count' ci_with_comma chase_lev
    fi
    counted=out/$compiler/callgrind/locked
    expect 0 whole 'no part of what is counted is set aside' \
        sh -c "cd '$tree' && CC='$compiler' BUILD='out/$compiler' setup/configure.py $counted && ! nm $counted | grep 'counted_.*cold' && echo whole"
    cp "$tree/queues/chase_lev.h" "$work/as_it_was.h"
    cp "$tree/queues/extra_rmw.h" "$tree/queues/chase_lev.h"
    expect 1 'MORE .*push .*rmws .*0.0000 -> .*1.0000' 'a planted read-modify-write fails' ci chase_lev
    expect 1 'MORE .*push .*instructions' 'and its instructions are seen too' ci chase_lev
    cp "$tree/baseline/toolchain-$compiler.txt" "$work/toolchain"
    echo 'another compiler' >"$tree/baseline/toolchain-$compiler.txt"
    expect 1 'MORE .*push .*rmws .*0.0000 -> .*1.0000' 'with other tools too' ci chase_lev
    expect 1 'instructions are not judged' 'which says what it leaves out' ci chase_lev
    if grep -q 'instructions   ' "$work/out"; then fail 'instructions of another compiler are compared'; else pass; fi
    cp "$work/toolchain" "$tree/baseline/toolchain-$compiler.txt"
    for planted in half_padding slots_beside dear_loss; do
        cp "$tree/queues/$planted.h" "$tree/queues/chase_lev.h"
        case $planted in
        half_padding) says='MORE .*false_sharing_128' ;;
        slots_beside) says='MORE .*false_sharing  ' ;;
        dear_loss) says='MORE .*steal .*(least) .*lost .*rmws .*1.0000 -> .*2.0000' ;;
        esac
        expect 1 "$says" "$planted fails" ci chase_lev
    done
    cp "$tree/queues/extra_rmw.h" "$tree/queues/chase_lev.h"
    expect 0 'rows written' 'an increase can be accepted' ci --update-baseline chase_lev
    expect 0 'as in the baseline' 'and is the baseline then' ci chase_lev
    cp "$work/as_it_was.h" "$tree/queues/chase_lev.h"
    expect 0 'less .*rmws' 'a decrease is told and does not fail' ci chase_lev
    expect 2 'no deque .nobody' 'an unknown deque' ci nobody
    expect 3 'nothing was judged' 'a deque that the baseline has not' ci locked
    cp "$tree/baseline/counts.csv" "$work/whole.csv"
    while read -r script said; do
        sed "$script" "$work/whole.csv" >"$tree/baseline/counts.csv"
        expect 3 "counts.csv is damaged$said" 'a damaged baseline' ci chase_lev
    done <<'DAMAGES'
3s/,[^,]*$// : line 3
2s/,32,/,many,/ : line 2: .*many
d
DAMAGES
    expect 3 'counts.csv is damaged' 'which is not written over by a few rows' ci --update-baseline chase_lev
    cp "$work/whole.csv" "$tree/baseline/counts.csv"
    rm "$tree/baseline/instructions-$compiler.csv"
    expect 3 "damaged: no baseline/instructions-$compiler.csv" 'a baseline that lacks a file' ci chase_lev
    rm -rf "$tree/baseline"
    expect 3 'nothing to compare with: no baseline/counts.csv' 'no baseline' ci chase_lev
}

[ $# -gt 0 ] || set -- gcc clang
for compiler; do
    command -v "$compiler" >/dev/null || { echo "no $compiler: left out"; continue; }
    builds chase_lev locked
    for part in ${ONLY:-machine explore programs weak slots buffer fences vacuous as_shipped count same_everywhere stop bad_input ci}; do
        "test_$part"
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
