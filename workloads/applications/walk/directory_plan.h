/* directory_plan.h: the content of a generated tree of directories, before any of it is on disk.
 *
 * The same shape always gives the same plan, in milliseconds: a program that uses a tree generated earlier makes the
 * plan again and so knows the right answer.
 *
 * Directories: a chain of `depth` ones first; each further one lies below an earlier one chosen at random, of which
 * none gets more than `fan_out`. Files and symbolic links lie in directories chosen at random. Half of the links lead
 * up (following them would never end), half lead nowhere.
 *
 * Files with content (bytes > 0): `copies` of 100 files are copies of another; the sizes of the contents are spread
 * evenly in their logarithm over three decades; one content in 20 is a twin of another, of the same size and different
 * in its last bytes only. No two contents are alike.
 */
#ifndef STEALBENCH_DIRECTORY_PLAN_H
#define STEALBENCH_DIRECTORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct directory_shape {
    uint32_t directories; /* the root among them; at least 1 */
    uint32_t files, symlinks;
    uint32_t depth;   /* of the chain, in directories; at most directories */
    uint32_t fan_out; /* at least 1 */
    uint64_t bytes;   /* of all files together, about; 0: empty files */
    uint32_t copies;  /* percent of the files */
    uint64_t seed;
};

struct planned_content {
    uint64_t size; /* bytes; at least CONTENT_BYTES_LEAST */
    uint64_t key;  /* of its bytes but the last 8, which are its number */
    uint32_t files;
};

#define CONTENT_BYTES_LEAST 16

/* The right result of a search for duplicates. */
struct duplicates_found {
    uint64_t groups; /* of files alike, two or more */
    uint64_t files;  /* in them beyond the first of each */
    uint64_t bytes;  /* in those */
};

struct directory_plan {
    struct directory_shape shape;
    uint32_t *parent;     /* of each directory; the root's is 0 */
    uint32_t *file_in;    /* the directory of each file */
    uint32_t *symlink_in; /* the directory of each link */
    uint32_t *content_of; /* of each file; NULL: files are empty */
    struct planned_content *contents;
    uint32_t content_count;
    uint64_t bytes; /* of all files together, exactly */
};

/* 0 or ENOMEM. */
int directory_plan_make(struct directory_plan *, const struct directory_shape *);
void directory_plan_free(struct directory_plan *);

/* The right result for it. */
struct duplicates_found directory_plan_duplicates(const struct directory_plan *);

/* Content number's bytes from offset on, count of them. */
void directory_plan_bytes(const struct directory_plan *, uint32_t content, uint64_t offset, unsigned char *to,
                          size_t count);

#endif
