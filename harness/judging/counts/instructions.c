/* instructions.c: a fixed piece of work for callgrind: a set number of calls of each operation, single-threaded, each
 * kind in a function of its own that is not inlined. callgrind's inclusive count of that function, divided by the
 * calls, is the cost in instructions; it is the same in every repeat.
 *
 * Counts for a baseline: nothing but operations, all of them in one process, with neither driver nor library, so that
 * only a change of the deque or of the compiler changes a count.
 *
 * Compiled for each deque, for x86-64-v3 (valgrind 3.19 knows nothing beyond AVX2), neither instrumented nor linked
 * with the lab. Prints one line for each function: its name and its calls.
 */
#include "harness/measuring/deque_under_test.h"
#include <stdio.h>

#define CALLS 1000
#define BATCHES 50
#define BATCH 20
#define CAPACITY 2048
#define COUNTED __attribute__((noinline)) static

struct item {
#if DEQUE_NATIVE & DEQUE_LISTS
    struct deque_link link;
#endif
    uint64_t contents;
};
static struct item items[CALLS];

COUNTED void counted_push(struct deque *deque) {
    for (int i = 0; i < CALLS; i++)
        (void)deque_push(deque, &items[i]);
}

COUNTED void counted_pop(struct deque *deque) {
    deque_item item;
    for (int i = 0; i < CALLS; i++)
        (void)deque_pop(deque, &item);
}

/* Half as many: the compiler would merge two functions that are alike. */
COUNTED void counted_pop_empty(struct deque *deque) {
    deque_item item;
    for (int i = 0; i < CALLS / 2; i++)
        (void)deque_pop(deque, &item);
}

#if DEQUE_NATIVE & DEQUE_PLACES
static uint64_t places[CALLS];

COUNTED void counted_pop_from(struct deque *deque) {
    deque_item item;
    for (int i = CALLS; i-- > 0;)
        (void)deque_pop_from(deque, &item, places[i]);
}
#endif

COUNTED void counted_steal(struct deque *victim, struct deque *self) {
    deque_item item;
    for (int i = 0; i < CALLS / 2; i++)
        (void)deque_steal(victim, self, &item);
}

#if DEQUE_NATIVE & DEQUE_PUSH_BATCH
COUNTED void counted_push_batch(struct deque *deque) {
    deque_item batch[BATCH];
    for (int i = 0; i < BATCHES; i++) {
        for (int j = 0; j < BATCH; j++)
            batch[j] = &items[i * BATCH + j];
        (void)deque_push_batch(deque, batch, BATCH);
    }
}
#endif

#if DEQUE_NATIVE & DEQUE_STEAL_BATCH
COUNTED void counted_steal_batch(struct deque *victim, struct deque *self) {
    deque_item batch[BATCH];
    size_t n;
    for (int i = 0; i < BATCHES / 2; i++)
        (void)deque_steal_batch(victim, self, 50, batch, BATCH, &n);
}
#endif

static struct deque *deques; /* the one that is measured, and the thief's own */

static int make(struct deque *deque, unsigned worker) {
    struct deque_config config = {.capacity = CAPACITY, .worker = worker, .workers = 2, .first = deques};
    return deque_init(deque, &config);
}

/* Starts over with an empty deque. */
static int again(void) {
    deque_destroy(&deques[0]);
    return make(&deques[0], 0);
}

static int run(void) {
    counted_push(&deques[0]);
    counted_pop(&deques[0]);
    counted_pop_empty(&deques[0]);
    printf("counted_push %d\ncounted_pop %d\ncounted_pop_empty %d\n", CALLS, CALLS, CALLS / 2);
    if (again() != 0)
        return 4;
    for (int i = 0; i < CALLS; i++)
        (void)deque_push(&deques[0], &items[i]);
    counted_steal(&deques[0], &deques[1]);
    printf("counted_steal %d\n", CALLS / 2);
#if DEQUE_NATIVE & DEQUE_PLACES
    if (again() != 0)
        return 4;
    for (int i = 0; i < CALLS; i++) {
        places[i] = deque_place(&deques[0]);
        (void)deque_push(&deques[0], &items[i]);
    }
    counted_pop_from(&deques[0]);
    printf("counted_pop_from %d\n", CALLS);
#endif
#if DEQUE_NATIVE & DEQUE_PUSH_BATCH
    if (again() != 0)
        return 4;
    counted_push_batch(&deques[0]);
    printf("counted_push_batch %d\n", BATCHES);
#endif
#if DEQUE_NATIVE & DEQUE_STEAL_BATCH
    if (again() != 0)
        return 4;
    for (int i = 0; i < CALLS; i++)
        (void)deque_push(&deques[0], &items[i]);
    counted_steal_batch(&deques[0], &deques[1]);
    printf("counted_steal_batch %d\n", BATCHES / 2);
#endif
    return 0;
}

int main(void) {
    deques = DEQUE_ALLOC(2 * sizeof *deques);
    if (!deques || make(&deques[0], 0) != 0 || make(&deques[1], 1) != 0) {
        fprintf(stderr, "instructions: no deque of %d items\n", CAPACITY);
        return 4;
    }
    return run();
}
