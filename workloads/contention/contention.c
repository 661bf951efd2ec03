/* contention.c: an owner that fills a deque until it is full and drains it until it is empty, while thieves steal from
 * it at a set frequency.
 *
 * case=cycle is the microbenchmark of the BWoS thesis, section 5.2; frequency=0 is its run without steals. case=duel:
 * the owner pushes a single item and pops it a moment later, so that owner and thieves fight for it. Whatever the
 * case, all that was pushed must have come out in the end.
 *
 * A growing or linked deque is full when `capacity` items were pushed since it was empty.
 *
 * sample=push|pop|steal times every n-th operation singly, in a run of its own.
 *
 * This file is compiled once for each deque; the timed loops are in variants/contention_loops.c, the rest in
 * frame.c.
 */
#include "workloads/contention/arena.h"

const struct deque_traits contention_traits = DEQUE_TRAITS;
const size_t contention_item_bytes = sizeof(deque_item);

int contention_enter(struct team_member *me, struct contention *contention) {
    struct arena *arena = (struct arena *)contention;
    struct thief *thief = &arena->thieves[me->number - 1];
    struct deque_config config = contention->config;
    config.worker = me->number;
    config.first = arena->deque;
    if (contention->batch && !(thief->out = calloc(arena->batch_max, sizeof *thief->out)))
        return 3;
    if (!contention_traits.needs_self)
        return 0;
    thief->self = DEQUE_ALLOC(sizeof *thief->self);
    return thief->self && deque_init(thief->self, &config) == 0 ? 0 : 3;
}

int contention_make(struct contention *contention) {
    struct arena *arena = (struct arena *)contention;
    const unsigned thieves = contention->team.count - 1;
    const size_t capacity = contention->config.capacity;
    arena->deque = DEQUE_ALLOC(sizeof *arena->deque);
    arena->thieves = DEQUE_ALLOC((thieves + 1) * sizeof *arena->thieves);
    if (!arena->deque || !arena->thieves || !supply_open(&arena->supply, capacity, thieves) ||
        deque_init(arena->deque, &contention->config) != 0)
        return 3;
    for (unsigned i = 0; i <= thieves; i++)
        arena->thieves[i] = (struct thief){.taken = supply_taker(&arena->supply)};
    places_note_memory(&contention->team.places, arena->deque, sizeof *arena->deque);
    contention->capacity = deque_capacity(arena->deque);
    arena->batch_max = capacity > contention->capacity ? capacity : contention->capacity;
    arena->lock = (struct victim_lock){0};
    return 0;
}

/* The owner pops what is left, and where thieves took part they steal it too: some deques leave the last items to them.
 * At-least-once deques are not stolen from here: they may give a thief an item that is gone already. */
void contention_take_left(struct contention *contention, struct items_account *account) {
    struct arena *arena = (struct arena *)contention;
    const unsigned thieves = contention->team.count - 1;
    const bool steals = thieves > 0 && contention_traits.delivery == DEQUE_ONCE;
    deque_item item = (deque_item)0;
    while (deque_pop(arena->deque, &item) == DEQUE_OK ||
           (steals && deque_steal(arena->deque, arena->thieves[0].self, &item) == DEQUE_OK)) {
        account->left++;
        account->taken_sum += SUPPLY_VALUE(item);
    }
    account->stays = deque_size(arena->deque);
    account->pushed_sum = arena->supply.pushed_sum;
    account->taken_sum += arena->supply.taken_sum;
    for (unsigned i = 0; i < thieves; i++)
        account->taken_sum += arena->thieves[i].taken.sum;
}

void contention_clear(struct contention *contention) {
    struct arena *arena = (struct arena *)contention;
    for (unsigned i = 0; i + 1 < contention->team.count; i++) {
        struct thief *thief = &arena->thieves[i];
        if (thief->self)
            deque_destroy(thief->self);
        DEQUE_FREE(thief->self);
        free(thief->out);
    }
    deque_destroy(arena->deque);
    DEQUE_FREE(arena->deque);
    DEQUE_FREE(arena->thieves);
    supply_close(&arena->supply);
}

static int run(const struct cell *cell) {
    static struct arena arena;
    return contention_run(&arena.common, cell);
}

REGISTER_WORKLOAD(contention, .name = "contention",
                  .summary = "an owner that fills and drains a deque while thieves steal at a set frequency",
                  .parameters = {contention_parameters}, .threads = "1+thieves", .unsupported = contention_unsupported,
                  .run = run);
