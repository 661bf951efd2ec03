/* parameters.c: what a cell can ask of the pool. */
#include "workloads/pool/state.h"
#include <errno.h>

/* Published systems, by their differences from the defaults: Volt's documentation; the loop of "Work-Stealing from
 * First Principles". */
#define PRESETS "volt: room=256 steal=half slot=1; worksteal: victims=sequential idle=yield_each"

const struct parameter pool_parameters[] = {
    PARAMETER_INTEGER_OR("threads", 1, 1, POOL_WORKERS_MAX, "all", "workers",
                         "workers, including the main thread; all: one for each processor"),
    PARAMETER_PRESETS("pool", "general", "general|volt|worksteal", PRESETS,
                      "imitates the pool of a published system, by other defaults of the settings below"),
    PARAMETER_CHOICE("victims", "random", LIST_CHOICES(POOL_POLICIES),
                     "whom an idle worker steals from. sequential: workers 0, 1, 2 and so on (bulk paper); "
                     "probabilistic: at random in proportion to length (BWoS); nearest: in the machine; none: nobody"),
    PARAMETER_INTEGER_OR("steal", one, 1, 100, "one|half", "percent",
                         "what a thief takes: one item; half, in the deque's own way; or this share, as a batch"),
    PARAMETER_CHOICE("idle", "sleep", LIST_CHOICES(POOL_IDLES),
                     "what a worker without work does. spin: it searches all the time; yield: also yields; sleep: then "
                     "sleeps on a futex; yield_each: yields after every round, successful ones too (worksteal's loop); "
                     "wake_each: sleeps after one failed round, and each push wakes a worker (EMPER)"),
    PARAMETER_INTEGER("room", 1024, 1, 1 << 30, "items",
                      "capacity of a fixed deque, first capacity of a growing one; the rest goes to an overflow queue"),
    PARAMETER_INTEGER("block", 0, 0, 1 << 20, "items",
                      "items in a block; 0: 4 if the owner keeps a block from thieves, else the deque's own number"),
    PARAMETER_SWITCH("slot", "1: the newest task waits in front of the deque, hidden from thieves (Go, Tokio, Volt)"),
    PARAMETER_CHOICE("first", "one", "one|each",
                     "who spawns the first tasks. one: worker 0; each: every worker its own, dealt in turn"),
    PARAMETER_SWITCH("turns", "1: one thief at a time at every deque, by a flag (bulk paper)"),
    PARAMETER_SWITCH("steal_times", "1: record how long each round takes that steals something"),
    PARAMETER_SWITCH("waits", "1: record how long each spawned task waited until its start"),
    PARAMETERS_END,
};

const char *pool_places_unsupported(const struct cell *cell) {
    static char message[MESSAGE_SIZE];
    struct places places;
    unsigned threads = (unsigned)cell_integer(cell, "threads");
    if (cell_is(cell, "memory", "thief"))
        return "memory=thief: every worker is a thief";
    int failure = places_plan(&places, cell_text(cell, "placement"), threads, NULL, message);
    if (failure == 0)
        places_close(&places);
    return failure == ENODEV ? message : NULL;
}
