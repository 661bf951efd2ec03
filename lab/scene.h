/* scene.h: what a client works with: deques, items, and operations whose answers are checked.
 *
 * Items are accounted for outside of the machine: each must come out as often as it went in, with its contents, and
 * none may be missing at the end. An answer must be one that the contract allows: EMPTY only when nothing could be
 * taken, LOST only when another thread was there, FULL only without room.
 */
#ifndef STEALBENCH_LAB_SCENE_H
#define STEALBENCH_LAB_SCENE_H

#include "lab/machine.h"
#include "lab/operations.h"
#include <stdbool.h>
#include <stddef.h>

#define SCENE_DEQUES 3
#define SCENE_ITEMS 1200
#define SCENE_BATCH 512

/* A deque and what is known of it from outside. */
struct place {
    struct deque *deque;
    size_t asked, capacity;    /* items; capacity as the deque tells, 0: no limit */
    unsigned owner;            /* the thread that pushes and pops */
    size_t pushed, taken;      /* items, by operations that are over */
    size_t settled;            /* of those pushed, how many any thread must see by now */
    uint64_t last_store;       /* how many stores its owner had issued after its last push */
    unsigned singles, batches; /* takes under way, of one item and of any number */
    deque_ticket ticket;       /* the last that its owner was given for popped links; 0: none */
    unsigned spills;           /* how often it has handed items back */
};

/* Set-up, in the main thread. Makes deque number index with a capacity of at least so many items, the nearest that the
 * deque accepts; owner is the thread that will push and pop. */
void scene_make_deque(unsigned index, size_t capacity, uint64_t first_index, unsigned owner);
struct place *scene_place(unsigned index);

/* Set-up, after all deques are made, and in every set-up: n new items, or none, into deque number index, fewer when it
 * is full; returns how many. */
size_t scene_fill(unsigned index, size_t n);

/* Items that thieves leave: what a set-up adds so that a thief finds something. Found out by trying, once, in a deque
 * as small as the clients': what the traits say holds for the deque's own block size. */
size_t scene_left(void);
void scene_find_left(void); /* once, before the first client */

/* Operations of a thread, checked. The item, or NULL. */
bool scene_push(unsigned index);                   /* a new item */
bool scene_push_again(unsigned index, void *item); /* one that came out before, owned by this thread */
void *scene_pop(unsigned index);
enum deque_result scene_steal(unsigned victim, int self, void **item); /* self: the thief's own deque, or -1 */
size_t scene_push_batch(unsigned index, size_t n);
size_t scene_steal_batch(unsigned victim, int self, unsigned percent, size_t max);
bool scene_steal_into(unsigned victim, unsigned self);
void scene_poll(unsigned index);
void scene_size(unsigned index);  /* any thread */
void scene_spill(unsigned index); /* the owner of a deque that has operations.spill */

/* Intrusive deques. */
void scene_push_list(unsigned index, size_t n);
size_t scene_steal_list(unsigned victim, int self, unsigned percent);
/* The owner's popped items: asks a few times whether they may be used again; false when they may not yet. */
bool scene_reusable(unsigned index);
void scene_free(void *item);

/* Thieves take turns at a deque that allows one at a time; nothing otherwise. */
void scene_begin_turn(unsigned victim);
void scene_end_turn(unsigned victim);

/* After the threads: takes out everything, by all means there are, and checks that nothing is missing; destroys the
 * deques, and checks that they give back what they allocated. */
void scene_finish(void);
/* Stops tolerate what a stopped thread holds. Takes out everything; how many items are missing. */
size_t scene_missing(void);

/* The scene's own state, for snapshots. */
void scene_open(void);
void scene_clear(void);
/* Begins anew, as the program was loaded: everything forgotten, then set_up by the main thread. roles as of
 * machine_name_roles. false: machine.fault says why not. */
bool scene_begin(const char *const *roles, uint64_t step_limit, void (*set_up)(void));
/* Is the rule about answers checked? Off for stop, where a stopped thread explains many. */
void scene_check_answers(bool);

/* Told at the beginning and at the end of each operation of the deque, within the thread that makes it; NULL: nobody.
 */
struct scene_observer {
    void (*begin)(unsigned thread);
    void (*end)(unsigned thread);
};
void scene_observe(const struct scene_observer *);

/* Deque settings of this process, from the command line. */
extern unsigned scene_mode;

#endif
