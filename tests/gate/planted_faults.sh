#!/bin/bash
# planted_faults.sh: does the gate catch planted faults? Builds our deques with one fault planted in each, and the listings
# as published, and demands that a named check catches each of them and passes the deque without the fault.
#
#   tests/gate/planted_faults.sh [NAME ...]      only the faults whose names contain one of these words
#
# Ends on "N passed, N failed". Exit: 0 all caught and all passed, 1 not, 3 no compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/gate/planted.sh
common=(-std=gnu11 -D_GNU_SOURCE -pthread -g -I.)
if "$compiler" -Werror -Wno-tsan -x c -c /dev/null -o "$work/probe.o" 2>/dev/null; then
    common+=(-Wno-tsan)
fi

flags() {
    case $1 in
    plain) echo -O2 ;;
    address) echo -O1 -fsanitize=address,undefined -fno-sanitize-recover=all ;;
    thread) echo -O1 -fsanitize=thread ;;
    esac
}

# The main program and all else that does not depend on the deque is compiled once for each flavour.
build_main() { # flavour
    local source folder=$work/main/$1
    mkdir -p "$folder"
    for source in harness/deque_main.c harness/measuring/cell/{describe,parameters,cell}.c harness/measuring/clock/clock.c \
        harness/measuring/random.c checks/once/verdict.c tests/gate/alone/counters.c; do
        # shellcheck disable=SC2046
        "$compiler" "${common[@]}" $(flags "$1") -DDEQUE_ID='"planted_faults"' -DDEQUE_HEADER='"queues/chase_lev.h"' \
            -c "$source" -o "$folder/$(basename "$source" .c).o"
    done
}

# Compiles one check of one deque with the headers below a folder. Messages go to FOLDER/build.log.
build_check() { # folder id flavour check -> FOLDER/FLAVOUR-CHECK
    # shellcheck disable=SC2046
    "$compiler" -I"$1" "${common[@]}" $(flags "$3") -DDEQUE_HEADER="\"queues/$2.h\"" "checks/$4.c" \
        "$work/main/$3"/*.o -o "$1/$3-$4" -lm >"$1/build.log" 2>&1
}

# Runs one check. Its result is what the check returned; its output is in FOLDER/run.log.
run_check() { # folder flavour check seconds
    local result=0
    timeout 60 "$1/$2-$3" --check "$3" --seed="$RANDOM" --seconds="$4" >"$1/run.log" 2>&1 || result=$?
    return "$result"
}

first_finding() { # folder
    grep -m 1 -E 'FAILED|WARNING: Thread|ERROR: Addr|runtime error' "$1/run.log" | sed -E 's/^.*FAILED [a-z]+ of [^:]*: //; s/ \(pid.*//' |
        cut -c 1-110
}

# One fault: caught when one of the checks named fails. Each has several seconds, of which it needs few; on a machine
# where others work it may need the same several times.
try() { # name id "flavour:check ..." folder
    local pair flavour check result start
    for pair in $3 $3 $3 $3; do
        flavour=${pair%:*} check=${pair#*:}
        if [ ! -e "$4/$flavour-$check" ] && ! build_check "$4" "$2" "$flavour" "$check"; then
            report "$1" failed "does not compile: $(head -n 1 "$4/build.log")"
            return
        fi
        start=$(date +%s%N)
        result=0
        run_check "$4" "$flavour" "$check" 6 || result=$?
        case $result in
        0) ;;
        2 | 3 | 124)
            report "$1" failed "$check ended with $result: $(head -n 1 "$4/run.log")"
            return
            ;;
        *)
            report "$1" passed "$(printf '%5.2f s  %s %s: %s' "$((($(date +%s%N) - start) / 10000000))e-2" "$flavour" \
                "$check" "$(first_finding "$4")")"
            return
            ;;
        esac
    done
    report "$1" failed "not caught by $3"
}

# A copy of the headers below $work/NAME, for one job.
copy_headers() { # name -> folder
    local folder=$work/trees/${1//[^a-zA-Z0-9]/_}
    mkdir -p "$folder"
    cp -r queues "$folder/queues"
    echo "$folder"
}

# The script has to change the header: a fault that no longer fits the code would silently test the sound deque.
mutant() { # id fault "flavour:check ..." sed-script [header, when it is another's]
    local folder name="$1: $2" header=${5:-$1}
    is_wanted "$name" || return 0
    folder=$(copy_headers "$name")
    sed -i -z -E "$4" "$folder/queues/$header.h"
    if cmp -s "queues/$header.h" "$folder/queues/$header.h"; then
        report "$name" failed "the pattern is not in queues/$header.h any more"
        return 0
    fi
    beside try "$name" "$1" "$3" "$folder"
}

published() { # id "flavour:check ..."
    local name="$1: as it is"
    is_wanted "$name" || return 0
    beside try "$name" "$1" "$2" "$(copy_headers "$name")"
}

# The other half: what catches the faults passes the deque without them.
sound() { # id "flavour:check ..."
    local name="$1: without a fault"
    is_wanted "$name" || return 0
    beside try_sound "$name" "$1" "$2" "$(copy_headers "$name")"
}
try_sound() {
    local pair flavour check
    for pair in $3; do
        flavour=${pair%:*} check=${pair#*:}
        if ! build_check "$4" "$2" "$flavour" "$check"; then
            report "$1" failed "does not compile: $(head -n 1 "$4/build.log")"
            return
        fi
        if ! run_check "$4" "$flavour" "$check" 0.3; then
            report "$1" failed "$flavour $check: $(first_finding "$4")"
            return
        fi
    done
    report "$1" passed "$3"
}

for flavour in plain address thread; do
    beside build_main "$flavour"
done
wait

# --- faults. Conformance catches the sequential ones; for the others stress has the first try, and preempt the second,
# because it hits them on a crowded machine too. A missing fence shows only in the processor's reordering, which giving
# way cannot bring about.
races="plain:stress plain:preempt"
races_of_memory="thread:stress thread:preempt"

mutant chase_lev "the last item without a CAS" "$races" \
    's/if \(atomic_compare_exchange_strong_explicit\(&deque->top, &top, top \+ 1, [^;]*\)\)\n/if ((atomic_store_explicit(\&deque->top, top + 1, memory_order_release), true))\n/'
mutant chase_lev "no fence in pop" "plain:stress plain:stress plain:stress" \
    's/(release\);\n)[^\n]*pairs with the fence in steal[^\n]*\n *atomic_thread_fence[^\n]*\n/\1/'
mutant chase_lev "steal without a CAS" "$races" \
    's/if \(!atomic_compare_exchange_strong_explicit\(&victim->top, &top, top \+ 1, [^;]*\)\)\n/if ((atomic_store_explicit(\&victim->top, top + 1, memory_order_release), false))\n/'
mutant chase_lev "push accepts one too many" plain:conformance 's/> \(int64_t\)deque->mask/> (int64_t)deque->mask + 1/'
mutant chase_lev "bottom is not restored" plain:conformance \
    's/ *atomic_store_explicit\(&deque->bottom, bottom \+ 1, memory_order_release\);\n( *return result;)/\1/'
mutant chase_lev "indices compared unsigned" plain:conformance 's/\(int64_t\)\(bottom - top\) <= 0/bottom <= top/'
mutant chase_lev "the slots are never freed" plain:conformance 's/DEQUE_FREE\(deque->slots\);/(void)deque;/'
mutant chase_lev "push publishes relaxed" "$races_of_memory" \
    's/(\(&deque->bottom, bottom \+ 1, )memory_order_release(\);\n *return DEQUE_OK)/\1memory_order_relaxed\2/'

mutant abp "top + 1" plain:conformance 's/bottom > abp_top\(age\)\)/bottom > abp_top(age) + 1)/'
mutant abp "starts over without a CAS" "$races" \
    's/atomic_compare_exchange_strong_explicit\(&deque->age, &age, fresh, [a-z_]*, [a-z_]*\)/(atomic_store_explicit(\&deque->age, fresh, memory_order_release), true)/'
mutant abp "starts over under the same tag" "plain:preempt plain:preempt plain:stress" 's/abp_tag\(age\) \+ 1/abp_tag(age)/'

mutant locked "steals without the lock" "$races_of_memory" 's/pthread_mutex_(un)?lock\(&victim->lock\);//g'
mutant locked "steals the newest" plain:conformance 's/victim->mask, top, out/victim->mask, top + size - share, out/'
mutant locked "growth leaves the last item behind" plain:conformance 's/\(size_t\)\(bottom - top\)\);/(size_t)(bottom - top) - 1);/'
mutant locked "a batch takes what does not fit when growth fails" plain:conformance \
    's/(locked_grow\(deque, size \+ n\)\)\)\n *)n = room;/\1(void)room;/'

# The copies of deques with plain slots, in the contract's header.
mutant st3 "a batch goes in but for what comes behind the ring's end" plain:conformance \
    's/deque_copy\(slots, items \+ run, n - run\);/;/' deque
mutant st3 "a batch comes out but for what comes behind the ring's end" plain:conformance \
    's/deque_copy\(items \+ run, slots, n - run\);/;/' deque
mutant st3 "a steal into self forgets what comes behind its end" plain:conformance \
    's/deque_copy_out\(from, from_mask, from_at \+ run, to, n - run\);/;/' deque
mutant st3 "of three items two are copied" plain:conformance 's/if \(n > 2\)/if (n > 3)/' deque

mutant taskflow_bounded "a batch takes what does not fit" plain:conformance 's/if \(n > room\)/if (n > room + 1)/'
mutant taskflow_bounded "a batch in the wrong order" plain:conformance 's/, items\[i\], /, items[n - 1 - i], /'
mutant taskflow_unbounded "growth forgets to copy" plain:conformance \
    's/uint64_t i = deque->cached_top; i != bottom/uint64_t i = bottom; i != bottom/'
mutant taskflow_unbounded "growth frees what thieves still read" "address:stress address:preempt" \
    's/taskflow_ring_new\(deque_round_up\(capacity \+ n\), ring\)/taskflow_ring_new(deque_round_up(capacity + n), NULL)/; s/(\n *)(return larger;)/\1DEQUE_FREE(ring);\1\2/'
mutant taskflow_unbounded "the new ring is published relaxed" "$races_of_memory" \
    's/(atomic_store_explicit\(&deque->ring, larger, )memory_order_release/\1memory_order_relaxed/'

mutant lf_bulk "the cut without a CAS" "$races" \
    's/if \(!atomic_compare_exchange_strong_explicit\(&keep->next, &next, 0, [^;]*\)\)\n/if ((atomic_store_explicit(\&keep->next, 0, memory_order_release), false))\n/'
mutant lf_bulk "pop without an exchange" "$races" \
    's/atomic_exchange_explicit\(&head->next, marked, memory_order_acquire\)/atomic_load_explicit(\&head->next, memory_order_acquire)/'
mutant lf_bulk "popped links may be used again at once" "$races" 's/return epoch & 1 \? epoch : 0;/return epoch \& 0;/'
mutant lf_bulk "links freed under a thief" "address:stress address:preempt" 's/return epoch & 1 \? epoch : 0;/return epoch \& 0;/'
mutant lf_bulk "the last of a stolen list is guessed" plain:conformance 's/base == stolen \? bottom : victim->cut/bottom/'

mutant lf_bulk_many "two thieves at once" "$races" \
    's/return !\(epoch & 1\) && atomic_compare_exchange_strong_explicit\([^;]*;/atomic_store_explicit(\&victim->epoch, epoch | 1, memory_order_release); return true;/' \
    lf_bulk

# A deque that asks for more than its traits say: the thief's own deque, the owner's polls, turns among thieves, worker 0's
# deque.
mutant private "does not say that a thief needs its own deque" plain:conformance 's/\.needs_self = true, *//'
mutant lace "does not say that the owner has to poll" plain:conformance \
    's/\(DEQUE_POLL \+ DEQUE_PLACES\)/DEQUE_PLACES/; s/deque_poll/lace_poll/g'
mutant lcws "does not say that an answer is one item" plain:conformance 's/\.one_a_request = true, *//'
mutant lf_bulk "does not say that thieves take turns" "$races" 's/\.thieves = DEQUE_ONE_THIEF/.thieves = DEQUE_MANY_THIEVES/'
mutant global "does not say that the deques of all workers are one" plain:conformance 's/\.shared = true, *//'

# A spill: half of a full ring to the caller, while thieves steal.
mutant go_runq "spills without a CAS" "$races" \
    's/bool taken = atomic_compare_exchange_strong_explicit\(&deque->head, &head, head \+ half,[^;]*;/bool taken = (atomic_store_explicit(\&deque->head, head + half, memory_order_release), true);/'
mutant volt "spills without a CAS" "$races" \
    's/if \(!atomic_compare_exchange_strong_explicit\(&deque->head, &head, volt_head\(real \+ half, real \+ half\),[^;]*\)\)\n/if ((atomic_store_explicit(\&deque->head, volt_head(real + half, real + half), memory_order_release), false))\n/'
mutant tokio "a spill forgets the older half" plain:conformance 's/tail \+ kept, memory_order_release/tail, memory_order_release/'

# Faults that only a stopped thread shows; the first is BWoS FIFO as published, empty and full at once. Where 65,536
# items pass a stopped thread, a 16-bit counter looks unchanged (Tokio, issue 5041).
mutant bwos_fifo "refuses while a thief is in the block" "plain:stopped plain:stopped" \
    's/= bwos_fifo_spare\(deque, next\);/= NULL;/'
mutant tokio "positions of 16 bits" "plain:stopped plain:stopped" \
    's/_Atomic uint32_t tail/_Atomic uint16_t tail/; s/\(uint64_t\)steal << 32 \| real/(uint64_t)(steal \& 0xffff) << 32 | (real \& 0xffff)/; s/tail - tokio_steal\(head\)/(uint16_t)(tail - tokio_steal(head))/g; s/tail - real != capacity/(uint16_t)(tail - real) != capacity/; s/available = ([^;]*);/available = (uint16_t)(\1);/; s/used = ([^;]*);/used = (uint16_t)(\1);/; s/int32_t/int16_t/g'
mutant abp "a tag of 16 bits" "plain:stopped plain:stopped plain:stopped" 's/abp_tag\(age\) \+ 1/(abp_tag(age) + 1) \& 0xffff/'
mutant the "says that pop never blocks" "plain:stopped plain:stopped" 's/\.pop_progress = DEQUE_BLOCKING/.pop_progress = DEQUE_LOCK_FREE/'
mutant tokio "says that steal never blocks" "plain:stopped plain:stopped" \
    's/\.steal_progress = DEQUE_BLOCKING/.steal_progress = DEQUE_LOCK_FREE/'
mutant multiplicity "follows a sleeper for more than a round" "plain:stopped plain:stopped" \
    's/ *head = multiplicity_later\(head, tail - victim->mask - 1\);\n//'

sound chase_lev "plain:conformance plain:stress plain:preempt thread:stress"
sound abp "plain:conformance plain:stress plain:preempt plain:stopped"
sound tokio "plain:conformance plain:stress plain:stopped"
sound volt "plain:conformance plain:stress plain:preempt"
sound go_runq "plain:conformance plain:stress plain:preempt"
sound the "plain:stopped"
sound bwos_fifo "plain:stopped"
sound multiplicity "plain:stopped"
sound locked "plain:conformance thread:stress"
sound taskflow_bounded "plain:conformance"
sound taskflow_unbounded "plain:conformance thread:stress address:stress address:preempt"
sound lf_bulk_many "plain:conformance plain:stress plain:preempt plain:stopped thread:stress"
sound lf_bulk "plain:conformance plain:stress plain:preempt address:stress address:preempt"

# The bulk paper's listing has to fail for what makes it wrong, with threads; of the others any finding will do.
for header in queues/as_published/*.h; do
    id=${header#queues/}
    id=${id%.h}
    if [ "$id" = as_published/lf_queue ]; then
        published "$id" "plain:stress plain:preempt"
    else
        published "$id" "plain:conformance plain:stress plain:preempt thread:stress"
    fi
done
conclude
