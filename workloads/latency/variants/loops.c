/* loops.c: the timed loops of push, pop, pair and steal; compiled once for each deque and variant (measured_loops.h),
 * so every line here costs a build several times.
 */
#include "workloads/latency/measured_loops.h"

MEASURED void measured_push_single(struct deque *const *deques, size_t count, const deque_item *items, size_t mask,
                                   size_t each) {
    MEASURED_START();
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        const deque_item *item = items + (i & mask) * each;
        for (const deque_item *end = item + each; item < end; item++)
            OPERATION_DONE(deque_push(deque, *item));
    }
}

/* The deques of group i .. i + INDEPENDENT_DEQUES - 1 take turns; the last group may be smaller. */
static inline size_t group_of(size_t i, size_t count) {
    return count - i < INDEPENDENT_DEQUES ? count - i : INDEPENDENT_DEQUES;
}

MEASURED void measured_push_independent(struct deque *const *deques, size_t count, const deque_item *items, size_t mask,
                                        size_t each) {
    MEASURED_START();
    for (size_t i = 0; i < count; i += INDEPENDENT_DEQUES) {
        const size_t group = group_of(i, count);
        for (size_t j = 0; j < each; j++)
            for (size_t k = 0; k < group; k++)
                OPERATION_DONE(deque_push(deques[i + k], items[((i + k) & mask) * each + j]));
    }
}

/* A 0 whose value the compiler does not know: `value & NOTHING` depends on the value and is 0. */
#define NOTHING(name)                                                                                                  \
    uintptr_t name = 0;                                                                                                \
    __asm__ volatile("" : "+r"(name))
#define AFTER(pointer, value, nothing) ((struct deque *)((char *)(pointer) + ((uintptr_t)(value) & (nothing))))

MEASURED void measured_push_dependent(struct deque *const *deques, size_t count, const deque_item *items, size_t mask,
                                      size_t each) {
    MEASURED_START();
    NOTHING(nothing);
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        const deque_item *item = items + (i & mask) * each;
        for (const deque_item *end = item + each; item < end; item++) {
            enum deque_result result = deque_push(deque, *item);
            OPERATION_DONE(result);
            deque = AFTER(deque, result, nothing);
        }
    }
}

MEASURED void measured_push_batch(struct deque *const *deques, size_t count, const deque_item *items, size_t mask,
                                  size_t batches, size_t batch) {
    MEASURED_START();
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        const deque_item *item = items + (i & mask) * batches * batch;
        for (const deque_item *end = item + batches * batch; item < end; item += batch)
            OPERATION_DONE(deque_push_batch(deque, item, batch));
    }
}

#if DEQUE_NATIVE & DEQUE_LISTS
MEASURED void measured_push_list(struct deque *const *deques, size_t count, struct deque_list *lists, size_t batches) {
    MEASURED_START();
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        for (struct deque_list *end = lists + batches; lists < end; lists++) {
            deque_push_list(deque, lists);
            OPERATION_DONE(lists);
        }
    }
}
#endif

MEASURED void measured_pop(struct deque *const *deques, size_t count, size_t each) {
    MEASURED_START();
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        for (size_t left = each; left > 0; left--) {
            deque_item item = (deque_item)0;
            deque_pop(deque, &item);
            OPERATION_DONE(item);
        }
    }
}

MEASURED void measured_pop_independent(struct deque *const *deques, size_t count, size_t each) {
    MEASURED_START();
    for (size_t i = 0; i < count; i += INDEPENDENT_DEQUES) {
        const size_t group = group_of(i, count);
        for (size_t left = each; left > 0; left--) {
            for (size_t k = 0; k < group; k++) {
                deque_item item = (deque_item)0;
                deque_pop(deques[i + k], &item);
                OPERATION_DONE(item);
            }
        }
    }
}

MEASURED void measured_pop_dependent(struct deque *const *deques, size_t count, size_t each) {
    MEASURED_START();
    NOTHING(nothing);
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        for (size_t left = each; left > 0; left--) {
            deque_item item = (deque_item)0;
            deque_pop(deque, &item);
            OPERATION_DONE(item);
            deque = AFTER(deque, item, nothing);
        }
    }
}

/* Until nothing comes; at most one pop more than there are items, for baselines that always have something. */
MEASURED void measured_drain(struct deque *const *deques, size_t count, size_t max) {
    MEASURED_START();
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        for (size_t left = max; left > 0; left--) {
            deque_item item = (deque_item)0;
            if (deque_pop(deque, &item) != DEQUE_OK)
                break;
            OPERATION_DONE(item);
        }
    }
}

MEASURED void measured_pairs(struct deque *const *deques, size_t count, const deque_item *items, size_t mask,
                             size_t each, size_t size) {
    MEASURED_START();
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        const deque_item *next = items + (i & mask) * each + size;
        for (const deque_item *end = next + PAIRS; next < end; next++) {
            deque_item item = (deque_item)0;
            OPERATION_DONE(deque_push(deque, *next));
            deque_pop(deque, &item);
            OPERATION_DONE(item);
        }
    }
}

MEASURED void measured_pairs_independent(struct deque *const *deques, size_t count, const deque_item *items,
                                         size_t mask, size_t each, size_t size) {
    MEASURED_START();
    for (size_t i = 0; i < count; i += INDEPENDENT_DEQUES) {
        const size_t group = group_of(i, count);
        for (size_t j = 0; j < PAIRS; j++) {
            for (size_t k = 0; k < group; k++) {
                deque_item item = (deque_item)0;
                OPERATION_DONE(deque_push(deques[i + k], items[((i + k) & mask) * each + size + j]));
                deque_pop(deques[i + k], &item);
                OPERATION_DONE(item);
            }
        }
    }
}

MEASURED void measured_pairs_dependent(struct deque *const *deques, size_t count, const deque_item *items, size_t mask,
                                       size_t each, size_t size) {
    MEASURED_START();
    NOTHING(nothing);
    for (size_t i = 0; i < count; i++) {
        struct deque *deque = deques[i];
        const deque_item *next = items + (i & mask) * each + size;
        for (const deque_item *end = next + PAIRS; next < end; next++) {
            deque_item item = (deque_item)0;
            OPERATION_DONE(deque_push(deque, *next));
            deque_pop(deque, &item);
            OPERATION_DONE(item);
            deque = AFTER(deque, item, nothing);
        }
    }
}

/* An attempt that lost its race is made again; this many at one deque mean that it is stuck. */
#define ATTEMPTS_MAX 1000000

/* Is this attempt at one deque the last? A lost race is tried again. Where thieves have to ask, EMPTY may only mean
 * that the owner has not answered yet. */
DEQUE_OPERATION bool steal_gives_up(const struct deque *victim, enum deque_result result, size_t *lost, size_t stuck) {
    if (result == DEQUE_EMPTY && !DEQUE_HAS(DEQUE_POLL))
        return true;
    return ++*lost >= stuck || (DEQUE_HAS(DEQUE_POLL) && deque_size(victim) == 0);
}

MEASURED size_t measured_steal_single(struct deque *const *victims, size_t count, struct deque *self, size_t wanted,
                                      size_t *lost) {
    MEASURED_START();
    size_t stolen = 0;
    for (size_t i = 0; i < count; i++) {
        struct deque *victim = victims[i];
        const size_t stuck = *lost + ATTEMPTS_MAX;
        for (size_t left = wanted; left > 0;) {
            deque_item item = (deque_item)0;
            enum deque_result result = deque_steal(victim, self, &item);
            OPERATION_DONE(item);
            if (result == DEQUE_OK)
                left--, stolen++;
            else if (steal_gives_up(victim, result, lost, stuck))
                break;
        }
    }
    return stolen;
}

MEASURED size_t measured_steal_native(struct deque *const *victims, size_t count, struct deque *self, unsigned percent,
                                      deque_item *out, size_t max, size_t *lost) {
    MEASURED_START();
    size_t stolen = 0;
    for (size_t i = 0; i < count; i++) {
        struct deque *victim = victims[i];
        const size_t stuck = *lost + ATTEMPTS_MAX;
        enum deque_result result;
#if DEQUE_NATIVE & DEQUE_LISTS
        struct deque_list list = {0};
        (void)out, (void)max;
        do {
            result = deque_steal_list(victim, self, percent, &list);
            OPERATION_DONE(list.first);
        } while (result == DEQUE_LOST && ++*lost < stuck);
        stolen += list.count;
#else
        size_t taken = 0;
        do {
            result = deque_steal_batch(victim, self, percent, out, max, &taken);
            OPERATION_DONE(taken);
        } while (result == DEQUE_LOST && ++*lost < stuck);
        stolen += taken;
#endif
    }
    return stolen;
}

const struct measured_loops measured_loops = {
    .push_single = {measured_push_single, measured_push_independent, measured_push_dependent},
    .push_batch = measured_push_batch,
#if DEQUE_NATIVE & DEQUE_LISTS
    .push_list = measured_push_list,
#endif
    .pop = {measured_pop, measured_pop_independent, measured_pop_dependent},
    .drain = measured_drain,
    .pairs = {measured_pairs, measured_pairs_independent, measured_pairs_dependent},
    .steal_single = measured_steal_single,
    .steal_native = measured_steal_native,
};
