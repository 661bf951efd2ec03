#include "harness/driver/execute/execute.h"
#include <sys/ioctl.h>

#define PLAIN_PERIOD 10.0

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

void progress_begin(struct progress *progress, bool quiet, size_t total) {
    *progress = (struct progress){.quiet = quiet,
                                  .terminal = isatty(STDERR_FILENO) == 1,
                                  .start = seconds_now(),
                                  .last = -PLAIN_PERIOD,
                                  .total = total};
}

static unsigned terminal_width(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
}

void progress_show(struct progress *progress, const char *what, double seconds_left) {
    char line[512];
    const double time = seconds_now(), gone = time - progress->start;
    progress->done++;
    if (progress->quiet || (!progress->terminal && time - progress->last < PLAIN_PERIOD))
        return;
    progress->last = time;
    snprintf(line, sizeof line, "[%zu/%zu] %s gone, about %s left  %s", progress->done, progress->total,
             duration_text(gone, gone), duration_text(seconds_left, seconds_left), what);
    if (progress->terminal)
        fprintf(stderr, "\r\033[K%.*s", (int)terminal_width(), line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    progress->open = progress->terminal;
}

void progress_end(struct progress *progress) {
    if (progress->open)
        fputs("\r\033[K", stderr);
    progress->open = false;
}

void progress_say(struct progress *progress, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    progress_end(progress);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
