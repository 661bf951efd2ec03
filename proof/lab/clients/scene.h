/* scene.h: the deques and items of a client, and operations whose answers are checked.
 *
 * The scene counts items outside the machine. Each item must come out as often as it went in, with its contents, and
 * none may be missing at the end. The contract must allow each answer: EMPTY only if nothing could be taken, LOST only
 * if another thread interfered, FULL only if there is no room.
 */
#pragma once

#include "proof/lab/clients/operations.h"
#include "proof/lab/engine/machine.h"
#include <stdbool.h>
#include <stddef.h>

#define SCENE_DEQUES 3
#define SCENE_ITEMS 1200
#define SCENE_BATCH 512 /* items that come out at once */
#define SCENE_PUSHED 64 /* that go in at once */
#define SCENE_POPPED 4

/* A deque, and what is known about it from outside. */
struct place {
    struct deque *deque;
    size_t asked, capacity;     /* asked: items; capacity: as the deque says, 0: no limit */
    unsigned owner;             /* thread that pushes and pops */
    size_t pushed, taken;       /* numbers of items, by finished operations */
    size_t settled;             /* how many of the pushed items every thread must see by now */
    uint64_t last_store;        /* number of stores that the owner had issued after its last push */
    unsigned singles, batches;  /* pops and steals in progress, of one item and of any number */
    deque_ticket ticket;        /* the last ticket that the owner got for popped links; 0: none */
    unsigned spills;            /* how often the deque has handed items back */
    void *popped[SCENE_POPPED]; /* by the owner, and not used again: the last ones */
    unsigned popped_count;
};

/* Set-up, in the main thread. Makes deque number index with the smallest capacity that the deque accepts and that holds
 * this many items. owner: the thread that will push and pop. */
void scene_make_deque(unsigned index, size_t capacity, uint64_t first_index, unsigned owner);
struct place *scene_place(unsigned index);

/* Set-up, after the deques are made. Pushes n new items into deque number index, or fewer if it is full; returns how
 * many. Every set-up must call it, with n = 0 if it needs no items. */
size_t scene_fill(unsigned index, size_t n);

/* How many items thieves leave. A set-up adds this many, so that a thief finds something. scene_find_left measures the
 * number, because the traits' number is for the usual block size and clients use small blocks. */
extern size_t scene_left;
void scene_find_left(void); /* call once, before the first client */

/* Operations of a thread, checked. They return the item, or NULL. */
bool scene_push(unsigned index);                   /* a new item */
bool scene_push_again(unsigned index, void *item); /* an item that came out before, owned by this thread */
void *scene_pop(unsigned index);
void *scene_pop_by(unsigned index, const char *form, enum deque_result (*pop)(struct deque *, void **));
bool scene_push_by(unsigned index, enum deque_result (*push)(struct deque *, void *));
void *scene_steal(unsigned victim, unsigned thief); /* thief: the number of its own deque, if it needs one */
/* Pushes n new items, at most SCENE_PUSHED, by one of the forms that take an array. */
void scene_push_several(unsigned index, size_t n, const char *form,
                        size_t (*pushes)(struct deque *, void *const *items, size_t n));
size_t scene_steal_batch(unsigned victim, unsigned thief, unsigned percent, size_t max);
bool scene_steal_into(unsigned victim, unsigned self);
void scene_poll(unsigned index);
void scene_size(unsigned index);  /* any thread */
void scene_spill(unsigned index); /* owner of a deque that has operations.spill */

/* Intrusive deques. */
size_t scene_steal_list(unsigned victim, unsigned thief, unsigned percent);
/* The owner of deque 0 asks a few times whether its popped items may be used again. If so, it pushes up to n of them,
 * first popped first, or frees them. */
void scene_reuse_popped(size_t n, bool push);

/* After the threads. Takes everything out in every way there is and checks that nothing is missing. Destroys the deques
 * and checks that they free their memory. */
void scene_finish(void);
/* Takes everything out and returns how many items are missing; their names are in names. */
size_t scene_missing(char *names, size_t size);

/* A thief got an item since this was set to false. If that never happens, a client has checked nothing. */
extern bool scene_stolen;

/* The scene's own state, for snapshots. */
void scene_open(void);
/* Starts over as if the program had just been loaded: forgets everything, then the main thread runs set_up.
 * Returns false if it failed; machine.fault says why. */
bool scene_begin(uint64_t step_limit, void (*set_up)(void));
/* Whether to check answers. stop turns this off, because a stopped thread explains many answers. */
extern bool scene_checks_answers;

/* Functions called at the beginning and end of each operation, by the thread that makes it; or NULL. A batch that moved
 * something is DEQUE_OK. */
extern void (*scene_begins)(void), (*scene_ends)(enum deque_result);

/* Settings of the deque in this process, from the command line. */
extern unsigned scene_mode, scene_usual_block;

/* The deque's options in a command that repeats the run: " --mode=VALUE", " --fences=pair", or none of them. */
const char *scene_options(void);
#define SCENE_BLOCK 2 /* the default */
/* Items per block, for deques with blocks: few, unless a set-up sets more before it makes the deque. */
extern unsigned scene_block;
