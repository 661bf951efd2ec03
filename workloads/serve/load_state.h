/* load_state.h: what the parts of the load share: the rounds (load.c), the generator's thread (generator.c) and the
 * report of a round (told.c). */
#ifndef STEALBENCH_LOAD_STATE_H
#define STEALBENCH_LOAD_STATE_H

#include "harness/measuring/measure/latency.h"
#include "harness/measuring/threads/places.h"
#include "workloads/serve/load.h"
#include <pthread.h>
#include <stdatomic.h>

/* How a request of the rare class blocks its server. */
#define RARE_WAYS(ONE)                                                                                                 \
    ONE(RARE_WORK, "work")                                                                                             \
    ONE(RARE_SLEEP, "sleep")                                                                                           \
    ONE(RARE_LOCK, "lock")
enum rare_way { RARE_WAYS(LIST_NAME) };

/* The goal of find=: the highest load at which this quantile of the sojourn time stays below a limit. */
struct load_goal {
    unsigned quantile; /* of histogram_quantiles */
    double limit;      /* ns */
};

/* Of a round: from its start to the end of its last request, without the generator's own processor time. */
struct load_spent {
    double seconds, processor_seconds, switches;
};

struct load {
    const struct cell *cell;
    const struct load_server *server;
    double step;     /* ns of a step of work */
    double capacity; /* requests a second */
    enum rare_way rare_way;
    uint64_t rare_steps, rare_time; /* of work; ns */
    pthread_mutex_t rare_lock;
    uint64_t spin; /* ns before a deadline, from which on the generator does not sleep */
    unsigned away; /* percent of the time that another thread has the first server's processor */

    size_t count, room; /* of requests */
    unsigned parts;
    struct load_request *requests;
    uint32_t *steps; /* of each part of each */
    double nothing;  /* s that the round lasts if it has no requests */
    struct load_spent spent;
    _Atomic bool opened, failed, over;
    _Alignas(128) _Atomic uint64_t ended; /* requests */
};

/* generator.c. Main: threads of this round; all of them have ended when it returns. 0, or 3: no thread. */
int generator_start(struct load *, pthread_t threads[2]);

/* told.c */
struct told {
    struct latency all;        /* sojourn, time to wake, lateness */
    struct latency service;    /* from a request's first instruction to its last; a late generator does not change it */
    struct latency classes[2]; /* usual and rare requests, if there are rare ones */
};
bool told_open(struct told *, const struct load *);
void told_round(struct told *, const struct load *, unsigned repetition, double rate);
void told_close(struct told *);
/* That quantile of the round's sojourn times, ns; INFINITY: it has none. */
double told_quantile(const struct load *, unsigned quantile);

#endif
