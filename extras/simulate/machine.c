#include "extras/simulate/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machine_numbers machine;
int64_t machine_instructions[OPERATIONS];
struct machine_place machine_places[MACHINE_THREADS_MAX];

#define NUMBER(name)                                                                                                   \
    { #name, &machine.name }
static const struct {
    const char *name;
    int64_t *value;
} numbers[] = {
    NUMBER(sockets),
    NUMBER(cores),
    NUMBER(group),
    NUMBER(instruction),
    NUMBER(same_core),
    NUMBER(same_group),
    NUMBER(same_socket),
    NUMBER(other_socket),
    NUMBER(locked),
    NUMBER(fence),
    NUMBER(branch),
    NUMBER(stay),
    NUMBER(buffer),
    NUMBER(window),
    NUMBER(migratory),
    NUMBER(clock),
    NUMBER(pause),
    NUMBER(yield),
    NUMBER(futex),
    NUMBER(wake),
    NUMBER(barrier),
    NUMBER(barrier_alone),
    NUMBER(interrupt),
    NUMBER(barrier_serial),
    NUMBER(hash),
    NUMBER(work),
    NUMBER(call),
    NUMBER(seed),
    {"push", &machine_instructions[OPERATION_PUSH]},
    {"pop", &machine_instructions[OPERATION_POP]},
    {"pop_empty", &machine_instructions[OPERATION_POP_EMPTY]},
    {"steal", &machine_instructions[OPERATION_STEAL]},
    {"steal_empty", &machine_instructions[OPERATION_STEAL_EMPTY]},
    {"item", &machine_instructions[OPERATION_ITEM]},
};

/* "name=number" pairs, joined by commas: the value of one, or NULL. */
static const char *find(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

void machine_read(void) {
    const char *text = getenv("STEALBENCH_MACHINE");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *value = text ? find(text, numbers[i].name) : NULL;
        if (!value) {
            fprintf(
                stderr,
                "stealbench simulate: the environment names no machine (%s is missing); use ./run.sh extras simulate\n",
                numbers[i].name);
            exit(2);
        }
        *numbers[i].value = strtoll(value, NULL, 10);
    }
    for (unsigned thread = 0; thread < MACHINE_THREADS_MAX; thread++) {
        const int64_t processor = thread % (machine.sockets * machine.cores);
        machine_places[thread] = (struct machine_place){(int16_t)processor, (int16_t)(processor / machine.cores),
                                                        (int16_t)(processor / machine.group)};
    }
}

int64_t machine_least_distance(unsigned threads) {
    return threads > machine.sockets * machine.cores ? machine.same_core : machine.same_group;
}
