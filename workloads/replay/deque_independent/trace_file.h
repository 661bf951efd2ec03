/* trace_file.h: what a program did with its deques, as PREFIX_trace of an exported deque or pool wrote it. A text:
 *
 *   deque trace 1
 *   threads 2 deques 2
 *   thread 0 events 2
 *   push 0 1 1 120       operation, whose deque, items, times, nanoseconds since the thread's operation before
 *   steal 1 0 40 5200    40 attempts that failed one after the other, in 5,200 ns
 *   thread 1 events 0
 *   end
 *
 * Thread i owns deque i, and only an owner pushes and pops. Deques above the threads are nobody's: they stay empty.
 */
#ifndef STEALBENCH_TRACE_FILE_H
#define STEALBENCH_TRACE_FILE_H

#include "workloads/applications/lines.h"

#define TRACE_THREADS_MAX 128
#define TRACE_ITEMS_MAX (1 << 20) /* of one operation */
#define TRACE_GAP_MAX UINT64_C(1000000000000000)

#define TRACE_OPERATIONS(ONE)                                                                                          \
    ONE(TRACE_PUSH, "push")                                                                                            \
    ONE(TRACE_POP, "pop")                                                                                              \
    ONE(TRACE_STEAL, "steal")                                                                                          \
    ONE(TRACE_STEAL_BATCH, "steal_batch")                                                                              \
    ONE(TRACE_STEAL_INTO, "steal_into")
enum trace_operation { TRACE_PUSH, TRACE_POP, TRACE_STEAL, TRACE_STEAL_BATCH, TRACE_STEAL_INTO };

/* Items: that went in or came out; 0: it failed. times: how often this was done, more than once only if it failed. */
struct trace_event {
    uint64_t gap; /* ns from the operation before, or from the first of all threads, to the last of these */
    uint32_t items, times;
    uint16_t deque;
    uint16_t operation;
};

struct trace_thread {
    struct trace_event *events;
    size_t count;
    uint64_t pushed;     /* items that went into its deque by pushes */
    uint64_t operations; /* each event as often as it happened */
};

struct trace {
    unsigned threads, deques;
    uint32_t items_most; /* of one operation */
    bool batches;        /* it has operations on several items */
    struct trace_thread of[TRACE_THREADS_MAX];
};

/* Main. 0; EINVAL (not such a file, or not all of it), EMFILE, ENFILE, ENOMEM, with the message (LINES_MESSAGE) set. */
int trace_read(struct trace *, const char *path, char *message);

#endif
