#include "extras/simulate/lines.h"
#include "harness/measuring/random.h"
#include <stdlib.h>
#include <string.h>

#define JITTER 8 /* a way takes its time more or less an eighth: without that, waiting loops go in step for ever */

#define LINES_MAX ((size_t)1 << 26)
#define OUTSIDE_MAX ((size_t)1 << 22)

/* The lines one after another, in the order of their first touch; and, of those outside of the workloads' memory, where
 * the number of each stands among them. Address space: what is not used takes no memory. */
struct place {
    uintptr_t number; /* its address in lines, plus one; 0: unused */
    struct line *line;
};
struct line *lines;
uint32_t *line_numbers;
static struct place *outside;
static size_t used;
static uint64_t random_state;

static inline void put(uint64_t *set, unsigned thread) { set[thread / 64] |= UINT64_C(1) << thread % 64; }

static struct place *place_of(uintptr_t number) {
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) % OUTSIDE_MAX;
    while (outside[at].number != 0 && outside[at].number != number)
        at = (at + 1) % OUTSIDE_MAX;
    return &outside[at];
}

/* Threads by how far they are from one: on its processor, in its group, in its socket. */
enum how_far { PROCESSOR, GROUP, SOCKET, HOW_FAR };
static uint64_t within[MACHINE_THREADS_MAX][HOW_FAR][LINE_WORDS];

void lines_start(void) {
    random_state = random_start((uint64_t)machine.seed, 0);
    lines = memory_reserve(NULL, LINES_MAX * sizeof *lines);
    outside = memory_reserve(NULL, OUTSIDE_MAX * sizeof *outside);
    line_numbers = memory_reserve(NULL, (MEMORY_BYTES >> LINE_BITS) * sizeof *line_numbers);
    for (unsigned a = 0; a < MACHINE_THREADS_MAX; a++)
        for (unsigned b = 0; b < MACHINE_THREADS_MAX; b++) {
            const struct machine_place *p = &machine_places[a], *q = &machine_places[b];
            if (p->processor == q->processor)
                put(within[a][PROCESSOR], b);
            if (p->socket == q->socket && p->group == q->group)
                put(within[a][GROUP], b);
            if (p->socket == q->socket)
                put(within[a][SOCKET], b);
        }
}

static struct line *line_new(unsigned thread) {
    if (used == LINES_MAX)
        abort();
    struct line *line = &lines[used++];
    line->owner = (uint16_t)thread;
    line->exclusive = true;
    put(line->holders, thread);
    return line;
}

struct line *line_find_slowly(uintptr_t address, unsigned thread) {
    if (address - MEMORY_BASE < MEMORY_BYTES) {
        struct line *line = line_new(thread);
        line_numbers[(address - MEMORY_BASE) >> LINE_BITS] = (uint32_t)used;
        return line;
    }
    struct place *place = place_of((address >> LINE_BITS) + 1);
    if (!place->number)
        *place = (struct place){(address >> LINE_BITS) + 1, line_new(thread)};
    return place->line;
}

/* The nearest of the holders that a read comes from; the farthest that a write has to reach. */
static int64_t distance_of(const struct line *line, unsigned thread, bool write) {
    if (line->exclusive)
        return machine_distance(line->owner, thread);
    const int64_t ways[] = {machine.same_core, machine.same_group, machine.same_socket, machine.other_socket};
    uint64_t some[HOW_FAR + 1] = {0};
    for (unsigned word = 0; word < LINE_WORDS; word++) {
        uint64_t left = line->holders[word];
        if (word == thread / 64) { /* itself */
            some[GROUP] |= left & UINT64_C(1) << thread % 64;
            left &= ~(UINT64_C(1) << thread % 64);
        }
        for (enum how_far far = PROCESSOR; far < HOW_FAR; far++) {
            some[far] |= left & within[thread][far][word];
            left &= ~within[thread][far][word];
        }
        some[HOW_FAR] |= left;
    }
    int64_t distance = write ? machine.same_group : machine.other_socket;
    for (unsigned far = 0; far <= HOW_FAR; far++)
        if (some[far] && (write ? ways[far] > distance : ways[far] < distance))
            distance = ways[far];
    return distance;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t line_move(struct line *line, unsigned thread, int64_t time, int64_t now, bool write, int64_t *leaves) {
    int64_t distance = distance_of(line, thread, write);
    distance += distance / JITTER * ((int64_t)random_below(&random_state, 257) - 128) / 128;
    const bool takes = write || (line->exclusive && line->written && machine.migratory);
    int64_t leave = larger(time + distance / 2, now);
    /* The next transfer of a line starts when its directory knows that the last one is over: so two threads that hand a
     * line to and fro need a whole way each time, which is how distances are measured. */
    if (takes || line->exclusive)
        leave = larger(leave, line->arrives + distance / 2 + machine.stay);
    else
        leave = larger(leave, line->shared_since);
    const int64_t arrive = leave + distance / 2;
    *leaves = leave;
    if (takes || line->exclusive) {
        memcpy(line->before, line->holders, sizeof line->before);
        line->left = leave;
        line->left_exclusive = line->exclusive;
    }
    if (takes) {
        memset(line->holders, 0, sizeof line->holders);
        line->exclusive = true;
        line->owner = (uint16_t)thread;
        line->written = false;
    } else if (line->exclusive) {
        line->exclusive = false;
        line->shared_since = leave;
    }
    put(line->holders, thread);
    line->arrives = larger(line->arrives, arrive);
    return arrive;
}
