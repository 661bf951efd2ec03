#include "harness/driver/execute/execute.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PLAIN_PERIOD 10.0

void progress_duration(double seconds, char *text, size_t size) {
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole >= 3600)
        snprintf(text, size, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, size, "%lu:%02lu", whole / 60, whole % 60);
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
    char line[512], gone[32], left[32] = "";
    double time = seconds_now();
    progress->done++;
    if (progress->quiet || (!progress->terminal && time - progress->last < PLAIN_PERIOD))
        return;
    progress->last = time;
    progress_duration(time - progress->start, gone, sizeof gone);
    if (seconds_left >= 0)
        progress_duration(seconds_left, left, sizeof left);
    snprintf(line, sizeof line, "[%zu/%zu] %s gone%s%s%s  %s", progress->done, progress->total, gone,
             *left ? ", about " : "", left, *left ? " left" : "", what);
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
