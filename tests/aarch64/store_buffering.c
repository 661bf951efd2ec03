/* store_buffering.c: does the emulator keep a store and a later load in order? For tests/aarch64.sh, which has to know
 * before it holds anything against a deque.
 *
 * The litmus test SB: each of two threads stores to a variable of its own, then loads the other's. Not both may load
 * the old value, be it that all four accesses are sequentially consistent (on AArch64 STLR and LDAR, which stay in
 * order) or that a sequentially consistent fence stands between them (DMB ISH).
 *
 * qemu's user mode (7.2, on x86) lets the former pass: it puts a barrier before the store of STLR and one behind the
 * load of LDAR, but none between the two.
 *
 *   store_buffering accesses|fences SECONDS
 *
 * Ends when it has seen the outcome, or after SECONDS. Exit: 0 never seen, 1 seen, 2 usage, 3 no thread.
 */
#include "harness/measuring/clock.h"
#include <limits.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 128
#define DELAYS 32 /* of each thread after both have met: these many lengths, each with each of the other's */

/* In round n a thread stores n; it has arrived in round n when it has stored what it loaded in the round before. */
static struct thread {
    alignas(LINE) _Atomic unsigned long value;
    alignas(LINE) _Atomic unsigned long arrived;
    unsigned long saw[2]; /* in even rounds, in odd ones */
} threads[2];
static bool fences;
static _Atomic unsigned long last_round = ULONG_MAX; /* that begins; nothing is done in it */

static unsigned long store_then_load(struct thread *own, struct thread *other, unsigned long round) {
    if (fences) {
        atomic_store_explicit(&own->value, round, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst); /* pairs with itself in the other thread */
        return atomic_load_explicit(&other->value, memory_order_relaxed);
    }
    /* seq_cst, both: pair with the same two in the other thread */
    atomic_store_explicit(&own->value, round, memory_order_seq_cst);
    return atomic_load_explicit(&other->value, memory_order_seq_cst);
}

static void meet(struct thread *own, struct thread *other, unsigned long round) {
    /* Nobody gives his processor away: two threads that take turns meet nowhere near each other, and on a busy machine
     * would go on taking turns.
     * release and acquire: pair with each other; the other's round before is over and what it saw is written down */
    atomic_store_explicit(&own->arrived, round, memory_order_release);
    while (atomic_load_explicit(&other->arrived, memory_order_acquire) < round)
        continue;
}

static void play(struct thread *own, struct thread *other, unsigned long round, unsigned long delay) {
    for (volatile unsigned long i = 0; i < delay; i = i + 1)
        continue;
    own->saw[round % 2] = store_then_load(own, other, round);
}

static void *second_thread(void *unused) {
    (void)unused;
    for (unsigned long round = 1;; round++) {
        meet(&threads[1], &threads[0], round);
        if (atomic_load_explicit(&last_round, memory_order_relaxed) == round)
            return NULL;
        play(&threads[1], &threads[0], round, round / DELAYS % DELAYS);
    }
}

static bool neither_saw(unsigned long round) {
    return threads[0].saw[round % 2] < round && threads[1].saw[round % 2] < round;
}

/* The first thread's part. Whether the outcome was seen; in *played the rounds that both have played. */
static bool first_thread(uint64_t deadline, unsigned long *played) {
    bool seen = false;
    for (*played = 0; !seen && clock_nanoseconds() < deadline; ++*played) {
        unsigned long round = *played + 1;
        meet(&threads[0], &threads[1], round);
        seen = round > 1 && neither_saw(round - 1);
        play(&threads[0], &threads[1], round, round % DELAYS);
    }
    atomic_store_explicit(&last_round, *played + 1, memory_order_relaxed);
    meet(&threads[0], &threads[1], *played + 1);
    return seen || neither_saw(*played);
}

int main(int count, char **arguments) {
    char *end = NULL;
    double seconds = count == 3 ? strtod(arguments[2], &end) : 0;
    if (count != 3 || *end || !(seconds > 0) || (strcmp(arguments[1], "accesses") && strcmp(arguments[1], "fences"))) {
        fprintf(stderr, "usage: store_buffering accesses|fences SECONDS\n");
        return 2;
    }
    fences = strcmp(arguments[1], "fences") == 0;
    pthread_t second;
    if (pthread_create(&second, NULL, second_thread, NULL) != 0)
        return 3;
    unsigned long played = 0;
    bool seen = first_thread(clock_nanoseconds() + (uint64_t)(seconds * 1e9), &played);
    pthread_join(second, NULL);
    printf("%s in %lu rounds\n", seen ? "seen" : "not seen", played);
    return seen;
}
