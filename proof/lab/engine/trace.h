/* trace.h: records what happens in a run, access by access, and prints it for a person to read, with lines of the
 * source. */
#pragma once

#include "proof/lab/engine/machine.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum event_kind {
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_RMW,
    EVENT_CAS,
    EVENT_CAS_FAILED,
    EVENT_CAS_FAILED_FOR_NOTHING,
    EVENT_FENCE,
    EVENT_READ,
    EVENT_WRITE,
    EVENT_ARRIVED, /* a buffered store reaches memory */
    EVENT_LOCK,
    EVENT_UNLOCK,
    EVENT_FREE,
    EVENT_CALL,   /* the client begins an operation: text */
    EVENT_ANSWER, /* its result */
    EVENT_FAULT
};

/* Recording costs time: only while a report is made. */
void trace_begin(void);
void trace_end(void);
/* before: what a read-modify-write found; for a load: how many stores are newer */
void trace_access(enum event_kind, uintptr_t address, unsigned size, int order, uint64_t value, uint64_t before,
                  uintptr_t where);
void trace_arrived(unsigned thread, uintptr_t address, unsigned size, uint64_t value);
void trace_text(enum event_kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Call at the thread's next access: only then is the value of its last plain write known. */
void trace_settle(unsigned thread);

/* Prints two columns, the owner on the left, thieves on the right, one access per line.
 * contents: also show how the client reads and writes the items' contents. */
void trace_print(FILE *, bool contents);

/* The line of the instruction before this return address: "chase_lev.h:78"; or "?", with one message on standard error
 * about how to get addr2line. */
const char *source_name(uintptr_t where);

/* The fault in words, %1 and %2 replaced by file and line. */
void fault_text(const struct fault *, char *text, size_t size);
