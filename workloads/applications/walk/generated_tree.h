/* generated_tree.h: a tree of directories to walk.
 *
 * It has as many directories, files and symbolic links as the cell says; the same seed gives the same
 * tree. Each directory lies below an earlier one chosen at random; files and links lie in directories chosen at random.
 * Half of the links lead up (following them would never end), half lead nowhere.
 *
 * It lies below $TMPDIR/stealbench-inputs, or build/inputs where TMPDIR is not set, in a folder whose name says its
 * shape, and stays there for every later process. `make clean` removes build/inputs. It is made under another name and
 * renamed when it is complete and on disk.
 */
#pragma once

#include "harness/measuring/cell.h"
#include <limits.h>

#define PARAMETER_CACHE                                                                                                \
    PARAMETER_CHOICE("cache", "warm", "warm|cold",                                                                     \
                     "cold: the kernel drops its caches before each run (needs root, else denied)")

/* Main. The tree of the cell's directories, files and symlinks: writes where it is into path, and makes it unless it is
 * there. kind: what its folder's name begins with. fill: writes the content of file `number`, returns 0 or errno; NULL:
 * files are empty. 0; 3 it cannot be made. Says why on standard error. */
int tree_open(char path[PATH_MAX], const struct cell *, const char *kind,
              int (*fill)(const void *context, int file, uint32_t number), const void *context);

/* Main. The cell's repetitions, each once() and then report(). The first walk warms the caches and is not reported;
 * with cache=cold there is none, and the kernel drops its caches before each. once returns 0, or an exit code to end
 * with. */
int tree_repeat(const struct cell *, int (*once)(void *context),
                void (*report)(const void *context, unsigned repetition), void *context);
