#include "harness/measuring/threads/watch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int watch_init(struct watch *watch, uint64_t window, size_t windows, uint64_t tail, uint64_t now) {
    *watch = (struct watch){.window = window, .windows = windows, .tail = tail, .before = now};
    watch->snapshot = malloc((windows + 1) * sizeof watch->snapshot[0]);
    watch->absent = malloc(windows * sizeof watch->absent[0]);
    if (!watch->snapshot || !watch->absent) {
        watch_free(watch);
        return ENOMEM;
    }
    memset(watch->snapshot, 0, (windows + 1) * sizeof watch->snapshot[0]);
    memset(watch->absent, 0, windows * sizeof watch->absent[0]);
    return 0;
}

void watch_free(struct watch *watch) {
    free(watch->snapshot);
    free(watch->absent);
    watch->snapshot = NULL;
    watch->absent = NULL;
}

void watch_open(struct watch *watch, uint64_t opened) { watch->opened = watch->boundary = opened; }

/* Marks the windows that this period overlaps. */
static void mark_absent(struct watch *watch, uint64_t from, uint64_t to) {
    if (to < watch->opened)
        return;
    size_t first = from < watch->opened ? 0 : (size_t)((from - watch->opened) / watch->window);
    size_t last = (size_t)((to - watch->opened) / watch->window);
    for (size_t i = first; i <= last && i < watch->windows; i++)
        watch->absent[i] = true;
}

bool watch_pass(struct watch *watch, uint64_t now, bool away) {
    if (watch->opened == 0) {
        watch->before = now;
        return true;
    }
    /* a window without a read of the clock is unknown */
    if (away || now - watch->before >= watch->window)
        mark_absent(watch, watch->before, now);
    for (; watch->next <= watch->windows && now >= watch->opened + watch->next * watch->window; watch->next++) {
        watch->snapshot[watch->next].at = now;
        memcpy(watch->snapshot[watch->next].tally, watch->tally, sizeof watch->tally);
    }
    bool over = watch->next > watch->windows;
    watch->boundary = watch->opened + (over ? watch->windows : watch->next) * watch->window + (over ? watch->tail : 0);
    watch->before = now;
    return !over || now < watch->boundary;
}

/* Was the thread off its processor in this window, or did it not read the clock in it? */
static bool missed(const struct watch *watch, size_t window) {
    return watch->absent[window] || watch->snapshot[window].at == watch->snapshot[window + 1].at;
}

size_t watch_counted(const struct watch *const *watches, size_t threads, bool every, bool *counts) {
    size_t counted = 0;
    for (size_t i = 0; i < watches[0]->windows; i++) {
        counts[i] = true;
        for (size_t j = 0; j < threads; j++)
            if (watches[j]->next <= watches[j]->windows || (!every && missed(watches[j], i)))
                counts[i] = false;
        counted += counts[i];
    }
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
        nanoseconds += every ? watch->window : to->at - from->at;
    }
    return (double)nanoseconds * 1e-9;
}
