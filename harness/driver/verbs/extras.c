#include "harness/driver/verbs/names.c"

/* Without a name: what there is. With one: its program gets the words behind it, and the user's folder for paths. */
int carry_out_extras(const struct job *job) {
    const char *folder = path_join(job->root, "extras");
    const struct words folders = folder_names(folder, ""), given = job->line->given;
    struct words parts = {0};
    foreach (name, folders)
        if (access(formatted("%s/%s/run", folder, *name), X_OK) == 0)
            words_add(&parts, *name);
    if (given.count == 0) {
        foreach (name, parts) {
            const char *title = file_line(formatted("%s/%s/README.md", folder, *name));
            printf("%-12s %s\n", *name, title ? title + strspn(title, "# ") : "");
        }
        return 0;
    }
    if (!words_have(parts, given.at[0]))
        refuse_unknown("extra", given.at[0], parts);
    struct words words = words_of(formatted("extras/%s/run", given.at[0]), NULL);
    words_add_all(&words, (struct words){given.at + 1, given.count - 1});
    return call(words);
}
