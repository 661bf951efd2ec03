/* litmus.h: small instrumented programs, each testing one property of the lab's machine. The rows below, a thread each,
 * are read twice: here as declarations, by litmus.c as definitions, instrumented. x, y and flag are atomic and shared.
 */
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

/* Every read-modify-write of every size against plain arithmetic: how many answers were wrong. */
unsigned litmus_wrong_answers(void);

#endif

#ifndef LITMUS
#define LITMUS(name, ...) litmus_body name;
#endif

/* The formatter takes the statements of a row for one expression. */
/* clang-format off */

/* Store buffering: relaxed; with fences, asymmetric fences, seq_cst accesses, exchanges. (clang makes a plain store of an
 * exchange whose answer is not used.) */
LITMUS(sb_left, STORE(x, 1, RELAXED); read[0] = LOAD(y, RELAXED))
LITMUS(sb_right, STORE(y, 1, RELAXED); read[1] = LOAD(x, RELAXED))
LITMUS(sb_fenced_left, STORE(x, 1, RELAXED); FENCE(SEQ_CST); read[0] = LOAD(y, RELAXED))
LITMUS(sb_fenced_right, STORE(y, 1, RELAXED); FENCE(SEQ_CST); read[1] = LOAD(x, RELAXED))
LITMUS(sb_light_left, STORE(x, 1, RELAXED); atomic_signal_fence(SEQ_CST); read[0] = LOAD(y, RELAXED))
LITMUS(sb_heavy_right, STORE(y, 1, RELAXED); entry_heavy_fence(true); read[1] = LOAD(x, RELAXED))
LITMUS(sb_seq_cst_left, STORE(x, 1, SEQ_CST); read[0] = LOAD(y, SEQ_CST))
LITMUS(sb_seq_cst_right, STORE(y, 1, SEQ_CST); read[1] = LOAD(x, SEQ_CST))
LITMUS(sb_rmw_left, read[2] = EXCHANGE(x, 1, RELAXED); read[0] = LOAD(y, RELAXED))
LITMUS(sb_rmw_right, read[3] = EXCHANGE(y, 1, RELAXED); read[1] = LOAD(x, RELAXED))

/* Message passing, of a plain message: released; relaxed; with a relaxed store that ends the release sequence; fenced. */
LITMUS(mp_write, shared->message = 42; STORE(flag, 1, RELEASE))
LITMUS(mp_read, read[0] = LOAD(flag, ACQUIRE); if (read[0]) read[1] = shared->message)
LITMUS(mp_relaxed_write, shared->message = 42; STORE(flag, 1, RELAXED))
LITMUS(mp_broken_write, shared->message = 42; STORE(flag, 1, RELEASE); STORE(flag, 2, RELAXED))
LITMUS(mp_fenced_write, shared->message = 42; FENCE(RELEASE); STORE(flag, 1, RELAXED))
LITMUS(mp_fenced_read, read[0] = LOAD(flag, RELAXED); FENCE(ACQUIRE); if (read[0]) read[1] = shared->message)

/* Message passing, of an atomic message: relaxed; released; fenced; through another thread's fetch_add, by a release
 * sequence (the reader sees 2 after both writers, and the first was the release). */
LITMUS(mp_atomic_write, STORE(x, 1, RELAXED); STORE(y, 1, RELAXED))
LITMUS(mp_atomic_read, read[0] = LOAD(y, RELAXED); read[1] = LOAD(x, RELAXED))
LITMUS(mp_release_write, STORE(x, 1, RELAXED); STORE(y, 1, RELEASE))
LITMUS(mp_acquire_read, read[0] = LOAD(y, ACQUIRE); read[1] = LOAD(x, RELAXED))
LITMUS(mp_fence_between, STORE(x, 1, RELAXED); FENCE(RELEASE); STORE(y, 1, RELAXED))
LITMUS(mp_fence_after, read[0] = LOAD(y, RELAXED); FENCE(ACQUIRE); read[1] = LOAD(x, RELAXED))
LITMUS(mp_counted_write, ADD(y, 1))
LITMUS(mp_count, read[0] = LOAD(y, ACQUIRE) == 2; read[1] = LOAD(x, RELAXED))

/* Two stores to one object, which is read twice: backwards? forwards? */
LITMUS(coherence_write, STORE(x, 1, RELAXED); STORE(x, 2, RELAXED))
LITMUS(coherence_read, uint64_t first = LOAD(x, RELAXED); uint64_t second = LOAD(x, RELAXED);
       read[0] = second < first; read[1] = first == 0 && second == 2)

/* Two writers, and two readers: did a reader see one store without the other? */
LITMUS(iriw_x, STORE(x, 1, RELEASE))
LITMUS(iriw_y, STORE(y, 1, RELEASE))
LITMUS(iriw_seq_cst_x, STORE(x, 1, SEQ_CST))
LITMUS(iriw_seq_cst_y, STORE(y, 1, SEQ_CST))
LITMUS(iriw_left, uint64_t one = LOAD(x, ACQUIRE); read[0] = one == 1 && LOAD(y, ACQUIRE) == 0)
LITMUS(iriw_right, uint64_t one = LOAD(y, ACQUIRE); read[1] = one == 1 && LOAD(x, ACQUIRE) == 0)
LITMUS(iriw_seq_cst_left, uint64_t one = LOAD(x, SEQ_CST); read[0] = one == 1 && LOAD(y, SEQ_CST) == 0)
LITMUS(iriw_seq_cst_right, uint64_t one = LOAD(y, SEQ_CST); read[1] = one == 1 && LOAD(x, SEQ_CST) == 0)
LITMUS(iriw_fenced_left, uint64_t one = LOAD(x, RELAXED); FENCE(SEQ_CST); read[0] = one == 1 && LOAD(y, RELAXED) == 0)
LITMUS(iriw_fenced_right, uint64_t one = LOAD(y, RELAXED); FENCE(SEQ_CST); read[1] = one == 1 && LOAD(x, RELAXED) == 0)

/* Load buffering: never on this machine. */
LITMUS(lb_left, read[0] = LOAD(x, RELAXED); STORE(y, 1, RELAXED))
LITMUS(lb_right, read[1] = LOAD(y, RELAXED); STORE(x, 1, RELAXED))

/* A store and a load of seq_cst, or a fence between them; an exchange behind the load; whoever reads the exchange: does
 * it know of the first store? */
LITMUS(chain_left, STORE(x, 1, SEQ_CST); read[0] = LOAD(y, SEQ_CST) == 0)
LITMUS(chain_fenced, STORE(x, 1, RELAXED); FENCE(SEQ_CST); read[0] = LOAD(y, RELAXED) == 0)
LITMUS(chain_middle, read[2] = EXCHANGE(y, 1, SEQ_CST))
LITMUS(chain_acquire, uint64_t seen = LOAD(y, ACQUIRE); read[1] = seen == 1 && LOAD(x, SEQ_CST) == 0)
LITMUS(chain_seq_cst, uint64_t seen = LOAD(y, SEQ_CST); read[1] = seen == 1 && LOAD(x, SEQ_CST) == 0)

/* A thread sees its own store before others do. */
LITMUS(forward_left, STORE(x, 1, RELAXED); read[0] = LOAD(x, RELAXED) == 1 && LOAD(y, RELAXED) == 0)
LITMUS(forward_right, STORE(y, 1, RELAXED); read[1] = LOAD(y, RELAXED) == 1 && LOAD(x, RELAXED) == 0)

/* Plain accesses: increments of one field; two halves of a word; under a mutex; memcpy against a write. Two mutexes in two
 * orders. Atomic increments. */
LITMUS(race_left, shared->message++)
LITMUS(race_right, shared->message++)
LITMUS(neighbours_left, shared->left = 1)
LITMUS(neighbours_right, shared->right = 2)
LITMUS(locked_left, increment_locked())
LITMUS(locked_right, increment_locked())
LITMUS(copy_left, memcpy(shared->text, "store buffers hold stores; lines are", 36))
LITMUS(copy_right, shared->text[20] = 'x')
LITMUS(deadlock_left, lock_both(&shared->lock, &shared->other_lock))
LITMUS(deadlock_right, lock_both(&shared->other_lock, &shared->lock))
LITMUS(count_left, for (int i = 0; i < 3; i++) ADD(x, 1))
LITMUS(count_right, for (int i = 0; i < 3; i++) ADD(x, 1))

/* Memory: one frees what the other reads; freed twice; past the end; nowhere; a stack that overflows; a flag that nobody
 * sets. */
LITMUS(free_it, free(shared->cell))
LITMUS(use_it, read[0] = *shared->cell)
LITMUS(free_twice, uint64_t *cell = shared->cell; free(cell); free(shared->cell))
LITMUS(run_past_the_end, shared->cell[2 + LOAD(x, RELAXED)] = 1)
LITMUS(read_nowhere, read[0] = *(uint64_t *)(uintptr_t)(LOAD(x, RELAXED) + 8))
LITMUS(recurse_for_ever, read[0] = recurse(0))
LITMUS(wait_for_ever, while (LOAD(flag, ACQUIRE) == 0) continue)

#undef LITMUS
