/* refuse.h: how the driver ends where it cannot go on: a message and an exit code, from wherever that is found. */
#ifndef STEALBENCH_REFUSE_H
#define STEALBENCH_REFUSE_H

#include "harness/driver/util/text.h"
#include "harness/measuring/cell/parameters.h"
#include <setjmp.h>

/* Says "stealbench run: quick.suite:7: no such workload: psuh" on standard error and ends the program. */
_Noreturn void refuse(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with exit code 2: "no such WHAT: WORD; did you mean NEAREST?", or the names there are when none is near. */
_Noreturn void refuse_unknown(const char *what, const char *word, const struct words *names);

/* The value of a setting; a wrong one is refused with its range. Its text is not kept. */
struct value must_read(const struct parameter *, const char *text);

/* What its messages begin with: the verb, and where in a file, say, the driver is. NULL: nothing. */
extern const char *refusal_verb, *refusal_place;

/* For callers that go on after a refusal. `if (refused(&refusal))` is false at first, and true when something that
 * follows is refused. Ends with refusal_expected = NULL. */
struct refusal {
    jmp_buf back;
    int exit_code;
    const char *message; /* with the place, without the verb */
};
extern struct refusal *refusal_expected;
#define refused(refusal) (refusal_expected = (refusal), setjmp((refusal)->back) != 0)

#endif
