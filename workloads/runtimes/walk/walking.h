/* walking.h: a tree of directories that any runtime can walk, one task a directory, read by the code that our workload
 * walk has (workloads/applications/walk/directory_walk.h), and the check of what was found. Knows no runtime. C
 * and C++.
 */
#ifndef STEALBENCH_WALKING_H
#define STEALBENCH_WALKING_H

#ifdef __cplusplus
extern "C" {
#endif
#include "harness/measuring/cell/cell.h"

extern const struct parameter walking_parameters[];
extern const struct parameter directory_input_parameters[]; /* directory_input.h, which is not for C++ */

struct walking;

/* Main. Finds the tree of the cell, or makes it. 0; 2, 3 said on standard error. */
int walking_open(struct walking **, const struct cell *, unsigned threads);
void walking_close(struct walking *);

/* Main, before each walk: nothing is counted yet. false: no memory. */
bool walking_prepare(void *walking);

/* Main. Where the walk begins: the first directory to visit, or its path for a runtime that reads directories itself.
 */
void *walking_root(struct walking *);
const char *walking_path(const struct walking *);

/* A thread of the runtime, its number from 0. Reads a directory, and returns the first of the directories in it, each
 * of which has to be visited once; NULL: there is none. */
void *walking_visit(struct walking *, unsigned thread, void *directory);

/* Any thread, before it lets that directory be visited: the next one beside it, or NULL. */
void *walking_next(const void *directory);

/* Main, after a walk by a runtime that reads directories itself: what it found, the root among the directories. */
void walking_found(struct walking *, uint64_t directories, uint64_t files, uint64_t symlinks);

/* Main, after a walk. Was everything found? Says what was not. */
bool walking_verify(void *walking);

/* Why that cell is not walked by a runtime, or NULL. */
const char *walking_unsupported(const struct cell *);

#ifdef __cplusplus
}
#endif
#endif
