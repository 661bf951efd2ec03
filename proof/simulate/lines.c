#include "proof/simulate/lines.h"
#include "harness/measuring/random.h"
#include <stdlib.h>
#include <string.h>

#define LINE_BITS 6
#define JITTER 8 /* a way takes its time more or less an eighth: without that, waiting loops go in step for ever */

/* The lines one after another, in the order of their first touch; and where the number of each stands among them. */
struct place {
    uintptr_t number; /* its address in lines, plus one; 0: unused */
    size_t at;
};
static struct line *lines;
static struct place *places;
static size_t room, used;
static uint64_t random_state;

static inline void put(uint64_t *set, unsigned thread) { set[thread / 64] |= UINT64_C(1) << thread % 64; }

static struct place *place_of(uintptr_t number) {
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
    while (places[at].number != 0 && places[at].number != number)
        at = (at + 1) & (room - 1);
    return &places[at];
}

static void grow(void) {
    struct place *old = places;
    const size_t old_room = room;
    room = room ? 2 * room : (size_t)1 << 14;
    places = calloc(room, sizeof *places);
    lines = realloc(lines, room / 2 * sizeof *lines);
    if (!places || !lines)
        abort();
    for (size_t i = 0; i < old_room; i++)
        if (old[i].number)
            *place_of(old[i].number) = old[i];
    free(old);
    if (old_room == 0)
        random_state = random_start((uint64_t)machine.seed, 0);
}

struct line *line_find(uintptr_t address, unsigned thread) {
    const uintptr_t number = (address >> LINE_BITS) + 1;
    if (used * 2 >= room)
        grow();
    struct place *place = place_of(number);
    if (place->number)
        return &lines[place->at];
    *place = (struct place){number, used++};
    struct line *line = &lines[place->at];
    *line = (struct line){.owner = (uint16_t)thread, .exclusive = true};
    put(line->holders, thread);
    return line;
}

/* The nearest of the holders that a read comes from; the farthest that a write has to reach. */
static int64_t distance_of(const struct line *line, unsigned thread, bool write) {
    if (line->exclusive)
        return machine_distance(line->owner, thread);
    int64_t distance = write ? machine.same_group : machine.other_socket;
    for (unsigned word = 0; word < LINE_WORDS; word++)
        for (uint64_t bits = line->holders[word]; bits; bits &= bits - 1) {
            const unsigned holder = word * 64 + (unsigned)__builtin_ctzll(bits);
            const int64_t this = holder == thread ? machine.same_group : machine_distance(holder, thread);
            if (write ? this > distance : this < distance)
                distance = this;
        }
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
