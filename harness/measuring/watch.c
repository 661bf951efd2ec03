#include "harness/measuring/watch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int watch_init(struct watch *watch, uint64_t window, size_t windows, uint64_t tail, uint64_t now) {
    *watch = (struct watch){.window = window, .windows = windows, .tail = tail, .before = now};
    watch->snapshot = malloc((windows + 1) * sizeof watch->snapshot[0]);
    watch->marks = malloc(windows * sizeof watch->marks[0]);
    if (!watch->snapshot || !watch->marks) {
        watch_free(watch);
        return ENOMEM;
    }
    memset(watch->snapshot, 0, (windows + 1) * sizeof watch->snapshot[0]);
    memset(watch->marks, 0, windows * sizeof watch->marks[0]);
    return 0;
}

void watch_free(struct watch *watch) {
    free(watch->snapshot);
    free(watch->marks);
    watch->snapshot = NULL;
    watch->marks = NULL;
}

void watch_open(struct watch *watch, uint64_t opened) { watch->opened = watch->boundary = opened; }

/* Marks the windows that a silence overlaps. */
static void mark(struct watch *watch, uint64_t from, uint64_t to, bool away) {
    if (to < watch->opened)
        return;
    size_t first = from < watch->opened ? 0 : (size_t)((from - watch->opened) / watch->window);
    size_t last = (size_t)((to - watch->opened) / watch->window);
    for (size_t i = first; i <= last && i < watch->windows; i++)
        watch->marks[i] |= (away ? WATCH_AWAY : 0) | (i < last ? WATCH_GOES_ON : 0);
}

bool watch_pass(struct watch *watch, uint64_t now, bool away) {
    if (watch->opened == 0) {
        watch->before = now;
        return true;
    }
    if (away || now - watch->before > WATCH_GAP)
        mark(watch, watch->before, now, away);
    for (; watch->next <= watch->windows && now >= watch->opened + watch->next * watch->window; watch->next++) {
        watch->snapshot[watch->next].at = now;
        memcpy(watch->snapshot[watch->next].tally, watch->tally, sizeof watch->tally);
    }
    bool over = watch->next > watch->windows;
    watch->boundary = watch->opened + (over ? watch->windows : watch->next) * watch->window + (over ? watch->tail : 0);
    watch->before = now;
    return !over || now < watch->boundary;
}

static bool somebody_away(const struct watch *const *watches, size_t threads, size_t window) {
    for (size_t i = 0; i < threads; i++)
        if (watches[i]->marks[window] & WATCH_AWAY)
            return true;
    return false;
}

/* Does the silence from this window on overlap more than the next one? Then there is no look in that one. */
static bool passes(const struct watch *watch, size_t window) {
    return watch->snapshot[window].at == watch->snapshot[window + 1].at;
}

/* Was somebody away in this window, or in another one that a silence overlaps together with it? */
static bool spoilt(const struct watch *const *watches, size_t threads, size_t window) {
    if (somebody_away(watches, threads, window))
        return true;
    for (size_t i = 0; i < threads; i++) {
        const struct watch *watch = watches[i];
        for (size_t j = window; j > 0 && watch->marks[j - 1] & WATCH_GOES_ON && (j == window || passes(watch, j)); j--)
            if (somebody_away(watches, threads, j - 1))
                return true;
        for (size_t j = window;
             j + 1 < watch->windows && watch->marks[j] & WATCH_GOES_ON && (j == window || passes(watch, j)); j++)
            if (somebody_away(watches, threads, j + 1))
                return true;
    }
    return false;
}

size_t watch_counted(const struct watch *const *watches, size_t threads, bool every, bool *counts) {
    bool complete = true;
    size_t counted = 0;
    for (size_t i = 0; i < threads; i++)
        complete = complete && watches[i]->next > watches[i]->windows;
    for (size_t i = 0; i < watches[0]->windows; i++)
        counted += counts[i] = complete && (every || !spoilt(watches, threads, i));
    return counted;
}

double watch_sum(const struct watch *watch, const bool *counts, bool every, uint64_t *tally) {
    uint64_t nanoseconds = 0;
    for (size_t i = 0; i < watch->windows; i++) {
        const struct snapshot *from = &watch->snapshot[i], *to = from + 1;
        if (!counts[i])
            continue;
        for (size_t kind = 0; kind < TALLY_KINDS; kind++)
            tally[kind] += to->tally[kind] - from->tally[kind];
        nanoseconds +=
            every ? watch->window : to->at - from->at - (to->tally[TALLY_ASKING] - from->tally[TALLY_ASKING]);
    }
    return (double)nanoseconds * 1e-9;
}
