#include "proof/simulate/operations.h"
#include "proof/simulate/engine.h"

static bool inside[MACHINE_THREADS_MAX];

bool operation_inside(void) { return inside[engine_self()]; }
void operation_begins(void) { inside[engine_self()] = true; }

void operation_ends(enum operation operation, size_t items) {
    inside[engine_self()] = false;
    engine_work(machine_instructions[operation] +
                (items > 1 ? (int64_t)(items - 1) * machine_instructions[OPERATION_ITEM] : 0));
}
