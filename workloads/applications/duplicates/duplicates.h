/* duplicates.h: the files of a generated tree, and which of them are alike (duplicate_answer.c). */
#pragma once

#include <stdint.h>

struct duplicates_found {
    uint64_t groups; /* of files alike, two or more */
    uint64_t files;  /* in them beyond the first of each */
    uint64_t bytes;  /* in those */
};

/* What is in a file, and the number of that content. */
struct content {
    uint64_t size, key;
};

struct planned_files {
    struct content *of; /* by file */
    uint64_t bytes;     /* of all files together, exactly */
};

/* Main. The files of a generated tree, of about so many bytes together, and the answer. 0; 3 no memory. */
int duplicates_plan(struct planned_files *, struct duplicates_found *, uint32_t files, uint64_t bytes, uint64_t seed);

/* For tree_open: writes file `number` of the planned files. 0 or errno. */
int duplicates_write(const void *planned, int file, uint32_t number);
