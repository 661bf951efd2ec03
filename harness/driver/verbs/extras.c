#include "harness/driver/verbs/verbs.h"

/* The folders below extras/ that hold a program `run`. */
static struct words parts_of(const char *folder) {
    const struct words names = folder_names(folder, "");
    struct words parts = {0};
    for (size_t i = 0; i < names.count; i++)
        if (access(formatted("%s/%s/run", folder, names.at[i]), X_OK) == 0)
            words_add(&parts, names.at[i]);
    return parts;
}

/* Without a name: what there is. With one: its program gets the words behind it, and the user's folder for paths. */
int carry_out_extras(const struct job *job) {
    const char *folder = path_join(job->root, "extras");
    const struct words parts = parts_of(folder), *given = &job->line->given;
    for (size_t i = 0; given->count == 0 && i < parts.count; i++) {
        char title[256];
        file_line(formatted("%s/%s/README.md", folder, parts.at[i]), title, sizeof title);
        printf("%-12s %s\n", parts.at[i], title + strspn(title, "# "));
    }
    if (given->count == 0)
        return 0;
    if (!words_have(&parts, given->at[0]))
        refuse_unknown("extra", given->at[0], &parts);
    struct words words = words_of(formatted("extras/%s/run", given->at[0]), NULL);
    for (size_t i = 1; i < given->count; i++)
        words_add(&words, given->at[i]);
    return call(words);
}
