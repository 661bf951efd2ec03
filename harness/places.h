/* places.h: which processor each role runs on, by hwloc.
 *
 *   compact   the cores next to each other, one thread a core, their SMT siblings only when cores run out
 *   scatter   as far from each other as the machine allows, sockets first
 *   none      wherever the system likes
 *   0+2+4     these processors (operating system's numbers), in the order of the roles
 */
#ifndef STEALBENCH_PLACES_H
#define STEALBENCH_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#define PLACES_MOST 1024

struct places {
    unsigned count;             /* threads asked for */
    int processor[PLACES_MOST]; /* operating system's number for each, -1: not bound */
    int got[PLACES_MOST];       /* what places_take read back, -1: not bound to one processor */
    bool oversubscribed;        /* more threads than processors: some share one */
    void *topology;
};

/* Main thread, before others start. 0; EINVAL with a message (512 bytes) that says what the machine has; ENOMEM.
 * synthetic: an hwloc synthetic description to plan for instead of this machine (binding is then refused), or NULL. */
int places_plan(struct places *, const char *placement, unsigned threads, const char *synthetic, char *message);

/* The calling thread takes place number thread, and reads back where it is. Returns the processor it is bound to, or
 * -1 when it is not bound to one. */
int places_take(struct places *, unsigned thread);

/* After every thread took its place: "owner:0;thief:1" with the processors they got ("any" where not bound). */
void places_text(const struct places *, const char *const *roles, char *text, size_t size);

void places_close(struct places *);

#endif
