/* pool_check.h: declarations that the parts of the pool's check share. */
#pragma once

#include "harness/measuring/random.h"
#include "proof/checks/verdict.h"
#include "workloads/pool/state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sanitizer is slow and checks every access anyway, so a fifth of the cycles is enough; even fewer where the work
 * grows faster than its number, as with fib's forks. */
#define SANITIZED(plain, sanitized) (CHECK_SANITIZED ? (sanitized) : (plain))
#define SHARE(number) SANITIZED(number, (number) / 5)

#define CHECK_TEXT 256 /* room for a cell's settings as text */

/* pool_work.c. Opens a pool for a cell such as "threads=4;steal=half". NULL: the pool does not support it. Only one
 * pool is open at a time. */
struct pool *check_pool_open(uint64_t seed, const char *text, const struct pool_settings *);
void check_run(struct pool *, struct pool_task *const *tasks, size_t count); /* a step, which has to succeed */
void check_nobody_sleeps(const struct pool *);                               /* call between two runs */
void check_trees(uint64_t seed, const char *text, unsigned rounds, unsigned max);
void check_forks(uint64_t seed, const char *text, unsigned n, unsigned depth);
void check_failures(uint64_t seed, unsigned tasks); /* for a run whose memory runs out */

/* ../pool_places.c, in a worker */
void check_places(struct pool_worker *, unsigned depth);

/* pool_scenes.c. share: of the cycles */
void check_scenes(uint64_t seed, double share);
