/* description.h: what an executable says of itself by --describe, read back. The other side of describe.h. */
#ifndef STEALBENCH_DESCRIPTION_H
#define STEALBENCH_DESCRIPTION_H

#include "harness/measuring/cell/parameters.h"
#include <stdbool.h>
#include <stddef.h>

struct described_field {
    const char *name, *value;
};

struct described_workload {
    const char *name, *summary;
    const char *threads;          /* how many a cell has, as values_sum takes it */
    bool simulated;               /* cells of one thread can be run under valgrind */
    struct parameter *parameters; /* a table, with its end; NULL: none */
};

struct described_check {
    const char *name, *summary;
    bool in_stamp;
};

struct description {
    struct described_field *fields;
    size_t field_count;
    struct parameter *common; /* of every workload, the deque's own mode among them: a table */
    struct described_workload *workloads;
    size_t workload_count;
    struct described_check *checks;
    size_t check_count;
};

/* NULL, or why the text is no description of this version. */
const char *description_parse(struct description *, const char *text);

/* The deque's field, "" when it has none. */
const char *description_field(const struct description *, const char *name);

/* NULL when there is none of that name. */
struct described_workload *description_workload(const struct description *, const char *name);

/* A parameter of that workload, the common ones included, or NULL. */
const struct parameter *description_parameter(const struct description *, const struct described_workload *,
                                              const char *name);

#endif
