/* directory_make.h: generated trees on disk: made once, used again by every later process.
 *
 * They lie below $TMPDIR/stealbench-inputs, or build/inputs where TMPDIR is not set, in a folder whose name says
 * their shape. They stay there; `make clean` removes build/inputs. A tree is made under another name and renamed when
 * it is complete and on disk. The next process removes what a killed one left unfinished.
 */
#ifndef STEALBENCH_DIRECTORY_MAKE_H
#define STEALBENCH_DIRECTORY_MAKE_H

#include "harness/measuring/cell/parameters.h"
#include "workloads/applications/walk/directory_plan.h"
#include <limits.h>

/* Main. Makes the tree of this plan unless it is there, and writes where it is into path. 0; 3 when it cannot be made,
 * with a message (MESSAGE_SIZE). kind: what its folder's name begins with, "walk". */
int directory_make(const struct directory_plan *, const char *kind, char path[PATH_MAX], char *message);

/* Main. Removes a tree, however deep, the folder itself included. 0 or errno. */
int directory_remove(const char *path);

#endif
