/* frame.h: the workload contention except for its operations on the deque (contention.c).
 *
 * The owner fills and drains, and looks at the clock after every few operations; thieves attempt a steal when it is
 * due. A thread's counts are in its watch.
 */
#pragma once

#include "harness/measuring/cycles.h"
#include "harness/measuring/latency.h"
#include "harness/measuring/team.h"
#include "queues/deque.h"
#include "workloads/contention/accounting.h"

struct contention;

/* What is timed. fill and drain return how many items moved: fewer than `max` only when the deque
 * is full, or empty; then *over is set. */
struct contention_loops {
    size_t (*fill)(struct team_member *, struct contention *, size_t max, bool *over);
    size_t (*fill_sampled)(struct team_member *, struct contention *, size_t max, bool *over);
    size_t (*drain)(struct team_member *, struct contention *, size_t max, bool *over);
    size_t (*drain_sampled)(struct team_member *, struct contention *, size_t max, bool *over);
    /* Owner: pushes one item and pops it a random moment later, `turns` times; counts them. */
    void (*duel)(struct team_member *, struct contention *, size_t turns);
    /* Thief: `count` attempts; counts their outcomes. */
    void (*attempt)(struct team_member *, struct contention *, size_t count);
    void (*attempt_batch)(struct team_member *, struct contention *, size_t count);
};
extern const struct contention_loops contention_loops; /* variants/contention_loops.c */

/* The part that is compiled for each deque: contention.c. */
extern const struct deque_traits contention_traits;
extern const size_t contention_item_bytes;
/* Owner: a fresh deque by contention->config, and items. Sets capacity. 0, or 3 when there is no memory. */
int contention_make(struct contention *);
/* Thief number me->number, before its first attempt: its own memory. 0, or 3. */
int contention_enter(struct team_member *, struct contention *);
/* Owner, after all stopped: takes out what is left, and fills in all but the counts of the threads. */
void contention_take_left(struct contention *, struct items_account *);
void contention_clear(struct contention *);

#define CONTENTION_SAMPLED(ONE)                                                                                        \
    ONE(SAMPLED_NONE, "none") ONE(SAMPLED_PUSH, "push") ONE(SAMPLED_POP, "pop") ONE(SAMPLED_STEAL, "steal")
enum contention_sampled { CONTENTION_SAMPLED(LIST_NAME) };

struct contention {
    struct team team;
    struct deque_config config;
    size_t capacity; /* deque_capacity */
    bool duel, batch;
    bool paced;       /* thieves wait between attempts */
    bool one_thief;   /* one thief at a time, of several */
    unsigned percent; /* of a batch */
    enum contention_sampled sampled;
    unsigned every; /* one operation of this many is sampled */
    struct cycles_facts cycles;
    struct latency latency; /* when sampled */
    unsigned thief_flags;   /* sample flags of the thieves' values */
};

extern const struct parameter contention_parameters[];

/* As struct workload has it. */
const char *contention_unsupported(const struct cell *);

/* Main thread, as struct workload has it. The struct begins as zeroes. */
int contention_run(struct contention *, const struct cell *);

/* Main thread, after a run: reports the counts of the windows that count, as samples (results/README.md). */
void contention_report(const struct contention *, unsigned repetition);
void contention_report_items(const struct contention *, const struct items_account *, unsigned repetition);
