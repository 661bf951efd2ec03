/* format.h: what a run's files are made of: the one description of their versions and columns. Python reads these
 * lines, too (harness/formats.py): each value is a number or one string on the line of its
 * name. */
#pragma once

#define MANIFEST_VERSION 1

// clang-format off
/* Each version adds a column at the end; version 1 has the first 13. */
#define SAMPLES_VERSION 4
#define SAMPLES_COLUMNS "cell,workload,deque,params,placement,role,invocation,repetition,metric,value,unit,status,flags,variant,host,distance"

/* The histograms of an invocation, one bucket per row. */
#define HISTOGRAMS_VERSION 1
#define HISTOGRAMS_COLUMNS "cell,role,invocation,repetition,metric,lower,upper,count,unit"

/* What must be the same for values to belong to one run: a word for it, and its place in the manifest. */
#define CONDITIONS "processor:machine.cpu,kernel:machine.kernel,compiler:build.compiler,compiler's version:build.version,flags:build.flags,preprocessor's flags:build.cppflags"

/* After this many failures a cell is skipped for the rest of the run. */
#define FAILURES_MAX 2
// clang-format on

/* The columns by number, for those who read them. */
enum samples_column {
    COLUMN_CELL,
    COLUMN_WORKLOAD,
    COLUMN_DEQUE,
    COLUMN_PARAMS,
    COLUMN_PLACEMENT,
    COLUMN_ROLE,
    COLUMN_INVOCATION,
    COLUMN_REPETITION,
    COLUMN_METRIC,
    COLUMN_VALUE,
    COLUMN_UNIT,
    COLUMN_STATUS,
    COLUMN_FLAGS,
    COLUMN_VARIANT,  /* which variant or layout of the code was measured; empty if there is only one */
    COLUMN_HOST,     /* the machine that measured */
    COLUMN_DISTANCE, /* between the threads' processors, ns; empty for one thread, or if not known */
    SAMPLES_COLUMN_COUNT
};
enum histograms_column { HISTOGRAM_CELL, HISTOGRAM_ROLE, HISTOGRAM_INVOCATION, HISTOGRAMS_COLUMN_COUNT = 9 };
