/* words.h: the part that the model checker's programs share: words of their scenarios, and what they print at the end.
 * Included by clients.c and lists.c. */
#ifndef STEALBENCH_MODEL_WORDS_H
#define STEALBENCH_MODEL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define UNUSED __attribute__((unused)) static

/* Index of the mode in the deque's mode_values. */
#ifndef MODE
#define MODE 0
#endif

/* Repetition is written out: GenMC 0.10.3 fails on loops that its jump threading rearranges. */
#define REPEAT(n, operation)                                                                                           \
    do {                                                                                                               \
        if ((n) > 0)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 1)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 2)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 3)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 4)                                                                                                   \
            operation;                                                                                                 \
        if ((n) > 5)                                                                                                   \
            operation;                                                                                                 \
    } while (0)
#define nothing() (void)0

/* A word of table.txt, and whether this execution reached it. */
struct reached {
    const char *word;
    bool reached;
};

static void print_reached(const struct reached *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (words[i].reached)
            printf("reached %s\n", words[i].word);
}

#endif
