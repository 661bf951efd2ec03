#include "harness/driver/plan/catalogue.h"
#include "harness/driver/util/files.h"
#include "harness/driver/util/process.h"
#include "harness/driver/util/text.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef DESCRIBE_TIMEOUT /* a guest without hardware support, on a busy machine, is built with more (tests/numa.sh) */
#define DESCRIBE_TIMEOUT 2.0 /* it takes milliseconds; one that hangs costs every command so much */
#endif

static void add_to(struct catalogue_unusable **list, size_t *count, const char *id, const char *why) {
    *list = reallocate(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = (struct catalogue_unusable){duplicate(id), duplicate(why)};
}

static void free_list(struct catalogue_unusable *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(list[i].id);
        free(list[i].why);
    }
    free(list);
}

/* path: a NOT_BUILT_FILE. */
static void add_absent(struct catalogue *catalogue, const char *path, const char *below) {
    struct text text = {0};
    char *rest = NULL;
    if (file_read(path, &text) == 0 && text.length > 0) {
        for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            struct text id = {0};
            char *tab = strchr(line, '\t');
            if (!tab)
                continue;
            text_format(&id, "%s%.*s", below, (int)(tab - line), line);
            add_to(&catalogue->absent, &catalogue->absent_count, id.data, tab + 1);
            text_free(&id);
        }
    }
    text_free(&text);
}

/* Fills part->description by asking; false with a message. id: what it should call itself. */
static bool ask(struct catalogue_part *part, const char *id, char *message) {
    const char *const arguments[] = {part->executable, "--describe", NULL};
    struct process process;
    process_run(&process, arguments, DESCRIBE_TIMEOUT);
    bool fine = process.end == PROCESS_EXITED && process.code == 0;
    if (!fine)
        process_say(&process, DESCRIBE_TIMEOUT, message);
    if (process.end == PROCESS_TIMEOUT)
        fprintf(stderr, "left out: %s: asked what it is (--describe), it %s\n", part->executable, message);
    if (fine)
        fine = description_parse(&part->description, text_string(&process.output), message);
    process_free(&process);
    if (fine && strcmp(description_field(&part->description, "id"), id) != 0) {
        snprintf(message, MESSAGE_SIZE, "calls itself %s", description_field(&part->description, "id"));
        fine = false;
    }
    return fine;
}

/* One that is older than the executable is of other sources. */
static void find_layouts(struct catalogue_part *part, const char *folder, const char *id) {
    struct stat plain, other;
    while (stat(part->executable, &plain) == 0) {
        struct text path = {0};
        uint64_t content;
        text_format(&path, "%s_layouts/%u/%s", folder, part->layout_count + 1, id);
        if (stat(path.data, &other) != 0 || other.st_mtime < plain.st_mtime || access(path.data, X_OK) != 0 ||
            file_hash(path.data, &content) != 0) {
            text_free(&path);
            return;
        }
        part->layouts = reallocate(part->layouts, part->layout_count + 1, sizeof part->layouts[0]);
        part->layout_contents = reallocate(part->layout_contents, part->layout_count + 1, sizeof content);
        part->layout_contents[part->layout_count] = content;
        part->layouts[part->layout_count++] = path.data;
    }
}

/* The same from what make wrote down of an executable that need not be there. */
static bool read_described(struct catalogue_part *part, const char *path, char *message) {
    struct text text = {0};
    int unread = file_read(path, &text);
    if (unread)
        snprintf(message, MESSAGE_SIZE, "cannot be read: %s", strerror(unread));
    bool fine = unread == 0 && description_parse(&part->description, text_string(&text), message);
    text_free(&text);
    return fine;
}

static void free_part(struct catalogue_part *part) {
    for (unsigned i = 0; i < part->layout_count; i++)
        free(part->layouts[i]);
    free(part->layouts);
    free(part->layout_contents);
    description_free(&part->description);
    free(part->executable);
}

static void free_deque(struct catalogue_deque *deque) {
    for (size_t i = 0; i < deque->part_count; i++)
        free_part(&deque->parts[i]);
    free(deque->parts);
    free(deque->id);
}

static struct catalogue_deque *deque_of(struct catalogue *catalogue, const char *id) {
    for (size_t i = 0; i < catalogue->deque_count; i++)
        if (strcmp(catalogue->deques[i].id, id) == 0)
            return &catalogue->deques[i];
    catalogue->deques = reallocate(catalogue->deques, catalogue->deque_count + 1, sizeof catalogue->deques[0]);
    catalogue->deques[catalogue->deque_count] = (struct catalogue_deque){.id = duplicate(id)};
    return &catalogue->deques[catalogue->deque_count++];
}

/* Which deques are asked for; none: all. described: descriptions are read, and this is where the executables that they
 * are of would be. */
struct asked {
    const char *const *ids;
    size_t count;
    const char *described;
};

static bool is_asked(const struct asked *asked, const char *id) {
    for (size_t i = 0; i < asked->count; i++)
        if (strcmp(asked->ids[i], id) == 0)
            return true;
    return asked->count == 0;
}

/* above: the folder of executables; own: the part of the id that the executable knows, behind the name of its side. */
static void add_part(struct catalogue *catalogue, const struct asked *asked, const char *above, const char *path,
                     const char *id, const char *own) {
    char message[MESSAGE_SIZE];
    struct catalogue_part part = {.executable = asked->described ? path_join(asked->described, id) : duplicate(path)};
    int unread = file_hash(part.executable, &part.content);
    if (unread)
        snprintf(message, sizeof message, "cannot be read: %s", strerror(unread));
    if (asked->described ? !read_described(&part, path, message) : unread || !ask(&part, own, message)) {
        if (!catalogue_broken(catalogue, id))
            add_to(&catalogue->broken, &catalogue->broken_count, id, message);
        free_part(&part);
        return;
    }
    find_layouts(&part, above, own);
    struct catalogue_deque *deque = deque_of(catalogue, id);
    deque->parts = reallocate(deque->parts, deque->part_count + 1, sizeof part);
    deque->parts[deque->part_count++] = part;
    deque->sound = strcmp(catalogue_fact(deque, "sound"), "1") == 0;
    deque->reference = strcmp(catalogue_fact(deque, "reference"), "1") == 0;
}

/* A deque with an executable that is broken is broken. */
static void drop_broken(struct catalogue *catalogue) {
    size_t kept = 0;
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        if (catalogue_broken(catalogue, catalogue->deques[i].id))
            free_deque(&catalogue->deques[i]);
        else
            catalogue->deques[kept++] = catalogue->deques[i];
    }
    catalogue->deque_count = kept;
}

/* above: the folder that was named; below: the part of the ids that this one adds, "" or "as_published/"; side: how
 * much of it is the name of a side. */
static void look_into(struct catalogue *catalogue, const struct asked *asked, const char *above, const char *folder,
                      const char *below, size_t side) {
    DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        struct stat status;
        if (entry->d_name[0] == '.')
            continue;
        char *path = path_join(folder, entry->d_name);
        struct text id = {0};
        text_format(&id, "%s%s", below, entry->d_name);
        bool there = stat(path, &status) == 0;
        if (there && S_ISDIR(status.st_mode)) {
            text_add(&id, "/");
            look_into(catalogue, asked, above, path, id.data, side);
        } else if (there && strcmp(entry->d_name, NOT_BUILT_FILE) == 0) {
            add_absent(catalogue, path, below);
        } else if (there && S_ISREG(status.st_mode) && (asked->described || access(path, X_OK) == 0) &&
                   is_asked(asked, id.data)) {
            add_part(catalogue, asked, above, path, id.data, id.data + side);
        }
        text_free(&id);
        free(path);
    }
    if (entries)
        closedir(entries);
}

static int rank(const struct catalogue_deque *deque) { return deque->reference ? 0 : deque->sound ? 1 : 2; }

static int compare_deques(const void *a, const void *b) {
    const struct catalogue_deque *x = a, *y = b;
    return rank(x) != rank(y) ? rank(x) - rank(y) : strcmp(x->id, y->id);
}

static int compare_broken(const void *a, const void *b) {
    return strcmp(((const struct catalogue_unusable *)a)->id, ((const struct catalogue_unusable *)b)->id);
}

/* "head=build/deques": the folder, and "head/" for the ids. What has a slash before its = is a path. */
static const char *side_of(char **name, struct text *side) {
    char *equals = strchr(*name, '=');
    if (equals && equals > *name && !memchr(*name, '/', (size_t)(equals - *name))) {
        text_format(side, "%.*s/", (int)(equals - *name), *name);
        *name = equals + 1;
    }
    return text_string(side);
}

/* 0; 3 with a message when nothing was found in these folders. */
static int finish(struct catalogue *catalogue, const char *folders, char *message) {
    drop_broken(catalogue);
    if (catalogue->deque_count > 0)
        qsort(catalogue->deques, catalogue->deque_count, sizeof catalogue->deques[0], compare_deques);
    if (catalogue->broken_count > 0)
        qsort(catalogue->broken, catalogue->broken_count, sizeof catalogue->broken[0], compare_broken);
    if (catalogue->absent_count > 0)
        qsort(catalogue->absent, catalogue->absent_count, sizeof catalogue->absent[0], compare_broken);
    if (catalogue->deque_count > 0)
        return 0;
    if (catalogue->broken_count > 0)
        snprintf(message, MESSAGE_SIZE, "no deque in %s describes itself; %s %s", folders, catalogue->broken[0].id,
                 catalogue->broken[0].why);
    else
        snprintf(message, MESSAGE_SIZE, "no deque in %s: build them by `make`", folders);
    return 3;
}

int catalogue_open(struct catalogue *catalogue, const char *above, const char *folders, char *message) {
    return catalogue_open_some(catalogue, above, folders, NULL, 0, message);
}

int catalogue_open_some(struct catalogue *catalogue, const char *above, const char *folders, const char *const *ids,
                        size_t count, char *message) {
    const struct asked asked = {ids, count, NULL};
    char *names = duplicate(folders), *rest = NULL;
    *catalogue = (struct catalogue){0};
    for (char *name = strtok_r(names, ":", &rest); name; name = strtok_r(NULL, ":", &rest)) {
        struct text side = {0};
        const char *below = side_of(&name, &side);
        char *folder = above ? path_join(above, name) : duplicate(name);
        look_into(catalogue, &asked, folder, folder, below, side.length);
        free(folder);
        text_free(&side);
    }
    free(names);
    return finish(catalogue, above ? above : folders, message);
}

int catalogue_open_described(struct catalogue *catalogue, const char *build, char *message) {
    static const char *const parts[] = {"deques", "pool"};
    char *described = path_join(build, "described");
    if (access(described, R_OK) != 0) {
        free(described);
        return catalogue_open(catalogue, build, DEQUE_FOLDERS, message);
    }
    *catalogue = (struct catalogue){0};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char *folder = path_join(described, parts[i]), *executables = path_join(build, parts[i]);
        look_into(catalogue, &(struct asked){.described = executables}, executables, folder, "", 0);
        free(folder);
        free(executables);
    }
    free(described);
    return finish(catalogue, build, message);
}

void catalogue_close(struct catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->deque_count; i++)
        free_deque(&catalogue->deques[i]);
    free_list(catalogue->broken, catalogue->broken_count);
    free_list(catalogue->absent, catalogue->absent_count);
    free(catalogue->deques);
    *catalogue = (struct catalogue){0};
}

const struct catalogue_deque *catalogue_find(const struct catalogue *catalogue, const char *id) {
    for (size_t i = 0; i < catalogue->deque_count; i++)
        if (strcmp(catalogue->deques[i].id, id) == 0)
            return &catalogue->deques[i];
    return NULL;
}

static const char *why_of(const struct catalogue_unusable *list, size_t count, const char *id) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].id, id) == 0)
            return list[i].why;
    return NULL;
}

const char *catalogue_absent(const struct catalogue *catalogue, const char *id) {
    return why_of(catalogue->absent, catalogue->absent_count, id);
}

const char *catalogue_broken(const struct catalogue *catalogue, const char *id) {
    return why_of(catalogue->broken, catalogue->broken_count, id);
}

const char *catalogue_fact(const struct catalogue_deque *deque, const char *field) {
    return description_field(&deque->parts[0].description, field);
}

const struct catalogue_part *catalogue_part_with(const struct catalogue_deque *deque, const char *workload) {
    for (size_t i = 0; i < deque->part_count; i++) {
        const struct description *description = &deque->parts[i].description;
        if (description_workload(description, workload) && !*description_field(description, "variant"))
            return &deque->parts[i];
    }
    return NULL;
}

const struct catalogue_deque *catalogue_with_workload(const struct catalogue *catalogue, const char *workload) {
    for (size_t i = 0; i < catalogue->deque_count; i++)
        if (catalogue_part_with(&catalogue->deques[i], workload))
            return &catalogue->deques[i];
    return NULL;
}

void say_unknown(const char *what, const char *word, const char *const *names, size_t count, char *message) {
    const char *nearest = nearest_name(word, names, count);
    int used = snprintf(message, MESSAGE_SIZE, "no such %s: %.60s; ", what, word);
    if (nearest) {
        snprintf(message + used, MESSAGE_SIZE - (size_t)used, "did you mean %s?", nearest);
        return;
    }
    used += snprintf(message + used, MESSAGE_SIZE - (size_t)used, "there %s", count ? "are" : "is none");
    for (size_t i = 0; i < count && used < MESSAGE_SIZE; i++)
        used += snprintf(message + used, MESSAGE_SIZE - (size_t)used, "%s %s", i ? "," : "", names[i]);
}

int catalogue_must_find(const struct catalogue *catalogue, const char *id, bool groups,
                        const struct catalogue_deque **deque, char *message) {
    static const char *const group_names[] = {"all", "sound", "reference", "unsound"};
    const size_t group_count = groups ? sizeof group_names / sizeof group_names[0] : 0;
    *deque = catalogue_find(catalogue, id);
    if (*deque)
        return 0;
    if (catalogue_broken(catalogue, id)) {
        snprintf(message, MESSAGE_SIZE, "%s: asked what it is (--describe), it %s", id,
                 catalogue_broken(catalogue, id));
        return 3;
    }
    if (catalogue_absent(catalogue, id)) {
        snprintf(message, MESSAGE_SIZE, "%s is not built here: %.400s", id, catalogue_absent(catalogue, id));
        return 3;
    }
    const char **names = allocate(catalogue->deque_count + group_count, sizeof names[0]);
    for (size_t i = 0; i < catalogue->deque_count; i++)
        names[i] = catalogue->deques[i].id;
    for (size_t i = 0; i < group_count; i++)
        names[catalogue->deque_count + i] = group_names[i];
    say_unknown("deque", id, names, catalogue->deque_count + group_count, message);
    free(names);
    return 2;
}

const struct described_workload *catalogue_workload(const struct catalogue *catalogue, size_t number) {
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        const struct catalogue_deque *deque = &catalogue->deques[i];
        for (size_t j = 0; j < deque->part_count; j++) {
            const struct description *description = &deque->parts[j].description;
            for (size_t k = 0; k < description->workload_count; k++) {
                const char *name = description->workloads[k].name;
                if (catalogue_with_workload(catalogue, name) == deque &&
                    catalogue_part_with(deque, name) == &deque->parts[j] && number-- == 0)
                    return &description->workloads[k];
            }
        }
    }
    return NULL;
}

int catalogue_must_have_workload(const struct catalogue *catalogue, const char *workload, char *message) {
    const struct described_workload *one;
    const char **names = NULL;
    size_t count = 0;
    if (catalogue_with_workload(catalogue, workload))
        return 0;
    while ((one = catalogue_workload(catalogue, count))) {
        names = reallocate(names, count + 1, sizeof names[0]);
        names[count++] = one->name;
    }
    say_unknown("workload", workload, names, count, message);
    free(names);
    return 2;
}
