/* programs.c: runs other programs at the top of the source tree. */
#pragma once

#include "harness/driver/verbs/names.c"

struct words module_words(const char *module) {
    return words_of("setup/python.sh", "-m", module, NULL);
}

static void must_call(const struct job *job, struct words words) {
    const int result = job->whole ? call(words) : 0;
    if (result)
        exit(result);
}

/* These do nothing without --whole. If they fail, they end the driver with the program's exit code. sets: of
 * setup/packages.sh; targets: of the build. */
void need_packages(const struct job *job, const char *sets) {
    struct words words = words_of("setup/packages.sh", "--need", NULL);
    words_add_all(&words, split_words(sets, " "));
    must_call(job, words);
}

void need_build(const struct job *job, struct words targets) {
    struct words words = words_of("setup/configure.py", "--leave-out", NULL);
    words_add_all(&words, has(job->line, "quiet") ? words_of("--quiet", NULL) : (struct words){0});
    words_add_all(&words, targets);
    if (targets.count > 0)
        must_call(job, words);
}

/* The target for these deques; for all if there are none. */
struct words targets_with(const char *target, struct words ids) {
    struct words targets = {0};
    foreach (id, ids)
        words_add(&targets, path_join(target, *id));
    return ids.count > 0 ? targets : words_of(target, NULL);
}

/* A hash of all that descriptions are made of: sources, and what finds other people's deques. */
static uint64_t hash_of_described(const char *root) {
    static const char *const folders[] = {"queues", "workloads", "harness/measuring"};
    static const char *const variables[] = {"CPPFLAGS", "PREFIX", "UPSTREAM_FROM"};
    uint64_t hash = HASH_START;
    uint64_t content = 0;
    struct stat installed;
    file_hash(path_join(root, "harness/describe_main.c"), &content);
    hash = hash_bytes(hash, &content, sizeof content);
    foreach (folder, LIST_OF(folders)) {
        const struct words files = files_below(path_join(root, *folder), "");
        foreach (file, files) {
            file_hash(formatted("%s/%s/%s", root, *folder, *file), &content);
            hash = hash_bytes(hash_string(hash, *file), &content, sizeof content);
        }
    }
    foreach (variable, LIST_OF(variables))
        hash = hash_string(hash, getenv(*variable) ? getenv(*variable) : "");
    if (stat("/var/lib/dpkg/status", &installed) == 0)
        hash = hash_bytes(hash, &installed.st_mtime, sizeof installed.st_mtime);
    return hash;
}

/* The descriptions of these deques, unless one of them is not in queues/; else of all. */
static struct words description_targets(const struct job *job, struct words ids) {
    const struct words known = names_of_deques(job->root);
    foreach (id, ids)
        if (!words_have(known, *id))
            return words_of("described_deques", NULL);
    return ids.count > 0 ? targets_with("build/described/deques", ids) : ids;
}

/* The file that says of which sources all deques, or all families of workloads, are described. */
static const char *record_of(const struct job *job, const char *target) {
    return formatted("%s/described/sources_of_%s", job->build, target);
}

static bool is_described(const struct job *job, const char *target, const char *sources) {
    return same(file_text(record_of(job, target)), sources);
}

/* Renews the descriptions of these deques and workloads, if a source of descriptions has changed. NULL: of all. */
void need_descriptions(const struct job *job, const struct words *deques, const struct words *workloads) {
    struct words targets = {0};
    if (!job->whole)
        return;
    const char *sources = formatted("%016" PRIx64 "\n", hash_of_described(job->root));
    if (!is_described(job, "described_deques", sources))
        targets = deques ? description_targets(job, *deques) : words_of("described_deques", NULL);
    if ((!workloads || workloads->count > 0) && !is_described(job, "described_families", sources))
        words_add_all(&targets, workloads ? targets_with("described_workload", *workloads)
                                          : words_of("described_families", NULL));
    if (targets.count == 0)
        return;
    need_packages(job, "build");
    need_build(job, targets);
    foreach (target, targets)
        if (!strchr(*target, '/'))
            file_replace(record_of(job, *target), sources); /* if this fails, the build is asked again */
}
