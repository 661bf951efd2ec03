/* litmus.h: small instrumented programs, each testing one property of the lab's machine. */
#ifndef STEALBENCH_TESTS_LAB_LITMUS_H
#define STEALBENCH_TESTS_LAB_LITMUS_H

#include <stdint.h>

/* Shared by all; in the lab's memory. */
struct shared;
struct shared *litmus_new(void);
extern struct shared *litmus_shared;

/* What the threads of a program read, in plain memory of the test. */
extern uint64_t litmus_read[4];

typedef void litmus_body(void);
#define LITMUS(name, ...) litmus_body name;
#include "tests/lab/litmus_threads.h"
#undef LITMUS

/* Every read-modify-write of every size against plain arithmetic: how many answers were wrong. */
unsigned litmus_wrong_answers(void);

#endif
