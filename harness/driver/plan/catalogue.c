#include "harness/driver/plan/catalogue.h"
#include "harness/driver/util/process.h"

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
    struct text text = {0};
    file_read(path, &text);
    const struct words lines = split_words(text_string(&text), "\n");
    for (size_t i = 0; i < lines.count; i++) {
        const char *tab = strchr(lines.at[i], '\t');
        if (tab)
            add_why(catalogue->absent, formatted("%s%.*s", below, (int)(tab - lines.at[i]), lines.at[i]), tab + 1);
    }
}

/* Those that cannot be built, of ours and of other people's. */
static void add_absents(struct catalogue *catalogue, const char *build) {
    add_absent(catalogue, path_join(build, "described/deques/" NOT_BUILT_FILE), "");
    add_absent(catalogue, path_join(build, "described/deques/upstream/" NOT_BUILT_FILE), "upstream/");
    add_absent(catalogue, path_join(build, "described/deques/adopted/" NOT_BUILT_FILE), "adopted/");
}

/* Asks the executable and fills part->description. NULL, or why it cannot. id: what the executable should call itself.
 */
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
    return strcmp(own, id) == 0 ? why : formatted("calls itself %s", own);
}

char *catalogue_variant(const char *executable, const char *id, unsigned number) {
    return formatted("%.*s.%u/%s", (int)(strlen(executable) - strlen(id) - 1), executable, number, id);
}

/* A variant older than the executable was built from other sources. */
static void find_variants(struct catalogue_part *part, const char *id) {
    struct stat plain, other;
    while (stat(part->executable, &plain) == 0) {
        char *path = catalogue_variant(part->executable, id, part->variant_count + 1);
        uint64_t content;
        if (stat(path, &other) != 0 || other.st_mtime < plain.st_mtime || access(path, X_OK) != 0 ||
            file_hash(path, &content) != 0)
            return;
        part->variants = reallocate(part->variants, part->variant_count + 1, sizeof part->variants[0]);
        part->variant_contents = reallocate(part->variant_contents, part->variant_count + 1, sizeof content);
        part->variant_contents[part->variant_count] = content;
        part->variants[part->variant_count++] = path;
    }
}

static struct catalogue_deque *deque_of(struct catalogue *catalogue, const char *id) {
    const struct catalogue_deque *known = catalogue_find(catalogue, id);
    if (known)
        return &catalogue->deques[known - catalogue->deques];
    const size_t i = ONE_MORE(catalogue->deques, catalogue->deque_count);
    catalogue->deques[i] = (struct catalogue_deque){.id = duplicate(id)};
    return &catalogue->deques[i];
}

/* why: it cannot be described; or NULL. */
static void add_part(struct catalogue *catalogue, const char *id, const struct catalogue_part *part, const char *why) {
    if (why) {
        add_why(catalogue->broken, id, why);
        return;
    }
    struct catalogue_deque *deque = deque_of(catalogue, id);
    const size_t i = ONE_MORE(deque->parts, deque->part_count);
    deque->parts[i] = *part;
    deque->sound = strcmp(catalogue_fact(deque, "sound"), "1") == 0;
    deque->reference = strcmp(catalogue_fact(deque, "reference"), "1") == 0;
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
    for (size_t i = 0; i < files.count; i++) {
        const char *path = path_join(folder, files.at[i]), *id = formatted("%s%s", side, files.at[i]);
        if (strcmp(basename(path), NOT_BUILT_FILE) == 0)
            add_absent(catalogue, path, formatted("%.*s", (int)(strlen(id) - strlen(NOT_BUILT_FILE)), id));
        else if (access(path, X_OK) == 0 && (!ids || words_have(ids, id)))
            add_executable(catalogue, path, id, files.at[i]);
    }
}

static int rank(const struct catalogue_deque *deque) { return deque->reference ? 0 : deque->sound ? 1 : 2; }

static int compare_deques(const void *a, const void *b) {
    const struct catalogue_deque *x = a, *y = b;
    return rank(x) != rank(y) ? rank(x) - rank(y) : strcmp(x->id, y->id);
}

/* Sorts the lists. Drops deques with a broken executable. */
static void finish(struct catalogue *catalogue, const char *folders) {
    void *first = json_object_iter(catalogue->broken);
    size_t kept = 0;
    for (size_t i = 0; i < catalogue->deque_count; i++)
        if (!json_object_get(catalogue->broken, catalogue->deques[i].id))
            catalogue->deques[kept++] = catalogue->deques[i];
    catalogue->deque_count = kept;
    if (kept > 0)
        qsort(catalogue->deques, kept, sizeof catalogue->deques[0], compare_deques);
    else if (first)
        catalogue->why_empty = formatted("no deque in %s describes itself; %s %s", folders, json_object_iter_key(first),
                                         json_string_value(json_object_iter_value(first)));
    else
        catalogue->why_empty = formatted("no deque in %s: build them by `make`", folders);
}

struct catalogue catalogue_open(const char *above, const char *folders, const struct words *ids) {
    const struct words names = split_words(folders, ":");
    struct catalogue catalogue = {.broken = json_object(), .absent = json_object()};
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.at[i], *equals = strchr(name, '='), *side = "";
        if (equals && equals > name &&
            !memchr(name, '/', (size_t)(equals - name))) { /* otherwise it is a path that contains a = */
            side = formatted("%.*s/", (int)(equals - name), name);
            name = equals + 1;
        }
        const char *folder = above ? path_join(above, name) : name;
        look_into(&catalogue, ids, folder, side);
    }
    if (above)
        add_absents(&catalogue, above);
    finish(&catalogue, above ? above : folders);
    return catalogue;
}

struct catalogue catalogue_open_built(const char *build, const struct words *ids) {
    const struct words families = folder_names(path_join(build, "deques"), "");
    const char *folders = "checks:stress";
    for (size_t i = families.count; i-- > 0;)
        if (!strchr(families.at[i], '.')) /* else it holds another variant */
            folders = formatted("deques/%s:%s", families.at[i], folders);
    const struct catalogue catalogue = catalogue_open(build, folders, ids);
    return ids && catalogue.deque_count < ids->count ? catalogue_open(build, folders, NULL) : catalogue;
}

/* Adds a deque by its description, as the build wrote it, with the table of each family. */
static void add_described(struct catalogue *catalogue, const char *build, const char *id, const struct words *families,
                          const struct text *tables) {
    struct text own = {0};
    file_read(formatted("%s/described/deques/%s", build, id), &own);
    for (size_t i = 0; i < families->count; i++) {
        struct catalogue_part part = {.executable = formatted("%s/deques/%s/%s", build, families->at[i], id)};
        const char *whole = formatted("%s%s", text_string(&own), text_string(&tables[i]));
        const char *why = description_parse(&part.description, whole);
        add_part(catalogue, id, &part, why);
    }
}

struct catalogue catalogue_open_described(const char *build) {
    const struct words deques = files_below(path_join(build, "described/deques"), ""),
                       families = folder_names(path_join(build, "described/families"), "");
    struct text *tables = allocate(families.count, sizeof tables[0]);
    struct catalogue catalogue = {.broken = json_object(), .absent = json_object()};
    for (size_t i = 0; i < families.count; i++)
        file_read(formatted("%s/described/families/%s", build, families.at[i]), &tables[i]);
    for (size_t i = 0; i < deques.count; i++)
        if (!ends_with(deques.at[i], NOT_BUILT_FILE))
            add_described(&catalogue, build, deques.at[i], &families, tables);
    if (catalogue.deque_count == 0 && json_object_size(catalogue.broken) == 0)
        return catalogue_open_built(build, NULL);
    add_absents(&catalogue, build);
    finish(&catalogue, build);
    return catalogue;
}

void catalogue_must_hold(const struct catalogue *catalogue) {
    if (catalogue->why_empty)
        refuse(3, "%s", catalogue->why_empty);
}

const struct catalogue_deque *catalogue_find(const struct catalogue *catalogue, const char *id) {
    for (size_t i = 0; i < catalogue->deque_count; i++)
        if (strcmp(catalogue->deques[i].id, id) == 0)
            return &catalogue->deques[i];
    return NULL;
}

const char *catalogue_why_absent(const struct catalogue *catalogue, const char *id) {
    return json_string_value(json_object_get(catalogue->absent, id));
}

const char *catalogue_fact(const struct catalogue_deque *deque, const char *field) {
    return description_field(&deque->parts[0].description, field);
}

const char *catalogue_kind(const struct catalogue_deque *deque) {
    return deque->reference ? "reference" : deque->sound ? "sound" : "unsound";
}

const struct catalogue_part *catalogue_part_with(const struct catalogue_deque *deque, const char *workload) {
    const struct catalogue_part *found = NULL;
    for (size_t i = 0; i < deque->part_count; i++) {
        const struct description *description = &deque->parts[i].description;
        if (!description_workload(description, workload))
            continue;
        if (!*description_field(description, "variant"))
            return &deque->parts[i];
        found = found ? found : &deque->parts[i];
    }
    return found;
}

struct words catalogue_workloads(const struct catalogue *catalogue) {
    struct words names = {0};
    for (size_t i = 0; i < catalogue->deque_count; i++)
        for (size_t j = 0; j < catalogue->deques[i].part_count; j++) {
            const struct description *description = &catalogue->deques[i].parts[j].description;
            for (size_t k = 0; k < description->workload_count; k++)
                if (catalogue_part_with(&catalogue->deques[i], description->workloads[k].name) &&
                    !words_have(&names, description->workloads[k].name))
                    words_add(&names, description->workloads[k].name);
        }
    return names;
}

const struct catalogue_deque *catalogue_must_find(const struct catalogue *catalogue, const char *id, bool groups) {
    const char *broken = json_string_value(json_object_get(catalogue->broken, id)),
               *absent = catalogue_why_absent(catalogue, id);
    const struct catalogue_deque *deque = catalogue_find(catalogue, id);
    if (deque)
        return deque;
    if (broken)
        refuse(3, "%s: its --describe %s", id, broken);
    if (absent)
        refuse(3, "%s is not built here: %.400s", id, absent);
    struct words names = {0};
    for (size_t i = 0; i < catalogue->deque_count; i++)
        words_add(&names, catalogue->deques[i].id);
    const struct words group_names = split_words(DEQUE_GROUPS, "|");
    if (groups)
        words_add_all(&names, &group_names);
    refuse_unknown("deque", id, &names);
}
