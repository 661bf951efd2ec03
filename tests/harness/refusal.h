/* refusal.h: tests of what the driver refuses (refuse.h). */
#ifndef STEALBENCH_TESTS_REFUSAL_H
#define STEALBENCH_TESTS_REFUSAL_H

#include "harness/driver/util/util.h"
#include "tests/unit.h"

/* The call is refused with that exit code and a message that holds these words. */
#define assert_refused(code, says, call)                                                                               \
    do {                                                                                                               \
        struct refusal refusal;                                                                                        \
        if (!refused(&refusal)) {                                                                                      \
            (void)(call);                                                                                              \
            refusal_expected = NULL;                                                                                   \
            fail_msg("%s was not refused", #call);                                                                     \
        }                                                                                                              \
        assert_int_equal(refusal.exit_code, code);                                                                     \
        if (!strstr(refusal.message, says))                                                                            \
            fail_msg("%s is missing in: %s", says, refusal.message);                                                   \
    } while (0)

#endif
