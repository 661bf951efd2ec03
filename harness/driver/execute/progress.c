/* progress.c: writes to standard error: on a terminal one line that is rewritten, elsewhere a line every ten
 * seconds. Writes nothing while a process measures. */
#pragma once

#include "harness/driver/util/process.c"
#include <sys/ioctl.h>

#define PLAIN_PERIOD 10.0

/* "8 min", or "8 to 57 min" if the two differ. */
const char *duration_text(double least, double most) {
    static const struct {
        double seconds, from; /* of one; used from so many seconds */
        const char *name;
    } units[] = {{3600, 5400, "h"}, {60, 90, "min"}, {1, 0, "s"}};
    size_t low = 0, high = 0;
    while (least < units[low].from)
        low++;
    while (most < units[high].from)
        high++;
    const char *before = formatted("%.*f", least < 10 * 3600 && low == 0, least / units[low].seconds),
               *after =
                   formatted("%.*f %s", most < 10 * 3600 && high == 0, most / units[high].seconds, units[high].name);
    if (low == high && begins_with(after, before) && after[strlen(before)] == ' ')
        return after;
    return low == high ? formatted("%s to %s", before, after)
                       : formatted("%s %s to %s", before, units[low].name, after);
}

static struct {
    bool quiet, terminal, open; /* open: an unfinished line is on the terminal */
    double start, last;         /* seconds: start of the run; last time of writing */
    size_t done;                /* invocations */
} progress;

void progress_begin(bool quiet) {
    progress.quiet = quiet;
    progress.terminal = isatty(STDERR_FILENO) == 1;
    progress.start = seconds_now();
    progress.last = -PLAIN_PERIOD;
    progress.done = 0;
}

/* Call before an invocation. left: so many invocations are to come; seconds_left: of the whole run. */
void progress_show(const char *what, size_t left, double seconds_left) {
    char line[512];
    struct winsize size = {0};
    const double time = seconds_now(), gone = time - progress.start;
    const size_t all = progress.done++ + left;
    if (progress.quiet || (!progress.terminal && time - progress.last < PLAIN_PERIOD))
        return;
    progress.last = time;
    snprintf(line, sizeof line, "[%zu/%zu] %s gone, about %s left  %s", progress.done, all, duration_text(gone, gone),
             duration_text(seconds_left, seconds_left), what);
    if (progress.terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
        fprintf(stderr, "\r\033[K%.*s", size.ws_col > 1 ? size.ws_col - 1 : 79, line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    progress.open = progress.terminal;
}

/* Erases the unfinished line. */
void progress_end(void) {
    if (progress.open)
        fputs("\r\033[K", stderr);
    progress.open = false;
}

/* Prints a line of its own that stays, even if the run is quiet; frees it. */
void progress_put(char *line) {
    progress_end();
    fprintf(stderr, "%s\n", line);
    free(line);
}
#define progress_say(...) progress_put(formatted(__VA_ARGS__))
