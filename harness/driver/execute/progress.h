/* progress.h: what a person sees during a run, on standard error: one line rewritten on a terminal, a plain line every
 * ten seconds elsewhere. Nothing is written while a process measures. */
#ifndef STEALBENCH_PROGRESS_H
#define STEALBENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool quiet, terminal;
    double start, last; /* seconds: when it began; when a line was last written */
    size_t done, total; /* invocations */
    bool open;          /* there is an unfinished line on the terminal */
};

void progress_begin(struct progress *, bool quiet, size_t total);

/* Before an invocation: what it is, and the total seconds left (below 0: not known yet). */
void progress_show(struct progress *, const char *what, double seconds_left);

/* A line of its own that stays, quiet or not. */
void progress_say(struct progress *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, but not when quiet. */
void progress_note(struct progress *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Erases the unfinished line. */
void progress_end(struct progress *);

/* "1:02:03" or "2:03" */
void progress_duration(double seconds, char *text, size_t size);

#endif
