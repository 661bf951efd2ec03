/* planted_chain.h: a known time, a chain of PLANTED_STEPS steps each of which waits for the one before. */
#pragma once

#include <stdint.h>

/* One step is a multiplication that waits for the exclusive-or that waits for the step before: four cycles or so. */
static inline uint64_t planted_step(uint64_t value) {
    return (value ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
}

static inline uint64_t planted_ten(uint64_t value) {
    value = planted_step(planted_step(planted_step(planted_step(planted_step(value)))));
    return planted_step(planted_step(planted_step(planted_step(planted_step(value)))));
}

static inline uint64_t planted_hundred(uint64_t value) {
    value = planted_ten(planted_ten(planted_ten(planted_ten(planted_ten(value)))));
    return planted_ten(planted_ten(planted_ten(planted_ten(planted_ten(value)))));
}

/* Mostly straight code: the end of a long loop, which a processor does not always foresee, would cost one side more
 * than the other. */
static inline uint64_t planted_chain(uint64_t value) {
    for (int i = 0; i < PLANTED_STEPS / 100; i++)
        value = planted_hundred(value);
    for (int i = 0; i < PLANTED_STEPS % 100 / 10; i++)
        value = planted_ten(value);
    for (int i = 0; i < PLANTED_STEPS % 10; i++)
        value = planted_step(value);
    return value;
}
