/* directory_input.h: which tree an application walks: one that is there, given by path=, or a generated one.
 */
#ifndef STEALBENCH_DIRECTORY_INPUT_H
#define STEALBENCH_DIRECTORY_INPUT_H

#include "harness/measuring/cell/cell.h"
#include "workloads/applications/walk/directory_plan.h"
#include <limits.h>

/* The value of path= for a generated tree. */
#define GENERATED_TREE "generated"

/* Parameters of both applications; each has directories, files and symlinks, of a generated tree, with its own numbers.
 */
extern const struct parameter directory_input_parameters[];

struct directory_input {
    bool generated;
    char path[PATH_MAX];
    struct directory_plan plan; /* of a generated tree */
};

/* Main. Finds the tree, or makes it: kind begins its folder's name; bytes as in struct directory_shape.
 * 0; 2 no such directory; 3 it cannot be made, or no descriptor is left. Says why on standard error.
 */
int directory_input_open(struct directory_input *, const struct cell *, const char *kind, uint64_t bytes);
void directory_input_close(struct directory_input *);

/* Main. Lets the kernel drop what it has cached of files and directories. false: it does not allow that. */
bool file_caches_drop(void);

#endif
