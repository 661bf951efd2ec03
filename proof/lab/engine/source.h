/* source.h: which line of which file an instruction belongs to, asked of addr2line when a report is made. */
#ifndef STEALBENCH_LAB_SOURCE_H
#define STEALBENCH_LAB_SOURCE_H

#include <stddef.h>
#include <stdint.h>

/* Remember that a report will name the instruction before this return address. */
void source_want(uintptr_t where);

/* "chase_lev.h:78", or "?" and, once, a word on standard error about how to get it. */
const char *source_name(uintptr_t where);

/* The function that line is in, inlined or not, or "?". */
const char *source_function(uintptr_t where);

/* The text of that line without its indentation, or NULL. Valid until the next call. */
const char *source_line(uintptr_t where);

/* The same with the lines that follow it up to the statement's end. */
const char *source_statement(uintptr_t where);

#endif
