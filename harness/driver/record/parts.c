#include "harness/driver/record/record.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static void add_finished(const char *folder, struct finished *finished) {
    struct text text = {0};
    size_t whole;
    const char *path = path_join(folder, "samples.csv");
    const int unread = file_read(path, &text);
    if (unread == ENOENT)
        return;
    if (unread)
        refuse(4, "cannot read %.300s: %s", path, strerror(unread));
    refusal_place = formatted("%.200s cannot be continued", path);
    const struct finished found = samples_scan(text_string(&text), text.length, &whole);
    refusal_place = NULL;
    text_free(&text);
    finished->at = reallocate(finished->at, finished->count + found.count, sizeof finished->at[0]);
    for (size_t i = 0; i < found.count; i++)
        finished->at[finished->count++] = found.at[i];
}

struct results parts_begin(const char *run, unsigned part, unsigned repeat, struct finished *finished) {
    const char *parent = parts_folder(run, part, repeat);
    struct results results;
    *finished = (struct finished){0};
    if (repeat == 1) /* in a merged run the invocations of other repeats have other numbers */
        add_finished(run, finished);
    for (unsigned attempt = 1;; attempt++) {
        const char *name = formatted("attempt-%u", attempt), *folder = path_join(parent, name);
        if (access(folder, F_OK) != 0 && results_make(&results, parent, name))
            return results;
        add_finished(folder, finished); /* another attempt's, made just now perhaps */
    }
}

void parts_agree(const char *run, const struct text *split, struct text *text) {
    const char *path = path_join(run, "split.csv");
    int unmade = folder_make(run);
    if (!unmade && access(path, F_OK) != 0)
        unmade = file_make(path, split);
    if (!unmade || unmade == EEXIST)
        unmade = file_read(path, text);
    if (unmade)
        refuse(4, "cannot make %.300s: %s", path, strerror(unmade));
}
