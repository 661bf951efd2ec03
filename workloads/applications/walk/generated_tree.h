/* generated_tree.h: which tree an application walks: one that is there, given by path=, or a generated one.
 *
 * A generated tree has as many directories, files and symbolic links as the cell says; the same seed gives the same
 * tree. Each directory lies below an earlier one chosen at random; files and links lie in directories chosen at random.
 * Half of the links lead up (following them would never end), half lead nowhere.
 *
 * It lies below $TMPDIR/stealbench-inputs, or build/inputs where TMPDIR is not set, in a folder whose name says its
 * shape, and stays there for every later process. `make clean` removes build/inputs. It is made under another name and
 * renamed when it is complete and on disk.
 */
#ifndef STEALBENCH_GENERATED_TREE_H
#define STEALBENCH_GENERATED_TREE_H

#include "harness/measuring/cell.h"
#include <limits.h>

/* Parameters of both applications; each has directories, files and symlinks, of a generated tree, with its own numbers.
 */
extern const struct parameter tree_parameters[];

/* Is the cell's tree a generated one? */
bool tree_is_generated(const struct cell *);

/* Main. Writes where the cell's tree is into path; a generated one is made unless it is there. kind: what its folder's
 * name begins with. fill: writes the content of file `number`, returns 0 or errno; NULL: files are empty.
 * 0; 2 no such directory; 3 it cannot be made, or no descriptor is left. Says why on standard error. */
int tree_open(char path[PATH_MAX], const struct cell *, const char *kind,
              int (*fill)(const void *context, int file, uint32_t number), const void *context);

/* Main. Lets the kernel drop what it has cached of files and directories. false: it does not allow that. */
bool file_caches_drop(void);

#endif
