#include "extras/simulate/operations.h"
#include "extras/simulate/engine.h"

bool operation_inside[MACHINE_THREADS_MAX];
uint32_t operation_loads[MACHINE_THREADS_MAX];
static enum operation last_pop[MACHINE_THREADS_MAX], last_steal[MACHINE_THREADS_MAX];

void operation_begins(void) {
    operation_inside[engine_self()] = true;
    operation_loads[engine_self()] = 0;
}

/* A processor guesses that a pop or a steal ends as the last one did. */
static bool guessed(enum operation operation, enum operation *last) {
    const bool same = *last == operation;
    *last = operation;
    return same;
}

void operation_ends(enum operation operation, size_t items) {
    const unsigned self = engine_self();
    operation_inside[self] = false;
    if (operation != OPERATION_PUSH &&
        !guessed(operation, operation >= OPERATION_STEAL ? &last_steal[self] : &last_pop[self]))
        engine_pass(machine.branch);
    engine_work(machine_instructions[operation] +
                (items > 1 ? (int64_t)(items - 1) * machine_instructions[OPERATION_ITEM] : 0));
}
