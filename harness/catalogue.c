#include "harness/catalogue.h"
#include "harness/files.h"
#include "harness/process.h"
#include "harness/text.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIBE_TIMEOUT 2.0 /* it takes milliseconds; one that hangs costs every command so much */

static void add_to(struct catalogue_broken **list, size_t *count, const char *id, const char *why) {
    *list = reallocate(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = (struct catalogue_broken){duplicate(id), duplicate(why)};
}

static void free_list(struct catalogue_broken *list, size_t count) {
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

/* Fills deque->description by asking; false with a message. */
static bool ask(struct catalogue_deque *deque, char *message) {
    const char *const arguments[] = {deque->executable, "--describe", NULL};
    struct process process;
    process_run(&process, arguments, DESCRIBE_TIMEOUT);
    bool fine = process.end == PROCESS_EXITED && process.code == 0;
    if (!fine)
        process_say(&process, DESCRIBE_TIMEOUT, message);
    if (process.end == PROCESS_TIMEOUT)
        fprintf(stderr, "left out: %s: asked what it is (--describe), it %s\n", deque->executable, message);
    if (fine)
        fine = description_parse(&deque->description, text_string(&process.output), message);
    process_free(&process);
    if (fine && strcmp(description_field(&deque->description, "id"), deque->id) != 0) {
        snprintf(message, MESSAGE_SIZE, "calls itself %s", description_field(&deque->description, "id"));
        fine = false;
    }
    return fine;
}

static void free_deque(struct catalogue_deque *deque) {
    description_free(&deque->description);
    free(deque->id);
    free(deque->executable);
    free(deque->items4);
}

static void add_deque(struct catalogue *catalogue, const char *path, const char *id) {
    char message[MESSAGE_SIZE];
    struct catalogue_deque deque = {.id = duplicate(id), .executable = duplicate(path)};
    int unread = file_hash(path, &deque.content);
    if (unread)
        snprintf(message, sizeof message, "cannot be read: %s", strerror(unread));
    if (unread || !ask(&deque, message)) {
        add_to(&catalogue->broken, &catalogue->broken_count, id, message);
        free_deque(&deque);
        return;
    }
    deque.sound = strcmp(description_field(&deque.description, "sound"), "1") == 0;
    deque.baseline = strcmp(description_field(&deque.description, "baseline"), "1") == 0;
    catalogue->deques = reallocate(catalogue->deques, catalogue->deque_count + 1, sizeof deque);
    catalogue->deques[catalogue->deque_count++] = deque;
}

/* below: the part of the ids that this folder adds, "" or "as_published/". */
static void look_into(struct catalogue *catalogue, const char *folder, const char *below) {
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
            look_into(catalogue, path, id.data);
        } else if (there && strcmp(entry->d_name, NOT_BUILT_FILE) == 0) {
            add_absent(catalogue, path, below);
        } else if (there && S_ISREG(status.st_mode) && access(path, X_OK) == 0) {
            add_deque(catalogue, path, id.data);
        }
        text_free(&id);
        free(path);
    }
    if (entries)
        closedir(entries);
}

static int rank(const struct catalogue_deque *deque) { return deque->baseline ? 0 : deque->sound ? 1 : 2; }

static int compare_deques(const void *a, const void *b) {
    const struct catalogue_deque *x = a, *y = b;
    return rank(x) != rank(y) ? rank(x) - rank(y) : strcmp(x->id, y->id);
}

static int compare_broken(const void *a, const void *b) {
    return strcmp(((const struct catalogue_broken *)a)->id, ((const struct catalogue_broken *)b)->id);
}

int catalogue_open(struct catalogue *catalogue, const char *folder, char *message) {
    *catalogue = (struct catalogue){0};
    look_into(catalogue, folder, "");
    if (catalogue->deque_count > 0)
        qsort(catalogue->deques, catalogue->deque_count, sizeof catalogue->deques[0], compare_deques);
    if (catalogue->broken_count > 0)
        qsort(catalogue->broken, catalogue->broken_count, sizeof catalogue->broken[0], compare_broken);
    if (catalogue->absent_count > 0)
        qsort(catalogue->absent, catalogue->absent_count, sizeof catalogue->absent[0], compare_broken);
    if (catalogue->deque_count > 0)
        return 0;
    if (catalogue->broken_count > 0)
        snprintf(message, MESSAGE_SIZE, "no deque in %s describes itself; %s %s", folder, catalogue->broken[0].id,
                 catalogue->broken[0].why);
    else
        snprintf(message, MESSAGE_SIZE, "no deque in %s: build them by `make`", folder);
    return 3;
}

void catalogue_find_items4(struct catalogue *catalogue, const char *folder) {
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        struct catalogue_deque *deque = &catalogue->deques[i];
        char *path = path_join(folder, deque->id);
        if (access(path, X_OK) == 0 && file_hash(path, &deque->items4_content) == 0)
            deque->items4 = path;
        else
            free(path);
    }
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

const char *catalogue_absent(const struct catalogue *catalogue, const char *id) {
    for (size_t i = 0; i < catalogue->absent_count; i++)
        if (strcmp(catalogue->absent[i].id, id) == 0)
            return catalogue->absent[i].why;
    return NULL;
}

const struct catalogue_deque *catalogue_with_workload(const struct catalogue *catalogue, const char *workload) {
    for (size_t i = 0; i < catalogue->deque_count; i++)
        if (description_workload(&catalogue->deques[i].description, workload))
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
    static const char *const group_names[] = {"all", "sound", "baseline", "unsound"};
    const size_t group_count = groups ? sizeof group_names / sizeof group_names[0] : 0;
    *deque = catalogue_find(catalogue, id);
    if (*deque)
        return 0;
    for (size_t i = 0; i < catalogue->broken_count; i++) {
        if (strcmp(catalogue->broken[i].id, id) == 0) {
            snprintf(message, MESSAGE_SIZE, "%s: asked what it is (--describe), it %s", id, catalogue->broken[i].why);
            return 3;
        }
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

int catalogue_must_have_workload(const struct catalogue *catalogue, const char *workload, char *message) {
    const char **names = NULL;
    size_t count = 0;
    if (catalogue_with_workload(catalogue, workload))
        return 0;
    for (size_t i = 0; i < catalogue->deque_count; i++) {
        const struct description *description = &catalogue->deques[i].description;
        for (size_t j = 0; j < description->workload_count; j++) {
            const char *name = description->workloads[j].name;
            if (catalogue_with_workload(catalogue, name) != &catalogue->deques[i])
                continue;
            names = reallocate(names, count + 1, sizeof names[0]);
            names[count++] = name;
        }
    }
    say_unknown("workload", workload, names, count, message);
    free(names);
    return 2;
}
