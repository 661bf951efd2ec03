/* source.h: asks addr2line which source line an instruction belongs to, when a report is made. */
#ifndef STEALBENCH_LAB_SOURCE_H
#define STEALBENCH_LAB_SOURCE_H

#include <stddef.h>
#include <stdint.h>

/* Remember that a report will name the instruction before this return address. */
void source_want(uintptr_t where);

/* "chase_lev.h:78"; or "?", with one message on standard error about how to get addr2line. */
const char *source_name(uintptr_t where);

#endif
