/* known_fault.c: a race, and a write behind an array. Not a check of the deque but of its build: the sanitizer that the
 * build is named after has to report one of them. ./run.sh check asks each sanitized executable first.
 */
#include "proof/checks/verdict.h"
#include <pthread.h>
#include <stdlib.h>

static int shared;

static void *write_shared(void *unused) {
    shared++;
    return unused;
}

static int known_fault_run(const struct check_request *request) {
    pthread_t thread;
    volatile char *array = malloc(8); /* of which the C library makes 24 bytes */
    check_begin("known_fault", "this build", request);
    if (pthread_create(&thread, NULL, write_shared, NULL) != 0 || !array)
        return 3;
    shared++;
    pthread_join(thread, NULL);
    array[8 + request->rounds] = 1;
    free((void *)array);
    return check_passed("no sanitizer has reported them");
}

static const struct check known_fault = {
    .name = "known_fault",
    .summary = "a race and a write behind an array, which the sanitizer of this build reports",
    .run = known_fault_run,
};
REGISTER_CHECK(known_fault);
