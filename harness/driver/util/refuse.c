/* refuse.c: ends the driver with a message and an exit code, from wherever a problem is found. */
#pragma once

#include "harness/driver/util/text.c"

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/* What messages begin with: the verb, and a place such as a file's line, or NULL. */
const char *refusal_verb, *refusal_place;

/* Says "stealbench run: quick.suite:7: no such workload: psuh" on standard error and ends the program. */
__attribute__((format(printf, 2, 3))) _Noreturn void refuse(int exit_code, const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "stealbench%s%s: ", refusal_verb ? " " : "", refusal_verb ? refusal_verb : "");
    if (refusal_place)
        fprintf(stderr, "%s: ", refusal_place);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(exit_code);
}

/* Edit distance that counts an exchange of neighbours once; for words of up to 63 characters. */
static unsigned edit_distance(const char *a, const char *b) {
    unsigned changed[64][64];
    const size_t n = strlen(a), m = strlen(b);
    if (n > 63 || m > 63)
        return 64;
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            unsigned best = (unsigned)(i + j);
            if (i > 0 && j > 0) {
                best = changed[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
                best = smaller(best, 1 + smaller(changed[i - 1][j], changed[i][j - 1]));
            }
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = smaller(best, 1 + changed[i - 2][j - 2]);
            changed[i][j] = best;
        }
    return changed[n][m];
}

/* The nearest of these names. NULL if more than a third of the word would have to change. */
static const char *nearest_name(const char *word, struct words names) {
    const char *nearest = NULL;
    unsigned least = 64;
    foreach (name, names) {
        const unsigned distance = edit_distance(word, *name);
        nearest = distance < least ? *name : nearest;
        least = smaller(distance, least);
    }
    return 3 * least <= strlen(word) ? nearest : NULL;
}

/* The same with exit code 2: "no such WHAT: WORD; did you mean NEAREST?", or the names there are when none is near. */
_Noreturn void refuse_unknown(const char *what, const char *word, struct words names) {
    const char *nearest = nearest_name(word, names);
    if (nearest)
        refuse(2, "no such %s: %.60s; did you mean %s?", what, word, nearest);
    refuse(2, "no such %s: %.60s; there %s%s", what, word, names.count ? "are " : "is none", joined(names, ", "));
}

/* The value of a setting. Refuses a wrong one and says the range. Does not keep the text. */
struct value must_read(const struct parameter *parameter, const char *text) {
    char message[MESSAGE_SIZE], spelling[VALUE_SIZE];
    struct value value;
    if (!parameter_read(parameter, text, &value, spelling, message))
        refuse(2, "%s", message);
    return value;
}
