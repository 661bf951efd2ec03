/* sleep.h: the parts of sleep.c. */
#pragma once

#include "workloads/pool/pool.h"

/* While the word has this value; nanoseconds 0: for as long as it takes. May end early. */
void pool_word_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds);
void pool_word_wake(_Atomic uint32_t *word, int waiters);
void pool_sleep_open(struct pool *);
/* A worker counts as a searcher from its first failed round until it finds something or sleeps. While no worker sleeps,
 * searchers are not counted, except where an owner must answer thieves: so call pool_search_begin in every round. */
void pool_search_begin(struct pool_worker *);
void pool_search_end(struct pool_worker *);
/* A searcher that found nothing announces its sleep, looks once more, then sleeps or cancels. After either it searches
 * again. */
void pool_sleep_announce(struct pool_worker *);
void pool_sleep_cancel(struct pool_worker *);                /* does nothing after a cancel or a sleep */
void pool_sleep(struct pool_worker *, uint64_t nanoseconds); /* 0: for as long as it takes */
bool pool_is_asleep(const struct pool_worker *);             /* or about to be */
/* From now on the worker also sleeps for this child; call it before the sleep is announced. NULL: no longer. */
void pool_sleep_for(struct pool_worker *, struct pool_fork *);
/* Wakes the parent of a child that has returned; called if `parents` was not 0. The child's memory may be gone. */
__attribute__((cold)) void pool_wake_parent(struct pool *, const struct pool_fork *);
/* Called by a worker that has just pushed something that thieves can take, while `sleepers` was above 0. */
__attribute__((cold)) void pool_wake(struct pool_worker *);
/* Called by a worker that has just forked by place, while it watches: does what pool_pushed does, apart from that, and
 * no longer watches if there is no sleeper to be woken. */
void pool_watch(struct pool_worker *);
/* What a fork runs as a task: a thief runs it, or its parent out of turn. */
void pool_fork_run(struct pool_worker *, struct pool_task *);
/* Is it time to ask whether the run is over, after so many failed rounds? After the first one, then less and less
 * often. */
static inline bool pool_may_have_ended(unsigned failures) {
    return failures == 0 || (failures >= 16 && (failures & (failures - 1)) == 0) || failures % 1024 == 0;
}
/* A worker without work: is the run over? Finds out and tells the others. */
bool pool_ended(struct pool *);
void pool_end(struct pool *);
/* Rests after so many failed rounds. true: the worker may sleep instead. */
bool pool_rest(const struct pool_worker *, unsigned failures);
