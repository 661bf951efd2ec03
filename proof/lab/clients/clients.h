/* clients.h: the small programs that a deque has to survive under any schedule: the rows of proof/scenarios.h. */
#ifndef STEALBENCH_LAB_CLIENTS_H
#define STEALBENCH_LAB_CLIENTS_H

#include "proof/lab/engine/machine.h"
#include <stdbool.h>
#include <stddef.h>

struct client {
    const char *name, *summary;
    bool on_request;       /* the model checker's: run only when it is named */
    bool (*applies)(void); /* to this deque */
    void (*set_up)(void);  /* the main thread, alone */
    unsigned threads;
    void (*body[LAB_THREADS])(void); /* the owner first */
    const char *role[LAB_THREADS];
    unsigned reaches; /* enum scene_event: what some schedule must bring about, or the client checks nothing */
};

extern const struct client clients[];
extern const size_t client_count;

#endif
