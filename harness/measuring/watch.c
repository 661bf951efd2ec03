#include "harness/measuring/watch.h"
#include <stdlib.h>
#include <string.h>

bool watch_init(struct watch *watch, uint64_t window, size_t windows, uint64_t tail, uint64_t now) {
    *watch = (struct watch){.window = window, .windows = windows, .tail = tail, .before = now};
    watch->snapshot = malloc((windows + 1) * sizeof watch->snapshot[0]);
    watch->marks = malloc(windows * sizeof watch->marks[0]);
    if (!watch->snapshot || !watch->marks) {
        watch_free(watch);
        return false;
    }
    memset(watch->snapshot, 0, (windows + 1) * sizeof watch->snapshot[0]);
    memset(watch->marks, 0, windows * sizeof watch->marks[0]);
    return true;
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

static bool somebody_away(const struct watch *const *watches, size_t threads, size_t first, size_t last) {
    for (size_t i = 0; i < threads; i++)
        for (size_t window = first; window <= last; window++)
            if (watches[i]->marks[window] & WATCH_AWAY)
                return true;
    return false;
}

/* The last window of the silence that goes on after this one: in those between there is no look. */
static size_t silent_until(const struct watch *watch, size_t window) {
    do
        window++;
    while (window + 1 < watch->windows && watch->marks[window] & WATCH_GOES_ON &&
           watch->snapshot[window].at == watch->snapshot[window + 1].at);
    return window < watch->windows ? window : watch->windows - 1;
}

size_t watch_counted(const struct watch *const *watches, size_t threads, bool every, bool *counts) {
    const size_t windows = watches[0]->windows;
    bool complete = true;
    size_t counted = 0;
    for (size_t i = 0; i < threads; i++)
        complete = complete && watches[i]->next > windows;
    for (size_t window = 0; window < windows; window++)
        counts[window] = complete && (every || !somebody_away(watches, threads, window, window));
    for (size_t i = 0; i < threads && !every; i++)
        for (size_t window = 0; window < windows; window++) {
            const bool goes_on = watches[i]->marks[window] & WATCH_GOES_ON;
            const size_t last = goes_on ? silent_until(watches[i], window) : window;
            if (goes_on && somebody_away(watches, threads, window, last))
                memset(&counts[window], 0, (last - window + 1) * sizeof counts[0]);
        }
    for (size_t window = 0; window < windows; window++)
        counted += counts[window];
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
