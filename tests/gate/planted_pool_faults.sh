#!/bin/bash
# planted_pool_faults.sh: does the pool's check catch planted faults? Builds the pool with one fault planted in each copy
# and demands that the check catches it, and that it passes the pool without one.
#
#   tests/gate/planted_pool_faults.sh [NAME ...]      only the faults whose names contain one of these words
#
# Ends on "N passed, N failed". Exit: 0 all caught, and the pool passed, 1 not, 3 no compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/gate/planted.sh
common=(-std=gnu11 -D_GNU_SOURCE -pthread -g -O1)
main=(harness/deque_main.c harness/measuring/cell/*.c harness/measuring/clock/clock.c harness/measuring/random.c
    harness/measuring/counters/*.c harness/measuring/threads/places{,_memory}.c)

# Files without a planted fault are compiled once.
mkdir -p "$work/main"
for source in "${main[@]}"; do
    "$compiler" "${common[@]}" -I. -DDEQUE_ID='"planted_faults"' -DDEQUE_HEADER='"queues/chase_lev.h"' -c "$source" \
        -o "$work/main/$(basename "$source" .c).o"
done
"$compiler" "${common[@]}" -I. -DHANG_SECONDS=15.0 -DHANG_WAITED=1e9 -c checks/once/verdict.c -o "$work/main/verdict.o"
"$compiler" "${common[@]}" -I. -r checks/once/pool*.c -o "$work/main/check.o"

# Messages go to FOLDER/build.log, the check to FOLDER/pool; in FOLDER/pool-gives-way threads give way inside of the
# deque's operations and the pool's, so that half-done ones meet even on a crowded machine.
build_check() { # folder deque
    local objects=("$1/once.o" "$work"/main/*.o) flags=("${common[@]}" -I"$1" -I. -DDEQUE_HEADER="\"queues/$2.h\"")
    {
        "$compiler" "${flags[@]}" -r "$1"/workloads/pool/once/*.c -o "$1/once.o" &&
            "$compiler" "${flags[@]}" "$1/workloads/pool/pool.c" "${objects[@]}" -o "$1/pool" -lhwloc -lm &&
            "$compiler" "${flags[@]}" -include checks/give_way.h "$1/workloads/pool/pool.c" "${objects[@]}" \
                -o "$1/pool-gives-way" -lhwloc -lm
    } >"$1/build.log" 2>&1
}

# Its result is the check's; its output is in FOLDER/run.log.
run_check() { # folder pool|pool-gives-way [seconds]
    local result=0
    { timeout 120 "$1/$2" --check pool --seed="$RANDOM" --seconds="${3:-1}" >"$1/run.log" 2>&1; } 2>/dev/null || result=$?
    return "$result"
}

copy_pool() { # name -> folder
    local folder=$work/trees/${1//[^a-zA-Z0-9]/_}
    mkdir -p "$folder/workloads"
    cp -r workloads/pool "$folder/workloads"
    echo "$folder"
}

# A fault is caught when one of a few tries catches it: some need a certain interleaving.
try_fault() { # name deque folder
    local result=0 how
    if ! build_check "$3" "$2"; then
        report "$1" failed "does not compile: $(grep -m 1 error "$3/build.log")"
        return
    fi
    for how in pool pool-gives-way pool pool-gives-way pool-gives-way pool-gives-way; do
        result=0
        run_check "$3" "$how" 6 || result=$?
        [ "$result" -eq 0 ] || break
    done
    case $result in
    0) report "$1" failed "not caught" ;;
    1) report "$1" passed "$(grep -m 1 FAILED "$3/run.log" | sed -E 's/^FAILED [a-z]+ of [^:]*: //' | cut -c 1-100)" ;;
    13[0-9]) report "$1" passed "it crashed, the stack with it: signal $((result - 128))" ;;
    *) report "$1" failed "the check ended with $result: $(tail -n 1 "$3/run.log")" ;;
    esac
}

try_sound() { # name deque folder
    if build_check "$3" "$2" && run_check "$3" pool && run_check "$3" pool-gives-way; then
        report "$1" passed "$(tail -n 1 "$3/run.log" | cut -c 1-100)"
    else
        report "$1" failed "$(tail -n 1 "$3/build.log" "$3/run.log")"
    fi
}

# The script has to change the file: a fault that no longer fits the code would silently test the sound pool.
mutant() { # deque fault file sed-script
    local folder name="$1: $2"
    is_wanted "$name" || return 0
    folder=$(copy_pool "$name")
    sed -i -z -E "$4" "$folder/workloads/pool/$3"
    if cmp -s "workloads/pool/$3" "$folder/workloads/pool/$3"; then
        report "$name" failed "the pattern is not in workloads/pool/$3 any more"
        return 0
    fi
    beside try_fault "$name" "$1" "$folder"
}

sound() { # deque
    local name="$1: as it is"
    is_wanted "$name" || return 0
    beside try_sound "$name" "$1" "$(copy_pool "$name")"
}

# --- wake-ups
mutant chase_lev "no last look before sleeping" pool.c \
    's/\(task = look_around\(worker, EACH_ONCE\)\) \|\|\n *must_look_again\(worker\)/false/'
mutant chase_lev "the last look goes by the policy" pool_steal.h 's/round == EACH_ONCE \?/false ?/'
mutant chase_lev "who spawns wakes nobody" pool_inline.h \
    's/if \(__builtin_expect\(sleepers > 0, 0\)[^;]*\n/if (false)\n/'
mutant chase_lev "who finds work wakes nobody" once/sleep.c 's/if \(more\)/if (((void)more, false))/'
mutant chase_lev "one that has found work counts as one that searches" once/sleep.c \
    's/(void pool_search_end\([^)]*\) \{\n[^\n]*\n) *if \(!worker->searching\)/\1    if (true)/'
mutant bwos_lifo "a thief is woken for what it may not take" pool_inline.h \
    's/deque_stealable\(pool_own_deque\(worker\)\) > 0/true/'
mutant private "a thief that nobody answers does not sleep" pool.c 's/\(!DEQUE_HAS\(DEQUE_POLL\) &&/(/'
mutant private "who forks does not answer thieves" pool_inline.h 's/ && __builtin_expect\(sleepers != 0, 0\)/ \&\& false/'
mutant chase_lev "the end wakes nobody" once/sleep.c 's/wake\(pool->worker\[i\]\);\n\}\n\nbool/(void)0;\n}\n\nbool/'
mutant chase_lev "a child's end does not wake its parent" once/fork.c 's/if \(__builtin_expect\([^;]*!= 0, 0\)\)/if (false)/'
mutant chase_lev "joins do not sleep" pool.c 's/if \(pool_rest\(pool, failures\)\)/if (pool_rest(pool, failures) \&\& !fork)/'
# --- the end
mutant chase_lev "a task is finished before it has run" pool.c \
    's/(    task->run\(worker, task\);\n)    if \(!fork\)\n        count_finished\(worker\);/    if (!fork)\n        count_finished(worker);\n\1/'
mutant chase_lev "a batch of n counts as n - 1" pool.c 's/count_spawned\(worker, count\);/count_spawned(worker, count - 1);/'
mutant chase_lev "a hold does not count" pool.c \
    's/(void pool_hold\([^)]*\) \{) count_spawned\(worker, 1\);/\1 (void)worker;/; s/(void pool_release\([^)]*\) \{) count_finished\(worker\);/\1 (void)worker;/'
mutant chase_lev "a run ends before its last task" pool.c \
    's/(if \(task\) [^\n]*\n) *worker->last_end = clock_nanoseconds\(\);/\1        (void)0;/'
# --- once and only once
mutant multiplicity "items are run unclaimed" pool_inline.h \
    's/if \(!atomic_compare_exchange_strong_explicit\(&claim->generation, &generation, generation \+ 1,[^;]*\)\) \{/if (((void)generation, false)) {/'
mutant lf_bulk "two thieves at once" pool_steal.h \
    's/VICTIM_REFUSES\(&victim->lock\)/(VICTIM_REFUSES(\&victim->lock), false)/g'
mutant lf_bulk "popped nodes are used again at once" pool_inline.h 's/if \(popped\)/if (((void)popped, false))/'
mutant tokio "what a deque spills is forgotten" pool.c \
    's/pool_overflow_put\(worker, [^;]*spilled\);/(void)spilled;/'
mutant chase_lev "the overflow queue gives more than it has" once/overflow.c \
    's/size_t share = [^;]*;/size_t share = held + (held > 0);/'
mutant chase_lev "the slot is forgotten" pool_steal.h \
    's/(static struct pool_task \*take_own\([^)]*\) \{\n)/\1    return pool_pop(worker);\n/'
mutant chase_lev "what the master brought is forgotten" pool_steal.h \
    's/(if \(state != POOL_INBOX_FULL\)\n *return false;\n)    empty_inbox\(worker, &worker->inbox\);/\1/'
# --- failures, memory, the stack
mutant chase_lev "forks are dropped when a run fails" pool.c 's/if \(!fork && /if (/'
mutant chase_lev "a slab without memory is used" once/memory.c \
    's/    if \(!fresh\)\n        return false;\n    cache->fresh = fresh;/    cache->fresh = fresh;\n    if (!fresh)\n        return false;/'
mutant chase_lev "no memory for the overflow queue is no failure" once/overflow.c \
    's/pool_fail\(worker, 3, [^;]*;//'
mutant tokio "forks are dropped where there is no memory for the overflow queue" once/overflow.c \
    's/forks\[held\+\+\] = tasks\[seen\];/worker->counts.dropped++;/'
mutant lf_bulk "nodes come back only to those who push" pool_inline.h \
    's/if \(__builtin_expect\(popped % POOL_RETIRED_TOGETHER == 0, 0\)\)/if (((void)popped, false))/'
mutant chase_lev "the master looks at everybody for everybody" pool_steal.h \
    's/i < pool->threads && found; i\+\+\)/i < pool->threads; i++, round = 0, found = true)/'
mutant tokio "joins nest without a limit" once/open.c 's/- bytes \/ 2;/- bytes;/'

sound chase_lev
sound lf_bulk
sound multiplicity
sound tokio
conclude
