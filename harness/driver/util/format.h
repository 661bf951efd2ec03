/* format.h: what a run's files are made of: the one description of their versions and columns. Python reads these
 * lines, too (harness/formats.py): each value is a number or one string on the line of its name. */
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

/* The columns by number, those that the driver reads. */
enum { COLUMN_CELL, COLUMN_WORKLOAD, COLUMN_DEQUE, COLUMN_PARAMS, COLUMN_ROLE = 5, COLUMN_INVOCATION };
enum { COLUMN_METRIC = 8, COLUMN_VALUE, COLUMN_STATUS = 11, COLUMN_FLAGS, SAMPLES_COLUMN_COUNT = 16 };
enum { HISTOGRAM_CELL, HISTOGRAM_INVOCATION = 2, HISTOGRAMS_COLUMN_COUNT = 9 };
