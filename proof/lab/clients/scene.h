/* scene.h: the deques and items of a client, and operations whose answers are checked.
 *
 * The scene counts items outside the machine. Each item must come out as often as it went in, with its contents, and
 * none may be missing at the end. The contract must allow each answer: EMPTY only if nothing could be taken, LOST only
 * if another thread interfered, FULL only if there is no room.
 */
#ifndef STEALBENCH_LAB_SCENE_H
#define STEALBENCH_LAB_SCENE_H

#include "proof/lab/clients/operations.h"
#include "proof/lab/engine/machine.h"
#include <stdbool.h>
#include <stddef.h>

#define SCENE_DEQUES 3
#define SCENE_ITEMS 1200
#define SCENE_BATCH 512

/* A deque, and what is known about it from outside. */
struct place {
    struct deque *deque;
    size_t asked, capacity;    /* items; capacity as the deque tells, 0: no limit */
    unsigned owner;            /* the thread that pushes and pops */
    size_t pushed, taken;      /* items, by operations that are over */
    size_t settled;            /* of those pushed, how many any thread must see by now */
    uint64_t last_store;       /* how many stores its owner had issued after its last push */
    unsigned singles, batches; /* pops and steals under way, of one item and of any number */
    deque_ticket ticket;       /* the last ticket that its owner got for popped links; 0: none */
    unsigned spills;           /* how often it has handed items back */
};

/* Set-up, in the main thread. Makes deque number index, with the smallest capacity of at least this many items that the
 * deque accepts; owner is the thread that will push and pop. */
void scene_make_deque(unsigned index, size_t capacity, uint64_t first_index, unsigned owner);
struct place *scene_place(unsigned index);

/* Set-up, after the deques are made: pushes n new items into deque number index, fewer when it is full; returns how
 * many. Every set-up must call it, with n = 0 if it wants no items. */
size_t scene_fill(unsigned index, size_t n);

/* How many items thieves leave. A set-up adds this many, so that a thief finds something. scene_find_left tries it out,
 * because the traits' number is for the usual block size and clients use small blocks. */
size_t scene_left(void);
void scene_find_left(void); /* once, before the first client */

/* Operations of a thread, checked. The item, or NULL. */
bool scene_push(unsigned index);                   /* a new item */
bool scene_push_again(unsigned index, void *item); /* one that came out before, owned by this thread */
void *scene_pop(unsigned index);
void *scene_pop_from(unsigned index); /* of a deque that has operations.pop_from */
bool scene_push_at(unsigned index);   /* as scene_push, of a deque that has operations.push_at */
void *scene_pop_own(unsigned index);
enum deque_result scene_steal(unsigned victim,
                              unsigned thief); /* thief: the number of its own deque, if it needs one */
size_t scene_push_batch(unsigned index, size_t n);
size_t scene_push_reserved(unsigned index, size_t n); /* of a deque that has operations.push_reserved */
size_t scene_steal_batch(unsigned victim, unsigned thief, unsigned percent, size_t max);
bool scene_steal_into(unsigned victim, unsigned self);
void scene_poll(unsigned index);
void scene_size(unsigned index);  /* any thread */
void scene_spill(unsigned index); /* the owner of a deque that has operations.spill */

/* Intrusive deques. */
void scene_push_list(unsigned index, size_t n);
size_t scene_steal_list(unsigned victim, unsigned thief, unsigned percent);
/* The owner asks a few times whether its popped items may be used again. */
bool scene_reusable(unsigned index);
void scene_free(void *item);

/* After the threads: takes everything out in every way there is and checks that nothing is missing; destroys the deques
 * and checks that they free what they allocated. */
void scene_finish(void);
/* Takes everything out and returns how many items are missing. For stop: a stopped thread may hold items. */
size_t scene_missing(void);

/* What a client has to bring about. If that never happens, the client has checked nothing. */
enum scene_event {
    SCENE_STOLEN = 1,        /* a thief got an item */
    SCENE_STOLEN_BATCH = 2,  /* a thief got several at once */
    SCENE_STOLEN_AGAIN = 4,  /* a thief got an item that another had moved into its own deque */
    SCENE_FULL = 8,          /* a push found no room */
    SCENE_GREW = 16,         /* a push asked for memory and got it */
    SCENE_SPILLED = 32,      /* the owner was handed items back */
    SCENE_PUSHED_AGAIN = 64, /* an item went in that had come out */
    SCENE_POPPED_NONE = 128, /* the owner found the deque empty */
};
unsigned scene_events(void); /* since they were forgotten, in all runs */
void scene_forget_events(void);
const char *scene_event_text(enum scene_event);

/* The scene's own state, for snapshots. */
void scene_open(void);
/* Starts over as if the program had just been loaded: everything forgotten, then set_up by the main thread. roles as
 * for machine_name_roles. false: it failed, and machine.fault says why. */
bool scene_begin(const char *const *roles, uint64_t step_limit, void (*set_up)(void));
/* Whether answers are checked. stop turns this off: a stopped thread explains many answers. */
void scene_check_answers(bool);

/* Called at the beginning and the end of each operation of the deque, by the thread that makes it; or NULL. A batch
 * that moved something is DEQUE_OK. */
struct scene_observer {
    void (*begin)(unsigned thread);
    void (*end)(unsigned thread, enum deque_result);
};
void scene_observe(const struct scene_observer *);

/* Deque settings of this process, from the command line. */
extern unsigned scene_mode, scene_usual_block;

/* The options of the deque in a command that repeats the run: " --mode=VALUE", " --fences=pair", both or none. */
#define SCENE_OPTIONS_MAX 60
void scene_options(char *text, size_t size);
#define SCENE_BLOCK 2 /* the usual one where nothing is said */
/* Items of a block, where the deque has blocks: few, unless a set-up asks for more before it makes the deque. */
extern unsigned scene_block;

#endif
