/* busy_owner.h: an owner at work on a processor of its own while the main thread, as the thief, steals and times.
 *
 * The owner pushes one item and pops one, over and over, at the deque that is being stolen from, and polls where
 * thieves have to ask. After each pair it looks which deque that is, and answers once it has worked there: only then
 * does the thief steal. Every few microseconds it looks at the clock. A window in which a thread was off its processor,
 * as the kernel says (team.h), does not count.
 */
#pragma once

#include "harness/measuring/team.h"
#include "workloads/latency/microbenchmark.h"
#include "workloads/latency/supply.h"
#include <assert.h>
#include <sched.h>

struct busy_owner {
    struct team team; /* the owner, and the main thread as its thief */
    bool (*prepare)(void *context, size_t deques);
    void *context;
    size_t deques;
    bool prepared;
    /* written by the thief while the owner works */
    alignas(DEQUE_LINE) _Atomic(struct deque *) victim; /* where to work */
    _Atomic bool rest;                                  /* the owner's round is to end */
    /* written by the owner */
    alignas(DEQUE_LINE) _Atomic uint64_t beats; /* looks at the clock, */
    _Atomic uint64_t gaps;                      /* and those after an absence */
    _Atomic(struct deque *) at;                 /* where it last worked */
    struct supply supply;
    double operations, seconds; /* ns of all its work; read when it rests */
};
static_assert(offsetof(struct busy_owner, beats) / DEQUE_LINE > offsetof(struct busy_owner, rest) / DEQUE_LINE,
              "owner and thief write on lines of their own");

/* A pair of push and pop, and a poll. Returns how many operations were made. An item that a thief took first stays with
 * the thief. */
static inline unsigned owner_pair(struct supply *supply, struct deque *deque) {
    deque_item item = supply_next(supply, deque);
    deque_item popped = (deque_item)0; /* gcc 14 does not see that it is only read when pop has written it */
    if (item != (deque_item)0 && deque_push(deque, item) == DEQUE_OK) {
        supply_pushed(supply, item);
        if (deque_pop(deque, &popped) == DEQUE_OK && popped == item)
            supply_popped(supply, deque, item);
    }
    deque_poll(deque);
    return item != (deque_item)0 ? 2 : 0;
}

/* Some pairs, at the deque that the thief has named last; *at is where the last pair was. */
static inline uint64_t owner_pairs(struct busy_owner *owner, struct deque **at, unsigned pairs) {
    uint64_t operations = 0;
    for (; pairs > 0; pairs--) {
        /* acquire: pairs with the release in busy_owner_moves_to */
        struct deque *deque = atomic_load_explicit(&owner->victim, memory_order_acquire);
        operations += owner_pair(&owner->supply, deque);
        if (deque == *at)
            continue;
        *at = deque;
        atomic_store_explicit(&owner->at, deque, memory_order_relaxed); /* it publishes nothing */
    }
    return operations;
}

/* The owner's rounds. */
static void owner_prepares(struct team_member *me) {
    struct busy_owner *owner = me->team->context;
    supply_reset(&owner->supply); /* the deques will be fresh ones */
    owner->prepared = owner->prepare(owner->context, owner->deques);
}

static void owner_begins(struct team_member *me) {
    struct busy_owner *owner = me->team->context;
    owner->prepared = supply_open(&owner->supply, 1, 0); /* touches its items first */
}

static void owner_works(struct team_member *me) {
    struct busy_owner *owner = me->team->context;
    uint64_t operations = 0;
    struct deque *at = NULL;
    unsigned stride = 1;
    counters_start(&me->counters);
    team_present(me);
    const uint64_t start = me->watch.before;
    /* relaxed: the end of the round publishes the results */
    while (!atomic_load_explicit(&owner->rest, memory_order_relaxed)) {
        operations += owner_pairs(owner, &at, stride);
        uint64_t now = clock_nanoseconds();
        stride = team_stride(stride, stride, now - me->watch.before);
        if (team_away(me, &now))
            atomic_fetch_add_explicit(&owner->gaps, 1, memory_order_relaxed);
        me->watch.before = now;
        /* release: pairs with the acquire in owner_beats; the gap before this look is seen */
        atomic_fetch_add_explicit(&owner->beats, 1, memory_order_release);
    }
    owner->operations += (double)operations;
    owner->seconds += (double)(clock_nanoseconds() - start) * 1e-9;
    counters_stop(&me->counters);
}

/* Thief: the owner's looks at the clock. */
static inline uint64_t owner_beats(struct busy_owner *owner) {
    return atomic_load_explicit(&owner->beats, memory_order_acquire); /* pairs with the release in owner_works */
}

/* Thief: the owner does one round. */
static bool owner_does(struct busy_owner *owner, void (*task)(struct team_member *)) {
    team_begin(&owner->team, task);
    team_end(&owner->team);
    return owner->prepared;
}

/* Two threads on one processor take turns of milliseconds: an attempt that waits for the owner's answer would take a
 * whole turn, and a cell hours. */
static bool busy_owner_has_room(const struct cell *cell, const struct places *places) {
    if (places->processors > 1 && (places->processor[0] < 0 || places->processor[0] != places->processor[1]))
        return true;
    fprintf(stderr, "stealbench: owner=busy: owner and thief need a processor each, and have one together\n");
    cell_no_sample(cell, "process", 0, "placement", "", "denied");
    return false;
}

static void busy_owner_close(struct busy_owner *owner) {
    if (!owner)
        return;
    if (owner->team.others > 0) {
        team_stop(&owner->team);
        supply_close(&owner->supply);
    }
    team_close(&owner->team);
}

/* Main thread, which becomes the thief. prepare is what the owner's thread will do for busy_owner_prepare. NULL with
 * *failure set as a workload returns it: what places_open returns, PLACES_DENIED also where both would share a
 * processor, or 3: no thread or memory. */
static struct busy_owner *busy_owner_open(const struct cell *cell, bool (*prepare)(void *context, size_t deques),
                                          void *context, int *failure) {
    static struct busy_owner owner;
    owner.team.cell = cell;
    owner.team.caller = 1;
    owner.team.context = &owner;
    owner.prepare = prepare;
    owner.context = context;
    *failure = team_open(&owner.team, 2);
    if (*failure == 0 && !busy_owner_has_room(cell, &owner.team.places))
        *failure = PLACES_DENIED;
    if (*failure == 0)
        *failure = team_start(&owner.team);
    if (*failure == 0 && !owner_does(&owner, owner_begins)) {
        fprintf(stderr, "stealbench: no memory for the owner's items\n");
        *failure = 3;
    }
    if (*failure == 0)
        return &owner;
    busy_owner_close(&owner);
    return NULL;
}

/* Thief: the owner's thread prepares, so that its memory is its own. */
static bool busy_owner_prepare(struct busy_owner *owner, size_t deques) {
    owner->deques = deques;
    return owner_does(owner, owner_prepares);
}

/* Thief, between two steals: the owner goes to that deque, and works there when this returns. Waiting reads the clock,
 * for where time is virtual (tests/scripted) only that moves it on. */
static inline void busy_owner_moves_to(struct busy_owner *owner, struct deque *victim) {
    /* release: pairs with the acquire in owner_pairs */
    atomic_store_explicit(&owner->victim, victim, memory_order_release);
    while (atomic_load_explicit(&owner->at, memory_order_relaxed) != victim)
        (void)clock_nanoseconds();
}

/* Thief: opens a window. The owner works at victim when this returns. Its result is for busy_owner_stop. */
static uint64_t busy_owner_start(struct busy_owner *owner, struct deque *victim) {
    const uint64_t before = owner_beats(owner);
    atomic_store_explicit(&owner->victim, victim, memory_order_relaxed);
    atomic_store_explicit(&owner->at, NULL, memory_order_relaxed);
    atomic_store_explicit(&owner->rest, false, memory_order_relaxed);
    team_begin(&owner->team, owner_works);
    while (owner_beats(owner) < before + 2)
        sched_yield();
    team_present(&owner->team.threads[owner->team.caller]);
    return atomic_load_explicit(&owner->gaps, memory_order_relaxed);
}

/* Thief: closes the window; true when it counts: both threads were on their processors all through it. */
static bool busy_owner_stop(struct busy_owner *owner, uint64_t gaps) {
    const bool thief_away = team_was_away(&owner->team.threads[owner->team.caller], clock_nanoseconds());
    const uint64_t before = owner_beats(owner);
    /* one more look, so that an absence of the owner's at the very end is seen */
    while (owner_beats(owner) < before + 1)
        (void)clock_nanoseconds();
    bool present = !thief_away && atomic_load_explicit(&owner->gaps, memory_order_relaxed) == gaps;
    atomic_store_explicit(&owner->rest, true, memory_order_relaxed);
    team_end(&owner->team);
    return present;
}
