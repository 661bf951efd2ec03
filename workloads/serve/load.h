/* load.h: an open load. Requests arrive from outside at times that were fixed beforehand, whether or not the server
 * keeps up. A request's time runs from when it was due, so a generator that comes late makes no request look faster (no
 * coordinated omission); how late it came is reported beside.
 *
 * Nothing here knows who serves: our pool (serve.c) and other runtimes (workloads/runtimes/serve.h) are driven alike.
 * The time of arrival is noted outside, in the generator's thread; begin and end are noted inside, by whoever serves.
 */
#ifndef STEALBENCH_LOAD_H
#define STEALBENCH_LOAD_H

#ifdef __cplusplus
extern "C" {
#endif
#include "harness/measuring/cell/cell.h"
#include "harness/measuring/threads/places.h"

/* Parameters of the load; every server has them. */
extern const struct parameter load_parameters[];

struct load_request {
    uint64_t due, given, began, ended; /* ns: should arrive, did arrive, first and last instruction */
    bool found_idle;                   /* nothing was under way when it arrived */
    bool rare;                         /* of the class that blocks its server */
};

struct load;

/* The server. All functions get `context`. */
struct load_server {
    void *context;
    struct places *places; /* of the serving threads and, last, the generator; opened before any thread is bound */
    unsigned threads;      /* that serve; for the capacity's first guess */
    unsigned parts;        /* of a request, each with a cost of its own */
    bool (*prepare)(void *context, struct load *, size_t requests); /* main, before a round; NULL. false: no memory */
    void (*attach)(void *context, bool attached);                   /* generator, first of all and last of all; NULL */
    /* Main, a round: serves until `close` was called, then returns an exit code. NULL: the runtime has threads of its
     * own for that. It calls load_opened once it serves. */
    int (*serve)(void *context);
    bool (*submit)(void *context, size_t request); /* generator. false: no memory */
    void (*close)(void *context);                  /* generator, when all requests have ended; NULL */
    /* Main, after a measured round: reports the server's own values; NULL */
    void (*report)(void *context, unsigned repetition);
};

/* Main. Measures the capacity, then a repetition after the other, and reports them. 0; what `serve` returned; 3. */
int load_measure(const struct cell *, const struct load_server *);

/* NULL, or why these settings are impossible (struct workload). */
const char *load_unsupported(const struct cell *);

/* Called by servers. */
void load_opened(struct load *);
void load_begin(struct load *, size_t request); /* before its first instruction */
void load_end(struct load *, size_t request);   /* after its last; by any thread */
/* Works for a part of a request; `percent` of it. Of a rare request part 0 blocks instead. */
void load_work(struct load *, size_t request, unsigned part, unsigned percent);
/* Serves a request without parts: all of the above. Other runtimes call this from their task. */
void load_serve(struct load *, size_t request);

#ifdef __cplusplus
}
#endif
#endif
