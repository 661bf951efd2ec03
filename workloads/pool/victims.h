/* victims.h: which victim an idle worker steals from. */
#ifndef STEALBENCH_POOL_VICTIMS_H
#define STEALBENCH_POOL_VICTIMS_H

#include "workloads/pool/pool.h"

bool pool_victims_open(struct pool_worker *); /* false: no memory */
void pool_victims_close(struct pool_worker *);
/* Thief. The i-th victim of a round, i from 0 to threads - 2; NULL: by its policy nobody is left to rob. */
struct pool_worker *pool_victim(struct pool_worker *, unsigned i);
/* Could a thief find something, with whomever? */
bool pool_work_in_sight(const struct pool *);

#endif
