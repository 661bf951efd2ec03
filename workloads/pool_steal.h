/* pool_steal.h: where a worker's next task comes from: its own deque, the overflow queue, other deques, its inbox. The
 * part of pool.c that takes.
 */
#ifndef STEALBENCH_POOL_STEAL_H
#define STEALBENCH_POOL_STEAL_H

#include "workloads/pool_inline.h"

#define OVERFLOW_TAKEN 16 /* tasks moved at once from the overflow queue */

static struct pool_task *take_own(struct pool_worker *worker) {
    struct pool_task *task = worker->slot;
    if (task) {
        worker->slot = NULL;
        return task;
    }
    return pool_pop(worker);
}

/* A turn at a deque that allows one thief at a time. */
static bool turn_taken(struct pool_worker *victim) {
    /* acquire: pairs with the release in turn_over */
    return atomic_load_explicit(&victim->turn, memory_order_relaxed) == 0 &&
           atomic_exchange_explicit(&victim->turn, 1, memory_order_acquire) == 0;
}

static void turn_over(struct pool_worker *victim) { atomic_store_explicit(&victim->turn, 0, memory_order_release); }

/* Half of what the victim has: one to run at once in *item, the rest into the thief's own deque. */
static enum deque_result steal_half(struct pool_worker *thief, struct pool_worker *victim, deque_item *item,
                                    size_t *moved) {
#if DEQUE_NATIVE & DEQUE_LISTS
    struct deque_list list = {0};
    enum deque_result result = deque_steal_list(victim->deque, thief->deque, 50, &list);
    *moved = 0;
    if (result != DEQUE_OK)
        return result;
    *item = deque_list_take(&list);
    *moved = list.count;
    deque_push_list(thief->deque, &list);
    return DEQUE_OK;
#elif (DEQUE_NATIVE & DEQUE_STEAL_BATCH) && !(DEQUE_NATIVE & DEQUE_STEAL_INTO)
    size_t n;
    enum deque_result result =
        deque_steal_batch(victim->deque, thief->deque, 50, (deque_item *)thief->taken, thief->taken_room, &n);
    *moved = 0;
    if (result != DEQUE_OK)
        return result;
    *item = (deque_item)thief->taken[n - 1];
    size_t pushed = deque_push_batch(thief->deque, (deque_item *)thief->taken, n - 1);
    *moved = pushed;
    for (size_t i = pushed; i < n - 1; i++) {
        struct pool_task *task = pool_item_task(thief, (deque_item)thief->taken[i], false);
        if (task)
            pool_overflow_put(thief, &task, 1);
    }
    return DEQUE_OK;
#else
    return deque_steal_into(victim->deque, thief->deque, item, moved);
#endif
}

/* One attempt at one victim. */
static struct pool_task *steal_from(struct pool_worker *thief, struct pool_worker *victim) {
    struct pool *pool = thief->pool;
    bool turns = pool_traits.thieves == DEQUE_ONE_THIEF || pool->turns;
    deque_item item = (deque_item)0;
    size_t moved = 0;
    if (turns && !turn_taken(victim)) {
        thief->counts.busy++;
        thief->contended = true;
        return NULL;
    }
    enum deque_result result =
        pool->half ? steal_half(thief, victim, &item, &moved) : deque_steal(victim->deque, thief->deque, &item);
    if (turns)
        turn_over(victim);
    if (moved > 0)
        pool_pushed(pool, moved);
    thief->counts.stolen += moved + (result == DEQUE_OK);
    if (result == DEQUE_OK || moved > 0)
        thief->counts.steals++;
    else if (result == DEQUE_EMPTY)
        thief->counts.empty++;
    else
        thief->counts.lost++;
    if (result == DEQUE_LOST)
        thief->contended = true;
    if (result != DEQUE_OK)
        return moved > 0 ? pool_pop(thief) : NULL;
    thief->stole = true;
    return pool_item_task(thief, item, false);
}

static struct pool_task *steal_round(struct pool_worker *thief) {
    struct pool *pool = thief->pool;
    thief->contended = false;
    for (unsigned i = 0; i + 1 < pool->threads; i++) {
        struct pool_task *task = steal_from(thief, pool->worker[pool_victim(thief, i)]);
        if (task)
            return task;
        if (atomic_load_explicit(&pool->over, memory_order_relaxed))
            return NULL;
    }
    return NULL;
}

static struct pool_task *take_overflow(struct pool_worker *worker) {
    struct pool_task *tasks[OVERFLOW_TAKEN];
    size_t taken = pool_overflow_take(worker->pool, tasks, OVERFLOW_TAKEN), put_back = 1;
    if (taken == 0)
        return NULL;
    while (put_back < taken && pool_push(worker, tasks[put_back]))
        put_back++;
    if (put_back < taken && pool_overflow_put(worker, tasks + put_back, taken - put_back))
        worker->counts.overflowed -= taken - put_back;
    if (taken > 1)
        pool_pushed(worker->pool, taken - 1);
    return tasks[0];
}

/* --- the master and the inboxes. The bulk paper's solver: one thread steals, from the others, for the others, and
 * works like them while nobody is idle. Only an owner can put something into a deque, hence the inboxes. */

/* Up to half of what the victim has (or one), or of the master's own, into the inbox. */
static bool fill_inbox(struct pool_worker *master, struct pool_worker *victim, struct pool_inbox *inbox) {
    struct pool *pool = master->pool;
    bool turns = pool_traits.thieves == DEQUE_ONE_THIEF || pool->turns;
    enum deque_result result;
    if (turns && !turn_taken(victim)) { /* a late thief of an earlier run: there is no other */
        master->counts.busy++;
        return false;
    }
    inbox->count = 0;
#if DEQUE_NATIVE & DEQUE_LISTS
    inbox->list = (struct deque_list){0};
    if (pool->half) {
        result = deque_steal_list(victim->deque, master->deque, 50, &inbox->list);
    } else {
        deque_item item;
        result = deque_steal(victim->deque, master->deque, &item);
        if (result == DEQUE_OK)
            deque_list_append(&inbox->list, item);
    }
    inbox->count = result == DEQUE_OK ? inbox->list.count : 0;
#else
    result = deque_steal_batch(victim->deque, master->deque, 50, inbox->items, pool->half ? POOL_INBOX_ROOM : 1,
                               &inbox->count);
#endif
    if (turns)
        turn_over(victim);
    master->counts.stolen += inbox->count;
    master->counts.steals += result == DEQUE_OK;
    master->counts.empty += result == DEQUE_EMPTY;
    master->counts.lost += result == DEQUE_LOST;
    return result == DEQUE_OK;
}

/* The owner of the inbox: what is in it goes into the worker's own deque. */
static void empty_inbox(struct pool_worker *worker, struct pool_inbox *inbox) {
#if DEQUE_NATIVE & DEQUE_LISTS
    deque_push_list(worker->deque, &inbox->list);
#else
    size_t pushed = deque_push_batch(worker->deque, inbox->items, inbox->count);
    for (size_t i = pushed; i < inbox->count; i++) {
        struct pool_task *task = pool_item_task(worker, inbox->items[i], false);
        if (task)
            pool_overflow_put(worker, &task, 1);
    }
#endif
    inbox->count = 0;
}

static void inbox_open(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    atomic_store_explicit(&worker->inbox.state, POOL_INBOX_WANTED, memory_order_release);
    atomic_fetch_add_explicit(&pool->wanting, 1, memory_order_acq_rel);
    pool_wake_worker(pool->worker[0]);
}

/* The worker does not wait any more. True when there was something in it, which is now in its deque. */
static bool inbox_close(struct pool_worker *worker) {
    uint32_t state = POOL_INBOX_WANTED;
    /* acquire: pairs with the release in serve */
    if (atomic_compare_exchange_strong_explicit(&worker->inbox.state, &state, POOL_INBOX_CLOSED, memory_order_acq_rel,
                                                memory_order_acquire)) {
        atomic_fetch_sub_explicit(&worker->pool->wanting, 1, memory_order_relaxed);
        return false;
    }
    if (state != POOL_INBOX_FULL)
        return false;
    empty_inbox(worker, &worker->inbox);
    atomic_store_explicit(&worker->inbox.state, POOL_INBOX_CLOSED, memory_order_relaxed);
    return true;
}

/* The master found something for that worker. What comes too late it keeps. */
static void serve(struct pool_worker *master, struct pool_worker *worker) {
    uint32_t state = POOL_INBOX_WANTED;
    /* release: pairs with the acquire in inbox_close */
    if (!atomic_compare_exchange_strong_explicit(&worker->inbox.state, &state, POOL_INBOX_FULL, memory_order_acq_rel,
                                                 memory_order_relaxed)) {
        empty_inbox(master, &worker->inbox);
        return;
    }
    atomic_fetch_sub_explicit(&master->pool->wanting, 1, memory_order_relaxed);
    pool_wake_worker(worker);
}

/* The master, while somebody wants something: from its own deque first, then from the others'. */
static void distribute(struct pool_worker *master) {
    struct pool *pool = master->pool;
    for (unsigned i = 1; i < pool->threads; i++) {
        struct pool_worker *worker = pool->worker[i];
        if (atomic_load_explicit(&worker->inbox.state, memory_order_acquire) != POOL_INBOX_WANTED)
            continue;
        bool found = deque_size(master->deque) > 0 && fill_inbox(master, master, &worker->inbox);
        for (unsigned j = 0; j + 1 < pool->threads && !found; j++) {
            unsigned victim = pool_victim(master, j);
            found = victim != i && fill_inbox(master, pool->worker[victim], &worker->inbox);
        }
        if (found)
            serve(master, worker);
    }
}

static void distribute_if_wanted(struct pool_worker *worker) {
    struct pool *pool = worker->pool;
    if (pool->master && worker->number == 0 && atomic_load_explicit(&pool->wanting, memory_order_acquire) > 0)
        distribute(worker);
}

static struct pool_task *look_around(struct pool_worker *worker) {
    struct pool_task *task = take_overflow(worker);
    distribute_if_wanted(worker);
    if (!task && pool_may_steal(worker))
        task = steal_round(worker);
    if (!task && atomic_load_explicit(&worker->inbox.state, memory_order_relaxed) == POOL_INBOX_FULL &&
        inbox_close(worker)) {
        worker->stole = true;
        task = pool_pop(worker);
    }
    return task;
}

#endif
