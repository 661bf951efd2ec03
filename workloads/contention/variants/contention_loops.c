/* contention_loops.c: the timed loops of contention: the owner's phases and the thieves' attempts. Compiled once for
 * each deque and variant (workloads/latency/measured_loops.h).
 *
 * Thieves of a deque that serves one at a time lock it (one_thief.h). An owner that has to answer requests does so
 * after every operation.
 */
#include "harness/measuring/random.h"
#include "workloads/contention/arena.h"

/* Beyond deque_result: another thief had the lock. */
#define REFUSED (DEQUE_LOST + 1)
#define OUTCOMES (REFUSED + 1)

#define DUEL_PAUSE 511 /* turns of an empty loop, at most: longer than a cache line takes to cross the machine */

/* Owner: pushes until one is refused, or pops until there is nothing; max times at most. Returns how many. filling and
 * sampled are constants where this is inlined. */
DEQUE_OPERATION size_t operate(struct team_member *me, struct contention *contention, size_t max, bool *over,
                               bool filling, bool sampled) {
    struct arena *arena = (struct arena *)contention;
    struct supply supply = arena->supply;
    struct deque *deque = arena->deque;
    unsigned wait = me->wait;
    size_t done = 0;
    for (; done < max; done++) {
        deque_item item = filling ? supply_next(&supply, deque) : (deque_item)0;
        bool timed = sampled && --wait == 0;
        uint64_t begin = timed ? cycles_begin() : 0;
        enum deque_result result = !filling                ? deque_pop(deque, &item)
                                   : item != (deque_item)0 ? deque_push(deque, item)
                                                           : DEQUE_FULL;
        if (filling)
            OPERATION_DONE(result);
        else
            OPERATION_DONE(item);
        if (timed && result == DEQUE_OK)
            team_log(me, cycles_end() - begin, 0);
        if (timed)
            wait = contention->every;
        deque_poll(deque);
        *over = result != DEQUE_OK;
        if (*over)
            break;
        if (filling)
            supply_pushed(&supply, item);
        else
            supply_popped(&supply, deque, item);
    }
    arena->supply = supply;
    me->wait = wait;
    return done;
}

MEASURED size_t measured_fill(struct team_member *me, struct contention *contention, size_t max, bool *full) {
    MEASURED_START();
    return operate(me, contention, max, full, true, false);
}
MEASURED size_t measured_drain(struct team_member *me, struct contention *contention, size_t max, bool *empty) {
    MEASURED_START();
    return operate(me, contention, max, empty, false, false);
}
MEASURED size_t measured_fill_sampled(struct team_member *me, struct contention *contention, size_t max, bool *full) {
    return operate(me, contention, max, full, true, true);
}
MEASURED size_t measured_drain_sampled(struct team_member *me, struct contention *contention, size_t max, bool *empty) {
    return operate(me, contention, max, empty, false, true);
}

/* Owner: pushes one item and pops it a random moment later, `turns` times. */
MEASURED void measured_duel(struct team_member *me, struct contention *contention, size_t turns) {
    struct arena *arena = (struct arena *)contention;
    struct supply supply = arena->supply;
    struct deque *deque = arena->deque;
    uint64_t pushed = 0, popped = 0;
    for (; turns > 0; turns--) {
        deque_item item = supply_next(&supply, deque);
        bool pushed_it = item != (deque_item)0 && deque_push(deque, item) == DEQUE_OK;
        OPERATION_DONE(pushed_it);
        if (pushed_it) {
            supply_pushed(&supply, item);
            pushed++;
        }
        for (uint64_t pause = random_next(&me->random) & DUEL_PAUSE; pause > 0; pause--)
            OPERATION_DONE(pause);
        deque_poll(deque);
        enum deque_result result = deque_pop(deque, &item);
        OPERATION_DONE(item);
        if (result == DEQUE_OK) {
            supply_popped(&supply, deque, item);
            popped++;
        }
    }
    arena->supply = supply;
    me->watch.tally[TALLY_PUSHED] += pushed;
    me->watch.tally[TALLY_POPPED] += popped;
}

/* Thief: one attempt. Its items, *n of them, are the item, the batch or the list. */
struct loot {
    deque_item item;
    size_t n;
#if DEQUE_NATIVE & DEQUE_LISTS
    struct deque_list list;
#endif
};
DEQUE_OPERATION unsigned attempt(struct arena *arena, struct thief *thief, struct loot *loot, bool batch) {
    enum deque_result result;
    if (arena->common.one_thief && VICTIM_REFUSES(&arena->lock))
        return REFUSED;
    if (!batch) {
        result = deque_steal(arena->deque, thief->self, &loot->item);
        loot->n = 1;
    } else {
#if DEQUE_NATIVE & DEQUE_LISTS
        loot->list = (struct deque_list){0};
        result = deque_steal_list(arena->deque, thief->self, arena->common.percent, &loot->list);
        loot->n = loot->list.count;
#else
        result =
            deque_steal_batch(arena->deque, thief->self, arena->common.percent, thief->out, arena->batch_max, &loot->n);
#endif
    }
    if (arena->common.one_thief)
        victim_unlock(&arena->lock);
    return (unsigned)result;
}

/* Thief: keeps what it got. */
DEQUE_OPERATION void keep(struct thief *thief, struct loot *loot, bool batch) {
    if (!batch) {
        supply_stolen(&thief->taken, loot->item);
        return;
    }
#if DEQUE_NATIVE & DEQUE_LISTS
    for (size_t i = loot->n; i > 0; i--)
        supply_stolen(&thief->taken, deque_list_take(&loot->list));
#else
    for (size_t i = 0; i < loot->n; i++)
        supply_stolen(&thief->taken, thief->out[i]);
#endif
}

/* Thief: `count` attempts. A paced thief times each attempt; an unpaced one cannot afford to. batch is a constant where
 * it is inlined. */
DEQUE_OPERATION void attempts(struct team_member *me, struct arena *arena, size_t count, bool batch) {
    struct thief *thief = &arena->thieves[me->number - 1];
    uint64_t outcomes[OUTCOMES] = {0}, items = 0, ticks = 0;
    const bool sampled = arena->common.sampled == SAMPLED_STEAL, paced = arena->common.paced;
    for (; count > 0; count--) {
        struct loot loot = {.n = 0}; /* set where the attempt succeeds, which compilers do not see */
        bool logged = sampled && --me->wait == 0, timed = paced || logged;
        uint64_t begin = timed ? cycles_begin() : 0;
        unsigned outcome = attempt(arena, thief, &loot, batch);
        OPERATION_DONE(outcome);
        uint64_t took = timed ? cycles_end() - begin : 0;
        ticks += took;
        if (logged)
            me->wait = arena->common.every;
        if (logged && outcome != REFUSED)
            team_log(me, took, outcome == DEQUE_OK ? 0 : outcome == DEQUE_EMPTY ? 1 : 2);
        outcomes[outcome]++;
        if (outcome != DEQUE_OK)
            continue;
        keep(thief, &loot, batch);
        items += loot.n;
    }
    uint64_t *tally = me->watch.tally;
    tally[TALLY_STOLEN] += outcomes[DEQUE_OK];
    tally[TALLY_EMPTY] += outcomes[DEQUE_EMPTY];
    tally[TALLY_LOST] += outcomes[DEQUE_LOST] + outcomes[REFUSED];
    tally[TALLY_REFUSED] += outcomes[REFUSED];
    tally[TALLY_ITEMS] += items;
    tally[TALLY_STEAL_TICKS] += ticks;
}

MEASURED void measured_attempts(struct team_member *me, struct contention *contention, size_t count) {
    MEASURED_START();
    attempts(me, (struct arena *)contention, count, false);
}
MEASURED void measured_batches(struct team_member *me, struct contention *contention, size_t count) {
    MEASURED_START();
    attempts(me, (struct arena *)contention, count, true);
}

const struct contention_loops contention_loops = {
    .fill = measured_fill,
    .fill_sampled = measured_fill_sampled,
    .drain = measured_drain,
    .drain_sampled = measured_drain_sampled,
    .duel = measured_duel,
    .attempt = measured_attempts,
    .attempt_batch = measured_batches,
};
