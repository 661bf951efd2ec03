/* litmus.h: small instrumented programs, each with one thing to find out about the lab's machine. */
#ifndef STEALBENCH_TESTS_LAB_LITMUS_H
#define STEALBENCH_TESTS_LAB_LITMUS_H

#include <stdint.h>

/* Shared by all; in the lab's memory. */
struct shared;
struct shared *litmus_new(void);
extern struct shared *litmus_shared;

/* What the threads of a program read, in plain memory of the test. */
extern uint64_t litmus_read[4];

typedef void litmus_body(void);

litmus_body sb_left, sb_right;                 /* store buffering, relaxed */
litmus_body sb_fenced_left, sb_fenced_right;   /* with a seq_cst fence between store and load */
litmus_body sb_light_left, sb_heavy_right;     /* with the two asymmetric ones */
litmus_body sb_seq_cst_left, sb_seq_cst_right; /* with seq_cst stores and loads */
litmus_body sb_rmw_left, sb_rmw_right;         /* with exchanges for stores */
litmus_body mp_write, mp_read;                 /* message passing, release and acquire, plain message */
litmus_body mp_relaxed_write;                  /* the flag stored relaxed: nothing orders the message */
litmus_body mp_broken_write;                   /* a relaxed store behind the release store ends its sequence */
litmus_body mp_fenced_write, mp_fenced_read;   /* release and acquire fences around relaxed accesses */
litmus_body mp_atomic_write, mp_atomic_read;   /* two relaxed atomics: order of stores */
litmus_body mp_release_write, mp_acquire_read; /* the same, ordered */
litmus_body mp_fence_between, mp_fence_after;  /* the same, ordered by fences */
litmus_body mp_counted_write, mp_count;        /* ordered by a release sequence through another's fetch_add */
litmus_body coherence_write, coherence_read;   /* two stores to one object, read twice: whether backwards */
litmus_body iriw_x, iriw_y;                    /* two writers; two readers: whether they saw one without the other */
litmus_body iriw_left, iriw_right, iriw_fenced_left, iriw_fenced_right, iriw_seq_cst_left, iriw_seq_cst_right;
litmus_body iriw_seq_cst_x, iriw_seq_cst_y;
litmus_body chain_left, chain_middle;          /* a seq_cst store and load; an exchange behind the load */
litmus_body chain_fenced;                      /* chain_left with a fence in place of its orders */
litmus_body chain_acquire, chain_seq_cst;      /* whoever reads the exchange: does it know of the first store? */
litmus_body lb_left, lb_right;                 /* load buffering: never on this machine */
litmus_body forward_left, forward_right;       /* a thread sees its own store before others do */
litmus_body race_left, race_right;             /* plain increments of one field */
litmus_body neighbours_left, neighbours_right; /* plain writes to two halves of a word: no race */
litmus_body locked_left, locked_right;         /* plain increments under a mutex */
litmus_body deadlock_left, deadlock_right;     /* two mutexes in two orders */
litmus_body free_it, use_it;                   /* one frees what the other reads */
litmus_body free_twice, run_past_the_end, read_nowhere, recurse_for_ever;
litmus_body wait_for_ever;           /* for a flag that nobody sets */
litmus_body copy_left, copy_right;   /* memcpy races with a plain write */
litmus_body count_left, count_right; /* atomic increments */
litmus_body busy;                    /* a mix of accesses, for speed */

/* Every read-modify-write of every size against plain arithmetic: how many answers were wrong. */
unsigned litmus_wrong_answers(void);

#endif
