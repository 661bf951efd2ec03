/* clients.h: the small programs that a deque has to survive under any schedule (the rows of proof/scenarios.h), and
 * functions to prepare one of them once and run it under many schedules. */
#pragma once

#include "proof/lab/engine/schedule.h"
#include <stdbool.h>
#include <stddef.h>

struct client {
    const char *name, *summary;
    bool on_request;       /* for the model checker: run only if named */
    bool (*applies)(void); /* does the client apply to this deque? */
    void (*set_up)(void);  /* runs in the main thread, alone */
    unsigned threads;
    void (*body[LAB_THREADS])(void); /* the owner first */
};

extern const struct client clients[];
extern const size_t client_count;

/* Runs the client's set-up and keeps the result. Returns false if it failed; machine.fault says why. */
bool run_prepare(const struct client *);

/* Runs the client that was prepared last, from its set-up, and checks what is left. Returns the worst fault, or one of
 * kind FAULT_NONE; valid until the next run. */
const struct fault *run_once(struct schedule *);

/* About how many accesses a run makes. */
uint64_t run_length(void);

/* Processor time of this process, in seconds. Only for time limits of searches: they find as much on a busy machine. */
double run_clock(void);

/* Clients that nobody wrote: programs made by chance of the words of the contract, or read from their text, which is a
 * row of proof/scenarios.h: "make(4,3);push(1),pop(2),steal(1),steal(2)" is the set-up, then what the owner, a thief
 * and a second thief do. */

/* A word that programs are made of, and who may say it. Defined beside the rows' words (clients.c). */
enum speaker {
    BY_OWNER = 1,
    BY_THIEF = 2,
    BY_MOVER = 4,  /* a thief that moves items into a deque of its own */
    BY_OTHER = 8,  /* a thief beside a mover */
    BY_VALUE = 16, /* an owner that pushes at places says none of these, any other owner none of those: */
    BY_PLACE = 32
};
struct word {
    const char *name;
    void (*say)(size_t n);
    bool (*applies)(void);
    unsigned by, weight;
};
extern const struct word words[];
extern const size_t word_count;

enum { SET_UP, PARTS = 4, SAYINGS = 6 };
struct program {
    size_t capacity, items, block;
    uint64_t first_index;
    unsigned threads;
    struct part {
        unsigned count;
        struct saying {
            const struct word *word;
            unsigned n;
        } saying[SAYINGS];
    } part[PARTS]; /* the set-up's, then each thread's */
};

/* The client that runs the current program. Its name is the program's text. */
extern struct client program_client;

void program_by_chance(uint64_t seed);
extern unsigned program_block;        /* items in a block of each; 0: different ones */
bool program_parse(const char *text); /* false: no program for this deque */
struct program program_now(void);
void program_set(const struct program *);
/* Makes the current program smaller, in the way of that number. Returns false if there are fewer ways. */
bool program_shrink(unsigned way);
