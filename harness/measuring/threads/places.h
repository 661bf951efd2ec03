/* places.h: which processor each thread runs on and which node its memory lies on, by hwloc.
 *
 * Thread 0 is the owner, threads 1.. are thieves. `placement`:
 *   compact       the cores next to each other, one thread a core, their SMT siblings only when cores run out
 *   siblings      core by core, each with all its SMT threads: a socket is full before the other is used
 *   scatter       as far from each other as the machine allows, sockets first
 *   same-core     the thieves on the SMT siblings of the owner's core
 *   same-socket   the thieves on other cores of the owner's socket, one a core, then on the siblings of these
 *   cross-socket  the thieves on cores of the other sockets, one a core, then on the siblings of these
 *   none          wherever the system likes
 *   0+2+4         these processors (operating system's numbers), in the order of the roles
 *
 * With more threads than processors, compact, siblings, scatter and a list are oversubscribed; the three relations are
 * refused.
 *
 * `memory`, of the deque: owner (bound to the owner's node, where it lies by first touch), thief (bound to the first
 * thief's node), interleaved (page by page over all nodes).
 */
#ifndef STEALBENCH_PLACES_H
#define STEALBENCH_PLACES_H

#include "harness/measuring/cell/cell.h"
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#define PLACES_MAX 1024
#define PLACES_DENIED (-1)

/* Any thread. How many processors this process may use: what threads=all means. */
static inline unsigned places_processors(void) {
    cpu_set_t allowed;
    int processors = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
    return processors > 0 ? (unsigned)processors : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

struct places {
    unsigned count;             /* threads asked for */
    int processor[PLACES_MAX];  /* operating system's number for each, -1: not bound */
    int got[PLACES_MAX];        /* what places_take read back, -1: not bound to one processor */
    bool oversubscribed;        /* more threads than processors: some share one */
    unsigned cores, processors; /* that this process may use */
    void *topology;
    char nodes[64]; /* of the memory that places_note_memory was told of, "" when it was not */
};

/* Main thread, before others start: plans by the cell's placement, and checks its memory. 0; 2: no such placement; 3:
 * no memory; PLACES_DENIED: this machine has no such places, which is reported as a sample without a value, and the
 * workload returns 0. All are explained on standard error. */
int places_open(struct places *, const struct cell *, unsigned threads);

/* The same without a cell. 0; EINVAL: no such placement; ENODEV: this machine does not have it; both with a message
 * (512 bytes) that says what the machine has; ENOMEM. machine: another than this one to plan for (binding is then
 * refused): an XML file of lstopo's, or a synthetic description, "pack:2 [numa] core:32 pu:2"; or NULL. */
int places_plan(struct places *, const char *placement, unsigned threads, const char *machine, char *message);

/* Can that machine be planned for? Writes its hardware into text: "2 sockets, 64 cores, 128 processors (0-127)"; or
 * false, with a message. NULL: this one. */
bool places_machine(const char *machine, char *text, size_t size, char *message);
unsigned places_processors_of(const char *machine); /* 0: no such machine */

/* The processors in the order of the threads, runs of them joined: "0-31,64-95"; "any" where they are not bound. */
void places_list(const struct places *, char *text, size_t size);

/* The calling thread takes place number `thread`. Returns the processor it is then bound to, or -1 when it is not bound
 * to one. */
int places_take(struct places *, unsigned thread);

/* The thread that will allocate and fill the deque, after places_take: memory it touches from now on lies where the
 * cell's `memory` says. 0, or an errno with a message (512 bytes). ENODEV: there is no thief, or it is not bound;
 * others: the system refused. With one node there is nothing to do. */
int places_bind_memory(const struct places *, const char *memory, char *message);

/* The only thread of its process, after places_take: moves the pages it has touched so far to the node of its place, so
 * that first touch also holds for memory that malloc hands out again. Pages stay where the system does not let them be
 * moved. */
void places_bring_memory(const struct places *, unsigned thread);

/* Main thread: looks up the nodes of this memory, which must have been touched, for places_text: "0", "0+1", or
 * "unknown" where the system does not say. */
void places_note_memory(struct places *, const void *address, size_t bytes);

/* The nodes (operating system's numbers, "0", "0+1") that `memory` asks for, "any" when it leaves that open. 0, or
 * ENODEV with a message as above. Pure: also for synthetic machines. */
int places_memory_nodes(const struct places *, const char *memory, char *text, size_t size, char *message);

/* After every thread took its place: "owner:0;thief:1" with the processors they got ("any" where not bound), and
 * ";memory:0", the nodes of the noted memory. first: the role of thread 0; others: that of the rest, or NULL: w1, w2...
 */
void places_text(const struct places *, const char *first, const char *others, char *text, size_t size);

/* Main thread: the same as the cell's placement, once. */
void places_report(const struct places *, const struct cell *, const char *first, const char *others);

/* How the places of two bound threads are related. */
enum places_relation { PLACES_SAME_PROCESSOR, PLACES_SAME_CORE, PLACES_SAME_SOCKET, PLACES_CROSS_SOCKET };
enum places_relation places_relation(const struct places *, unsigned a, unsigned b);

/* The socket of a thread that is bound, from 0, as hwloc counts them. */
unsigned places_socket(const struct places *, unsigned thread);

void places_close(struct places *);

#endif
