/* format.h: what a run's files are made of: the one description of their versions and columns. Python reads these
 * lines, too (harness/formats.py): each value is a number or one string on the line of its
 * name. */
#ifndef STEALBENCH_FORMAT_H
#define STEALBENCH_FORMAT_H

#define MANIFEST_VERSION 1

// clang-format off
/* A version adds columns at the end: version 1 has the first 13 of these, and each later one a column more. */
#define SAMPLES_VERSION 4
#define SAMPLES_COLUMNS "cell,workload,deque,params,placement,role,invocation,repetition,metric,value,unit,status,flags,variant,host,distance"

/* The distributions that an invocation gave, one bucket a row. */
#define HISTOGRAMS_VERSION 1
#define HISTOGRAMS_COLUMNS "cell,role,invocation,repetition,metric,lower,upper,count,unit"

#define SPLIT_COLUMNS "part,cell,workload,deque,params,invocations,precision,seconds"

/* What must be the same for values to belong to one run: words for it, and where it stands in the manifest. */
#define CONDITIONS "processor:machine.cpu,kernel:machine.kernel,compiler:build.compiler,compiler's version:build.version,flags:build.flags,preprocessor's flags:build.cppflags"

/* A cell that has failed this often is skipped for the rest of the run. */
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
    COLUMN_VARIANT,  /* of the code of the measured loops, or its layout; empty where there is one */
    COLUMN_HOST,     /* the machine it was measured on */
    COLUMN_DISTANCE, /* between the threads' processors, ns; empty of one thread, or where it could not be had */
    SAMPLES_COLUMN_COUNT
};
enum histograms_column { HISTOGRAM_CELL, HISTOGRAM_ROLE, HISTOGRAM_INVOCATION, HISTOGRAMS_COLUMN_COUNT = 9 };

#endif
