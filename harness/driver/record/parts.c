#include "harness/driver/record/parts.h"
#include "harness/driver/util/files.h"
#include "harness/measuring/cell/parameters.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTEMPTS_MAX 100000

static char *parts_folder(const char *run, unsigned part, unsigned repeat) {
    return formatted("%s/parts/%u/repeat-%u", run, part, repeat);
}

char *parts_any_attempt(const char *run, unsigned parts) {
    for (unsigned part = 1; part <= parts; part++) {
        char *attempt = path_join(parts_folder(run, part, 1), "attempt-1");
        if (access(path_join(attempt, "manifest.json"), R_OK) == 0)
            return attempt;
    }
    return NULL;
}

/* Adds what the samples.csv in folder holds; none is nothing. */
static int add_finished(const char *folder, struct finished *finished, char *message) {
    struct text text = {0};
    struct finished found = {0};
    char why[MESSAGE_SIZE];
    size_t whole;
    const char *path = path_join(folder, "samples.csv");
    const int unread = file_read(path, &text);
    if (unread)
        return unread == ENOENT ? 0 : fail(message, 4, "cannot read %.300s: %s", path, strerror(unread));
    const bool fine = samples_scan(text_string(&text), text.length, &found, &whole, why);
    text_free(&text);
    if (!fine)
        return fail(message, 4, "%.200s cannot be continued: %.250s", path, why);
    finished->at = reallocate(finished->at, finished->count + found.count, sizeof finished->at[0]);
    for (size_t i = 0; i < found.count; i++)
        finished->at[finished->count++] = found.at[i];
    return 0;
}

int parts_begin(struct results *results, const char *run, unsigned part, unsigned repeat, struct finished *finished,
                char *message) {
    const char *parent = parts_folder(run, part, repeat);
    *finished = (struct finished){0};
    /* in a merged run the invocations of other repeats have other numbers */
    int result = repeat == 1 ? add_finished(run, finished, message) : 0;
    for (unsigned attempt = 1; attempt < ATTEMPTS_MAX && result == 0; attempt++) {
        const char *name = formatted("attempt-%u", attempt), *folder = path_join(parent, name);
        if (access(folder, F_OK) != 0) {
            result = results_create(results, parent, name, message);
            if (result != 2)
                return result;
            results_close(results); /* somebody made it just now */
        }
        result = add_finished(folder, finished, message);
    }
    return result;
}

int parts_agree(const char *run, const struct text *split, struct text *text, char *message) {
    const char *path = path_join(run, "split.csv");
    int unmade = folder_make(run);
    if (!unmade && access(path, F_OK) != 0)
        unmade = file_make(path, split);
    if (!unmade || unmade == EEXIST)
        unmade = file_read(path, text);
    return unmade ? fail(message, 4, "cannot make %.300s: %s", path, strerror(unmade)) : 0;
}
