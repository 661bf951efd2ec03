/* lines.h: text files read line by line, with messages that name file and line. For inputs of workloads. */
#ifndef STEALBENCH_LINES_H
#define STEALBENCH_LINES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LINES_MESSAGE (PATH_MAX + 512) /* a path, and what is wrong there */

struct lines {
    const char *path;
    FILE *file;
    char *line;  /* the current one, without its line end */
    size_t size; /* of the buffer behind it */
    uint64_t number;
    bool ended; /* the current line has a line end */
    int failure;
    char *message; /* LINES_MESSAGE bytes of the caller's */
};

/* 0, or with the message set: EINVAL it is not there, no regular file (nothing that could have no end), may not be
 * read; EMFILE, ENFILE no descriptor is left; ENOMEM. */
int lines_open(struct lines *, const char *path, char *message);

/* The next line into line; false at the end or when reading fails (failure is then EINVAL, the message set). */
bool lines_next(struct lines *);

/* Writes "path:line: what is wrong" into the message; returns EINVAL, which is kept in failure. */
int lines_wrong(struct lines *, const char *format, ...) __attribute__((format(printf, 2, 3)));

void lines_close(struct lines *);

/* Reads a number without a sign from *text on, after blanks, and moves *text behind it. false: there is none, letters
 * follow it, or it is greater than max; *text and *number are then undefined. */
bool number_here(const char **text, uint64_t max, uint64_t *number);

/* Nothing but blanks follows. */
bool nothing_here(const char *text);

#endif
