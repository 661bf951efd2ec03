/* directory_input.h: which tree an application walks: one that is there, given by path=, or a generated one.
 */
#ifndef STEALBENCH_DIRECTORY_INPUT_H
#define STEALBENCH_DIRECTORY_INPUT_H

#include "harness/cell.h"
#include "workloads/inputs/directory_plan.h"
#include <limits.h>

/* What path= says when a tree is to be generated. */
#define GENERATED_TREE "generated"

/* Parameters of both applications, but the numbers that differ. */
#define DIRECTORY_INPUT_PARAMETERS(default_directories, default_files, default_symlinks)                                 \
    {"path",                                                                                                             \
     PARAMETER_TEXT,                                                                                                     \
     GENERATED_TREE,                                                                                                     \
     0,                                                                                                                  \
     0,                                                                                                                  \
     NULL,                                                                                                               \
     "",                                                                                                                 \
     "a directory, or generated: a tree of the numbers below, made once in $TMPDIR or build/inputs and kept there"},     \
        {"directories", PARAMETER_INTEGER, default_directories, 1, 1 << 24, NULL, "directories", "of a generated tree"}, \
        {"files", PARAMETER_INTEGER, default_files, 0, 1 << 26, NULL, "files", "of a generated tree"},                   \
        {"symlinks", PARAMETER_INTEGER, default_symlinks, 0, 1 << 24, NULL, "links", "of a generated tree"},             \
        {"depth",       PARAMETER_INTEGER,                                                                               \
         "1",           1,                                                                                               \
         1 << 24,       NULL,                                                                                            \
         "directories", "a generated tree begins with a chain of so many directories"},                                  \
        {"fan_out",     PARAMETER_INTEGER,                                                                               \
         "32",          1,                                                                                               \
         1 << 24,       NULL,                                                                                            \
         "directories", "directories that lie in one, at most, in a generated tree"},                                    \
        {"cache", PARAMETER_CHOICE,                                                                                      \
         "warm",  0,                                                                                                     \
         0,       "warm|cold",                                                                                           \
         "",      "cold: the kernel drops its caches before each run (needs root, else denied)"},                        \
    {                                                                                                                    \
        "held", PARAMETER_INTEGER, "4096", 0, 1 << 20, NULL, "descriptors",                                              \
            "directories kept open for what lies in them; beyond that they are opened again by their path"               \
    }

struct directory_input {
    bool generated;
    char path[PATH_MAX];
    struct directory_plan plan; /* of a generated tree */
};

/* Main. Finds the tree, or makes it: kind begins its folder's name; bytes and copies as in struct directory_shape.
 * 0; 2 no such directory or no such shape; 3 it cannot be made, or no descriptor is left. Says why on standard error.
 */
int directory_input_open(struct directory_input *, const struct cell *, const char *kind, uint64_t bytes,
                         uint32_t copies);
void directory_input_close(struct directory_input *);

/* Main. Lets the kernel drop what it has cached of files and directories. false: it does not allow that. */
bool file_caches_drop(void);

#endif
