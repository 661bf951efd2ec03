#include "harness/driver/record/parts.h"
#include "harness/driver/util/files.h"
#include "harness/measuring/cell/parameters.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTEMPTS_MAX 100000

char *parts_folder(const char *run, unsigned part, unsigned repeat) {
    struct text path = {0};
    text_format(&path, "%s/parts/%u/repeat-%u", run, part, repeat);
    return path.data;
}

char *parts_any_attempt(const char *run, unsigned parts) {
    for (unsigned part = 1; part <= parts; part++) {
        struct text path = {0};
        text_format(&path, "%s/parts/%u/repeat-1/attempt-1", run, part);
        char *manifest = path_join(path.data, "manifest.json");
        const bool there = access(manifest, R_OK) == 0;
        free(manifest);
        if (there)
            return path.data;
        text_free(&path);
    }
    return NULL;
}

/* Adds what the samples.csv in folder holds; none is nothing. */
static int add_finished(const char *folder, struct finished *finished, char *message) {
    struct text text = {0};
    struct finished found = {0};
    char why[MESSAGE_SIZE];
    size_t whole;
    char *path = path_join(folder, "samples.csv");
    const int unread = file_read(path, &text);
    int result = 0;
    if (unread && unread != ENOENT) {
        snprintf(message, MESSAGE_SIZE, "cannot read %.300s: %s", path, strerror(unread));
        result = 4;
    } else if (!unread && !samples_scan(text_string(&text), text.length, &found, &whole, why)) {
        snprintf(message, MESSAGE_SIZE, "%.200s cannot be gone on with: %.250s", path, why);
        result = 4;
    } else if (found.count > 0) {
        finished->at = reallocate(finished->at, finished->count + found.count, sizeof finished->at[0]);
        memcpy(finished->at + finished->count, found.at, found.count * sizeof found.at[0]);
        finished->count += found.count;
    }
    free(found.at);
    text_free(&text);
    free(path);
    return result;
}

int parts_begin(struct results *results, const char *run, unsigned part, unsigned repeat, struct finished *finished,
                char *message) {
    char *parent = parts_folder(run, part, repeat);
    *finished = (struct finished){0};
    /* in a merged run the invocations of other repeats have other numbers */
    int result = repeat == 1 ? add_finished(run, finished, message) : 0;
    bool made = false;
    for (unsigned attempt = 1; attempt < ATTEMPTS_MAX && !made && result == 0; attempt++) {
        char name[32];
        snprintf(name, sizeof name, "attempt-%u", attempt);
        char *folder = path_join(parent, name);
        if (access(folder, F_OK) != 0) {
            result = results_create(results, parent, name, message);
            made = result == 0;
            if (result == 2) /* somebody made it just now */
                results_close(results);
        }
        if (!made && (result == 0 || result == 2))
            result = add_finished(folder, finished, message);
        free(folder);
    }
    free(parent);
    return result;
}

int parts_agree(const char *run, const struct text *split, struct text *text, char *message) {
    char *path = path_join(run, "split.csv");
    int unmade = folder_make(run);
    if (!unmade && access(path, F_OK) != 0)
        unmade = file_make(path, split);
    if (!unmade || unmade == EEXIST)
        unmade = file_read(path, text);
    if (unmade)
        snprintf(message, MESSAGE_SIZE, "cannot make %.300s: %s", path, strerror(unmade));
    free(path);
    return unmade ? 4 : 0;
}
