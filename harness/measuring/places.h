/* places.h: decides which processor each thread runs on and which node its memory lies on, by hwloc.
 *
 * Thread 0 is the owner, threads 1.. are thieves. `placement`:
 *   compact       the cores next to each other, one thread a core, their SMT siblings only when cores run out
 *   siblings      core by core, each with all its SMT threads: a socket is full before the other is used
 *   scatter       as far from each other as the machine allows, sockets first
 *   same-core     the thieves on the SMT siblings of the owner's core
 *   same-socket   the thieves on other cores of the owner's socket, one a core, then on the siblings of these
 *   cross-socket  the thieves on cores of the other sockets, one a core, then on the siblings of these
 *   mixed         as compact, also over cores of several kinds
 *   none          wherever the system puts them
 *   0+2+4         these processors (operating system's numbers), in the order of the roles
 *
 * On a processor with several kinds of cores all but mixed, none and a list take only the fastest kind, so the threads
 * of a cell are alike; threads=all means those, too. With more threads than processors, compact, siblings, scatter and
 * a list are oversubscribed; the three relations are refused.
 *
 * `memory` says where the deque's memory lies: owner (bound to the owner's node, as first touch also does), thief
 * (bound to the first thief's node), interleaved (page by page over all nodes).
 */
#pragma once

#include "harness/measuring/cell.h"
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#define PLACES_MAX 1024
#define PLACES_DENIED (-1)

/* Main thread, instead of hwloc_topology_init: an hwloc_topology_t of processors and memory only; or NULL. */
void *processors_only(void);

/* Any thread. How many processors this process may use; threads=all means this number. */
static inline unsigned places_processors(void) {
    cpu_set_t allowed;
    int processors = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
    return processors > 0 ? (unsigned)processors : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

struct places {
    unsigned count;            /* threads requested */
    int processor[PLACES_MAX]; /* by thread: the operating system's number; -1: not bound */
    int got[PLACES_MAX];       /* by thread: what places_take read back; -1: not bound to one processor */
    bool oversubscribed;       /* more threads than processors: some share one */
    unsigned processors;       /* that this process may use, of the kind used */
    void *topology;
    char nodes[64]; /* nodes of the memory passed to places_note_memory, or "" */
};

/* Main thread, before others start. Plans the cell's placement, and checks its memory. Returns 0; 2: no such placement;
 * 3: no memory; PLACES_DENIED: this machine has no such places. PLACES_DENIED is reported as a sample without a value,
 * and the workload returns 0. A message on standard error explains each. */
int places_open(struct places *, const struct cell *, unsigned threads);

/* The same without a cell. Returns 0; EINVAL: no such placement; ENODEV: this machine does not have it (both with a
 * message of 512 bytes that says what the machine has); ENOMEM. machine: plan for another machine (then binding is
 * refused): an XML file from lstopo, or a synthetic description, "pack:2 [numa] core:32 pu:2"; NULL: this machine. */
int places_plan(struct places *, const char *placement, unsigned threads, const char *machine, char *message);

/* Of a machine that can be planned for. */
struct places_facts {
    char hardware[256];           /* "2 sockets, 64 cores, 128 processors (0-127)" */
    char kinds[256];              /* of its cores (kinds_text) */
    unsigned sockets, processors; /* processors of the fastest kind */
    uint64_t memory;              /* bytes; 0: a description that does not tell */
};

/* machine as above. Returns false, with a message, if there is no such machine. */
bool places_find_facts(const char *machine, struct places_facts *, char *message);

/* The kinds of cores of an hwloc_topology_t: "IntelCore 0-15, IntelAtom 16-31", the fastest first; "" if all are alike.
 */
void kinds_text(void *topology, char *text, size_t size);

/* The processors in the order of the threads, consecutive ones joined: "0-31,64-95"; "any" if they are not bound. */
void places_list(const struct places *, char *text, size_t size);

/* The calling thread takes place number `thread`. Returns the processor to which it is bound, or -1 if it is not bound
 * to one. */
int places_take(struct places *, unsigned thread);

/* Call in the thread that will allocate and fill the deque, after places_take. Memory that it touches from now on lies
 * where the cell's `memory` says. false: there is no thief, or it is not bound, or the system refuses (says so). With
 * one node there is nothing to do. */
bool places_bind_memory(const struct places *, const char *memory);

/* Call in the only thread of its process, after places_take. Moves the pages it has touched so far to the node of its
 * place, so that first touch also holds for memory that malloc hands out again. Pages that the system does not move
 * stay. */
void places_bring_memory(const struct places *, unsigned thread);

/* Main thread: looks up the nodes of this memory, which must have been touched, for places_text: "0", "0+1", or
 * "unknown" if the system does not say. */
void places_note_memory(struct places *, const void *address, size_t bytes);

/* The nodes (operating system's numbers, "0", "0+1") that `memory` asks for, or "any". Returns 0, or ENODEV with a
 * message as above. Changes nothing, so it also works for synthetic machines. */
int places_memory_nodes(const struct places *, const char *memory, char *text, size_t size, char *message);

/* Call after every thread took its place. Writes "owner:0;thief:1" with the processors they got ("any" if not bound),
 * and ";memory:0" with the nodes of the noted memory. first: the role of thread 0; others: the role of the rest; NULL:
 * they are w1, w2... */
void places_text(const struct places *, const char *first, const char *others, char *text, size_t size);

/* Main thread: reports that text as the cell's placement, once. Does nothing for a check. */
void places_report(const struct places *, const struct cell *, const char *first, const char *others);

void places_close(struct places *);
