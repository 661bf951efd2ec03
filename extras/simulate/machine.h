/* machine.h: the machine whose times are predicted. machines.tsv has the numbers, their ranges and their sources;
 * machines.py hands one set of them over in the environment, as whole numbers.
 */
#pragma once

#include <stdint.h>

#define MACHINE_THREADS_MAX 256

/* Times in picoseconds. */
struct machine_numbers {
    int64_t sockets, cores, group; /* cores: of a socket; group: of those that share their last cache */
    int64_t instruction;           /* of one, where nothing waits for memory */
    int64_t same_core, same_group, same_socket, other_socket; /* one way of a line, by compare-and-exchange */
    int64_t locked, fence, stay; /* an instruction with lock; a fence; the least stay of a line */
    int64_t branch;              /* one that was guessed wrongly */
    int64_t buffer, window;      /* stores that wait to retire; instructions that run on behind a missing load */
    int64_t migratory;           /* 1: a load takes a line that was written together with the right to write it */
    int64_t clock, pause;        /* a read of the clock; a pause instruction */
    int64_t yield, futex, wake;  /* system calls; from a wake-up to the sleeper's first instruction */
    int64_t barrier, barrier_alone,
        interrupt;          /* membarrier where threads run; where none does; what each of them loses */
    int64_t barrier_serial; /* 1: the kernel runs one at a time (Linux since 6.8) */
    int64_t hash;           /* SHA-1 of one block */
    int64_t work;           /* instructions for an access outside of a deque's operations, in tenths */
    int64_t call;           /* and for a function called there */
    int64_t seed;
};
extern struct machine_numbers machine;

/* Instructions of a deque's operations, in tenths (results/baseline/instructions-gcc.csv, scaled). */
enum operation {
    OPERATION_PUSH,
    OPERATION_POP,
    OPERATION_POP_EMPTY,
    OPERATION_STEAL,
    OPERATION_STEAL_EMPTY,
    OPERATION_ITEM, /* each further one of a batch */
    OPERATIONS
};
extern int64_t machine_instructions[OPERATIONS];

/* Once, first. Ends the process (exit 2) with a message when the environment holds no machine. */
void machine_read(void);

/* One way between two threads' processors, thread n on core n: socket after socket, and from the last core on the
 * siblings. Without jitter. */
struct machine_place {
    int16_t processor, socket, group;
};
extern struct machine_place machine_places[MACHINE_THREADS_MAX];
static inline int64_t machine_distance(unsigned a, unsigned b) {
    const struct machine_place *p = &machine_places[a], *q = &machine_places[b];
    return p->processor == q->processor ? machine.same_core
           : p->socket != q->socket     ? machine.other_socket
           : p->group != q->group       ? machine.same_socket
                                        : machine.same_group;
}
int64_t machine_least_distance(unsigned threads);
