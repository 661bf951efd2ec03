/* scripted.h: a deque whose answers and times are known beforehand, so that every metric has one due value.
 *
 * A ring under a lock. Each operation takes a fixed virtual time (machine.h), by its outcome, and no other; all are
 * different primes. script=plain answers as things are. With script=mixed six steals in a row answer LOST, LOST, EMPTY,
 * EMPTY, EMPTY and, the sixth, as things are; with script=losing three answer LOST, LOST, and as things are. With
 * script=slow push and pop take a thousand times as long; with script=interrupted every 997th push takes 10 us more,
 * with script=away every 29,989th 300 us, in which the owner is off its processor.
 */
#pragma once

#include "queues/deque.h"
#include "tests/scripted/machine.h"

#define DEQUE_NATIVE (DEQUE_PUSH_BATCH + DEQUE_STEAL_BATCH)
#define DEQUE_TRAITS                                                                                                   \
    {                                                                                                                  \
        .id = "scripted", .title = "scripted", .source = "for a test", .owner_order = DEQUE_LIFO,                      \
        .bound = DEQUE_LINKED, .thieves = DEQUE_MANY_THIEVES, .native = DEQUE_NATIVE, .sound = true,                   \
        .reference = true, .delivery = DEQUE_ONCE, .push_progress = DEQUE_WAIT_FREE, .pop_progress = DEQUE_WAIT_FREE,  \
        .steal_progress = DEQUE_WAIT_FREE, .mode = "script",                                                           \
        .mode_values = "plain|mixed|losing|slow|interrupted|away",                                                     \
    }

#define SCRIPTED_PUSH 11
#define SCRIPTED_POP 23
#define SCRIPTED_POP_EMPTY 31
#define SCRIPTED_STEAL 41
#define SCRIPTED_STEAL_EMPTY 53
#define SCRIPTED_STEAL_LOST 61
#define SCRIPTED_PUSH_BATCH 71  /* and as much for each item as a push of one */
#define SCRIPTED_STEAL_BATCH 97 /* and as much for each item as a steal of one */

enum { SCRIPTED_SLOTS = 1 << 20 }; /* more than a row of due_test.py has items */

struct deque {
    _Atomic bool locked;
    unsigned script;
    unsigned asked; /* steals so far */
    uint64_t bottom, top;
    deque_item *slots;
};

DEQUE_SLOW_PATH void scripted_lock(struct deque *deque) {
    /* acquire: pairs with the release in scripted_unlock */
    while (atomic_exchange_explicit(&deque->locked, true, memory_order_acquire))
        machine_pause();
}

DEQUE_OPERATION void scripted_unlock(struct deque *deque) {
    atomic_store_explicit(&deque->locked, false, memory_order_release);
}

DEQUE_OPERATION int deque_init(struct deque *deque, const struct deque_config *config) {
    *deque = (struct deque){.script = config->mode, .slots = calloc(SCRIPTED_SLOTS, sizeof *deque->slots)};
    return deque->slots ? 0 : ENOMEM;
}

DEQUE_OPERATION void deque_destroy(struct deque *deque) { free(deque->slots); }
DEQUE_OPERATION size_t deque_capacity(const struct deque *deque) { return (void)deque, (size_t)0; }
DEQUE_OPERATION size_t deque_size(const struct deque *deque) { return (size_t)(deque->bottom - deque->top); }

DEQUE_OPERATION uint64_t scripted_times(const struct deque *deque) { return deque->script == 3 ? 1000 : 1; }

DEQUE_OPERATION uint64_t scripted_interrupt(const struct deque *deque) {
    static _Atomic unsigned pushes; /* of all deques: each is interrupted somewhere else */
    const unsigned push = deque->script < 4 ? 1 : atomic_fetch_add_explicit(&pushes, 1, memory_order_relaxed);
    if (deque->script == 5 && push % 29989 == 0)
        machine_away(300000);
    return deque->script == 4 && push % 997 == 0 ? 10000 : 0;
}

DEQUE_SLOW_PATH bool scripted_put(struct deque *deque, deque_item item) {
    if (deque_size(deque) == SCRIPTED_SLOTS)
        return false;
    deque->slots[deque->bottom++ % SCRIPTED_SLOTS] = item;
    return true;
}

DEQUE_OPERATION size_t deque_push_batch(struct deque *deque, const deque_item *items, size_t n) {
    size_t pushed = 0;
    scripted_lock(deque);
    while (pushed < n && scripted_put(deque, items[pushed]))
        pushed++;
    scripted_unlock(deque);
    machine_spend(SCRIPTED_PUSH_BATCH + n * SCRIPTED_PUSH);
    return pushed;
}

DEQUE_OPERATION enum deque_result deque_push(struct deque *deque, deque_item item) {
    scripted_lock(deque);
    bool pushed = scripted_put(deque, item);
    scripted_unlock(deque);
    machine_spend(SCRIPTED_PUSH * scripted_times(deque) + scripted_interrupt(deque));
    return pushed ? DEQUE_OK : DEQUE_FULL;
}

DEQUE_OPERATION enum deque_result deque_pop(struct deque *deque, deque_item *item) {
    scripted_lock(deque);
    bool there = deque->bottom != deque->top;
    if (there)
        *item = deque->slots[--deque->bottom % SCRIPTED_SLOTS];
    scripted_unlock(deque);
    machine_spend((there ? SCRIPTED_POP : SCRIPTED_POP_EMPTY) * scripted_times(deque));
    return there ? DEQUE_OK : DEQUE_EMPTY;
}

/* The script's answer to this thief; OK: the real answer. */
DEQUE_OPERATION enum deque_result scripted_answer(struct deque *deque) {
    static const enum deque_result mixed[] = {DEQUE_LOST, DEQUE_LOST, DEQUE_EMPTY, DEQUE_EMPTY, DEQUE_EMPTY, DEQUE_OK};
    static const enum deque_result losing[] = {DEQUE_LOST, DEQUE_LOST, DEQUE_OK};
    const unsigned turn = deque->asked++;
    return deque->script == 1 ? mixed[turn % 6] : deque->script == 2 ? losing[turn % 3] : DEQUE_OK;
}

DEQUE_OPERATION enum deque_result scripted_steal(struct deque *victim, deque_item *out, size_t wanted, size_t *n) {
    machine_fault(); /* by which a thief's counters are told from an owner's */
    scripted_lock(victim);
    enum deque_result answer = scripted_answer(victim);
    *n = 0;
    while (answer == DEQUE_OK && *n < wanted && victim->bottom != victim->top)
        out[(*n)++] = victim->slots[victim->top++ % SCRIPTED_SLOTS];
    scripted_unlock(victim);
    if (answer == DEQUE_OK && *n == 0)
        answer = DEQUE_EMPTY;
    return answer;
}

DEQUE_OPERATION enum deque_result deque_steal(struct deque *victim, struct deque *self, deque_item *item) {
    size_t n;
    (void)self;
    enum deque_result answer = scripted_steal(victim, item, 1, &n);
    machine_spend(answer == DEQUE_OK      ? SCRIPTED_STEAL
                  : answer == DEQUE_EMPTY ? SCRIPTED_STEAL_EMPTY
                                          : SCRIPTED_STEAL_LOST);
    return answer;
}

DEQUE_OPERATION enum deque_result deque_steal_batch(struct deque *victim, struct deque *self, unsigned percent,
                                                    deque_item *out, size_t max, size_t *n) {
    const size_t wanted = (deque_size(victim) * (percent ? percent : 50) + 99) / 100;
    (void)self;
    enum deque_result answer = scripted_steal(victim, out, wanted < max ? wanted : max, n);
    machine_spend(SCRIPTED_STEAL_BATCH + *n * SCRIPTED_STEAL);
    return answer;
}
