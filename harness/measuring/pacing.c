#include "harness/measuring/pacing.h"

#define SECOND 1000000000u

/* Deadline number n. Computed in two parts, so that the product does not overflow, however long the run. */
static uint64_t deadline(const struct pace *pace, uint64_t n) {
    return pace->first + n / pace->frequency * SECOND + n % pace->frequency * SECOND / pace->frequency;
}

void pace_start(struct pace *pace, uint64_t now, uint64_t frequency, bool thesis, uint64_t random) {
    *pace = (struct pace){.frequency = frequency, .thesis = thesis};
    pace->first = pace->due = now + random % (SECOND / frequency);
}

void pace_next(struct pace *pace, uint64_t began, uint64_t ended, uint64_t now) {
    if (pace->thesis) {
        uint64_t period = SECOND / pace->frequency, took = ended - began;
        pace->due = now + (period > took ? period - took : 0);
        return;
    }
    pace->due = deadline(pace, ++pace->number);
    if (ended < pace->due + PACING_LATE)
        return;
    /* the first deadline not yet past */
    uint64_t passed = ended - pace->first;
    uint64_t number = passed / SECOND * pace->frequency + passed % SECOND * pace->frequency / SECOND + 1;
    pace->given_up += number - pace->number;
    pace->number = number;
    pace->due = deadline(pace, number);
}
