/* pacing.h: decides when a thief with a set number of steals per second makes its next attempt. Arithmetic only: the
 * caller reads the clock and waits, so tests can use a simulated clock.
 *
 * deadline: attempt k is due at first + k / frequency, so a late attempt does not delay the next ones. A thief that was
 * away gives up the attempts it missed instead of making them in a burst.
 * thesis: the formula of the BWoS thesis (section 5.2), after each attempt a wait of floor(10^9 / frequency) - (time of
 * that attempt). Waiting and reading the clock lengthen every period, so the thief falls short of the frequency.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PACING_FREQUENCY_MAX 1000000000u /* a period of 1 ns */
#define PACING_LATE 30000                /* ns: a thief later than this was away (watch.h) */

/* One thief's state; only this thief may touch it. Times in ns of whatever clock the caller reads. */
struct pace {
    uint64_t frequency; /* attempts per second, 1 to PACING_FREQUENCY_MAX */
    bool thesis;
    uint64_t first;  /* deadline: when attempt 0 was due */
    uint64_t number; /* deadline: number of the next attempt; attempts given up count */
    uint64_t due;    /* when the next attempt is due */
    uint64_t given_up;
};

/* random: any number; chooses the phase within the first period. Thieves in phase would collide. */
void pace_start(struct pace *, uint64_t now, uint64_t frequency, bool thesis, uint64_t random);

/* Call after an attempt, with its begin and end: sets when the next one is due. now: a later read of the clock, from
 * which the thesis's wait runs. */
void pace_next(struct pace *, uint64_t began, uint64_t ended, uint64_t now);
