/* catalogue.c: the list of deques, found by asking each executable in a build folder to --describe itself. */
#pragma once

#include "harness/driver/plan/description.c"
#include "harness/driver/util/process.c"
#include "harness/driver/util/refuse.c"
#include "harness/measuring/cell.h"

/* One of a deque's executables, and its description. */
struct catalogue_part {
    char *executable; /* its path */
    uint64_t content; /* hash of its bytes */
    struct description description;
    char *variants[CELL_VARIANTS]; /* of the same code: number 1 first, FOLDER.NUMBER/ID beside FOLDER/ID */
    uint64_t variant_contents[CELL_VARIANTS];
    unsigned variant_count;
};

enum deque_kind { DEQUE_REFERENCE, DEQUE_SOUND, DEQUE_UNSOUND };

struct catalogue_deque {
    const char *id;                    /* path below the folders: "chase_lev", "as_published/lf_queue" */
    LIST(struct catalogue_part) parts; /* in the folders' order; at least one */
    enum deque_kind kind;
    const char *stamp; /* in a word, once it is known */
};

/* A file in a folder of executables: the deques that cannot be built here, a line each: name, tab, reason. */
#define NOT_BUILT_FILE "not_built.txt"

struct catalogue {
    LIST(struct catalogue_deque) deques; /* by kind, then by id */
    json_t *broken, *absent;             /* why, by id: no description; not built here */
    const char *why_empty;               /* why there are no deques; NULL: there are some */
};

/* Words that stand for several deques: in a suite's deque=, and in --deque. */
#define DEQUE_GROUPS "all|classic|sound|reference|unsound"

#ifndef DESCRIBE_TIMEOUT     /* tests/numa.sh sets more, for a busy guest without hardware support */
#define DESCRIBE_TIMEOUT 2.0 /* describing takes milliseconds; a deque that hangs costs every command this long */
#endif

/* Keeps the first reason. */
static void add_why(json_t *why_of, const char *id, const char *why) {
    if (!json_object_get(why_of, id))
        json_object_set_new(why_of, id, json_of_text(why));
}

/* path: a NOT_BUILT_FILE. */
static void add_absent(struct catalogue *catalogue, const char *path, const char *below) {
    const struct words lines = split_words(file_text(path), "\n");
    foreach (line, lines) {
        const char *tab = strchr(*line, '\t');
        if (tab)
            add_why(catalogue->absent, formatted("%s%.*s", below, (int)(tab - *line), *line), tab + 1);
    }
}

/* Those that cannot be built, of ours and of other people's. */
static void add_absents(struct catalogue *catalogue, const char *build) {
    const char *folder = path_join(build, "described/deques");
    const struct words lists = files_below(folder, NOT_BUILT_FILE);
    foreach (below, lists)
        add_absent(catalogue, formatted("%s/%s" NOT_BUILT_FILE, folder, *below), *below);
}

/* Asks the executable and fills part->description. NULL, or why it cannot. id: what it should call itself. */
static const char *ask(struct catalogue_part *part, const char *id) {
    const char *const arguments[] = {part->executable, "--describe", NULL};
    struct process process;
    process_run(&process, arguments, DESCRIBE_TIMEOUT);
    const bool ended = process.end == PROCESS_EXITED && process.code == 0;
    const char *why = ended ? description_parse(&part->description, text_string(&process.output))
                            : process_ending(&process, DESCRIBE_TIMEOUT);
    if (process.end == PROCESS_TIMEOUT)
        fprintf(stderr, "left out: %s: its --describe %s\n", part->executable, why);
    process_free(&process);
    const char *own = why ? id : description_field(&part->description, "id");
    return same(own, id) ? why : formatted("calls itself %s", own);
}

char *catalogue_variant(const char *executable, const char *id, unsigned number) {
    return formatted("%.*s.%u/%s", (int)(strlen(executable) - strlen(id) - 1), executable, number, id);
}

/* A variant older than the executable was built from other sources. */
static void find_variants(struct catalogue_part *part, const char *id) {
    struct stat plain, other;
    while (part->variant_count + 1 < CELL_VARIANTS && stat(part->executable, &plain) == 0) {
        char *path = catalogue_variant(part->executable, id, part->variant_count + 1);
        if (stat(path, &other) != 0 || other.st_mtime < plain.st_mtime || access(path, X_OK) != 0 ||
            file_hash(path, &part->variant_contents[part->variant_count]) != 0)
            return;
        part->variants[part->variant_count++] = path;
    }
}

/* The deque of that id, or NULL; why it is not built here, or NULL. */
struct catalogue_deque *catalogue_find(const struct catalogue *catalogue, const char *id) {
    foreach (deque, catalogue->deques)
        if (same(deque->id, id))
            return deque;
    return NULL;
}

const char *catalogue_why_absent(const struct catalogue *catalogue, const char *id) {
    return json_string_value(json_object_get(catalogue->absent, id));
}

/* A field of the deque's description, or "". */
const char *catalogue_fact(const struct catalogue_deque *deque, const char *field) {
    return description_field(&deque->parts.at[0].description, field);
}

/* why: it cannot be described; or NULL. */
static void add_part(struct catalogue *catalogue, const char *id, const struct catalogue_part *part, const char *why) {
    if (why) {
        add_why(catalogue->broken, id, why);
        return;
    }
    struct catalogue_deque *deque = catalogue_find(catalogue, id);
    if (!deque)
        *(deque = ONE_MORE(catalogue->deques)) = (struct catalogue_deque){.id = duplicate(id)};
    *ONE_MORE(deque->parts) = *part;
    deque->kind = same(catalogue_fact(deque, "reference"), "1") ? DEQUE_REFERENCE
                  : same(catalogue_fact(deque, "sound"), "1")   ? DEQUE_SOUND
                                                                : DEQUE_UNSOUND;
}

/* own: the id as the executable knows it, without the name of its side. */
static void add_executable(struct catalogue *catalogue, const char *path, const char *id, const char *own) {
    struct catalogue_part part = {.executable = duplicate(path)};
    const int unread = file_hash(path, &part.content);
    const char *why = unread ? formatted("cannot be read: %s", strerror(unread)) : ask(&part, own);
    find_variants(&part, own);
    add_part(catalogue, id, &part, why);
}

/* Adds the executables of a folder. ids: only these, or NULL; side: prefix of the ids. */
static void look_into(struct catalogue *catalogue, const struct words *ids, const char *folder, const char *side) {
    const struct words files = files_below(folder, "");
    foreach (file, files) {
        const char *path = path_join(folder, *file), *id = formatted("%s%s", side, *file);
        if (same(basename(duplicate(path)), NOT_BUILT_FILE))
            add_absent(catalogue, path, formatted("%.*s", (int)(strlen(id) - strlen(NOT_BUILT_FILE)), id));
        else if (access(path, X_OK) == 0 && (!ids || words_have(*ids, id)))
            add_executable(catalogue, path, id, *file);
    }
}

static int compare_deques(const void *a, const void *b) {
    const struct catalogue_deque *x = a, *y = b;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->id, y->id);
}

/* Sorts the lists. Drops deques with a broken executable. */
static void finish(struct catalogue *catalogue, const char *folders) {
    void *first = json_object_iter(catalogue->broken);
    size_t kept = 0;
    foreach (deque, catalogue->deques)
        if (!json_object_get(catalogue->broken, deque->id))
            catalogue->deques.at[kept++] = *deque;
    catalogue->deques.count = kept;
    if (kept > 0)
        qsort(catalogue->deques.at, kept, sizeof catalogue->deques.at[0], compare_deques);
    else if (first)
        catalogue->why_empty = formatted("no deque in %s describes itself; %s %s", folders, json_object_iter_key(first),
                                         json_string_value(json_object_iter_value(first)));
    else
        catalogue->why_empty = formatted("no deque in %s: build them by `make`", folders);
}

/* Asks every executable below the folders ("a:b"). Executables with the same path below their folders belong to one
 * deque. "head=a" means folder a, with head/ before its ids: for two builds of a deque. above: the parent of the
 * folders, or NULL. ids: ask only these deques, because executables under sanitizers start slowly; or NULL. */
struct catalogue catalogue_open(const char *above, const char *folders, const struct words *ids) {
    const struct words names = split_words(folders, ":");
    struct catalogue catalogue = {.broken = json_object(), .absent = json_object()};
    foreach (name, names) {
        const size_t side = strcspn(*name, "/="); /* else it is a path that contains a = */
        const bool sided = side > 0 && (*name)[side] == '=';
        const char *folder = *name + (sided ? side + 1 : 0);
        look_into(&catalogue, ids, above ? path_join(above, folder) : folder,
                  sided ? formatted("%.*s/", (int)side, *name) : "");
    }
    if (above)
        add_absents(&catalogue, above);
    finish(&catalogue, above ? above : folders);
    return catalogue;
}

/* The executables that are timed, BUILD/deques/FAMILY/ID, and the checks. If one of ids is not there, asks all, so that
 * a wrong name can be told from others. */
struct catalogue catalogue_open_built(const char *build, const struct words *ids) {
    const struct words families = folder_names(path_join(build, "deques"), "");
    const char *folders = "checks:stress:pool_checks";
    for (size_t i = families.count; i-- > 0;)
        if (!strchr(families.at[i], '.')) /* else it holds another variant */
            folders = formatted("deques/%s:%s", families.at[i], folders);
    const struct catalogue catalogue = catalogue_open(build, folders, ids);
    return ids && catalogue.deques.count < ids->count ? catalogue_open(build, folders, NULL) : catalogue;
}

/* Reads the descriptions that the build wrote below BUILD/described, for lists and plans before anything is built. Asks
 * the executables if there are none. */
struct catalogue catalogue_open_described(const char *build) {
    const struct words deques = files_below(path_join(build, "described/deques"), ""),
                       families = folder_names(path_join(build, "described/families"), "");
    struct catalogue catalogue = {.broken = json_object(), .absent = json_object()};
    struct words of_family = {0};
    for (size_t i = 0; i < families.count; i++)
        words_add(&of_family, file_text(formatted("%s/described/families/%s", build, families.at[i])));
    foreach (id, deques) {
        const char *of_deque = file_text(formatted("%s/described/deques/%s", build, *id));
        for (size_t i = 0; i < families.count && !ends_with(*id, NOT_BUILT_FILE); i++) {
            struct catalogue_part part = {.executable = formatted("%s/deques/%s/%s", build, families.at[i], *id)};
            const char *why = description_parse(&part.description, formatted("%s%s", of_deque, of_family.at[i]));
            add_part(&catalogue, *id, &part, why);
        }
    }
    if (catalogue.deques.count == 0 && json_object_size(catalogue.broken) == 0)
        return catalogue_open_built(build, NULL);
    add_absents(&catalogue, build);
    finish(&catalogue, build);
    return catalogue;
}

void catalogue_must_hold(const struct catalogue *catalogue) {
    if (catalogue->why_empty)
        refuse(3, "%s", catalogue->why_empty);
}

/* The executable that holds the workload, or NULL. One for cells of one setting only comes last. */
const struct catalogue_part *catalogue_part_with(const struct catalogue_deque *deque, const char *workload) {
    const struct catalogue_part *found = NULL;
    foreach (part, deque->parts) {
        if (!description_workload(&part->description, workload))
            continue;
        if (!*description_field(&part->description, "variant"))
            return part;
        found = found ? found : part;
    }
    return found;
}

/* The deque of that id. Refuses a deque that is broken, not built or unknown. groups: suggest the groups as well. */
const struct catalogue_deque *catalogue_must_find(const struct catalogue *catalogue, const char *id, bool groups) {
    const char *broken = json_string_value(json_object_get(catalogue->broken, id)),
               *absent = catalogue_why_absent(catalogue, id);
    const struct catalogue_deque *found = catalogue_find(catalogue, id);
    if (found)
        return found;
    if (broken)
        refuse(3, "%s: its --describe %s", id, broken);
    if (absent)
        refuse(3, "%s is not built here: %.400s", id, absent);
    struct words names = {0};
    foreach (deque, catalogue->deques)
        words_add(&names, deque->id);
    words_add_all(&names, split_words(groups ? DEQUE_GROUPS : "", "|"));
    refuse_unknown("deque", id, names);
}
