#include "harness/driver/verbs/verbs.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct words module_words(const char *module) {
    return words_of("setup/python.sh", "-m", module, NULL);
}

int call_packages(const struct job *job, const char *sets) {
    struct words words = words_of("setup/packages.sh", "--need", NULL);
    const struct words more = split_words(sets, " ");
    words_add_all(&words, &more);
    return job->whole ? call(words) : 0;
}

int call_build(const struct job *job, struct words targets) {
    struct words words = words_of("setup/configure.py", "--leave-out", job->line->quiet ? "--quiet" : NULL, NULL);
    words_add_all(&words, &targets);
    return job->whole && targets.count > 0 ? call(words) : 0;
}

struct words targets_with(const char *target, const struct words *ids) {
    struct words targets = {0};
    for (size_t i = 0; i < ids->count; i++)
        words_add(&targets, path_join(target, ids->at[i]));
    return ids->count > 0 ? targets : words_of(target, NULL);
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
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *folder = path_join(root, folders[i]);
        const struct words files = files_below(folder, "");
        for (size_t j = 0; j < files.count; j++) {
            file_hash(path_join(folder, files.at[j]), &content);
            hash = hash_bytes(hash_string(hash, files.at[j]), &content, sizeof content);
        }
    }
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        hash = hash_string(hash, getenv(variables[i]) ? getenv(variables[i]) : "");
    if (stat("/var/lib/dpkg/status", &installed) == 0)
        hash = hash_bytes(hash, &installed.st_mtime, sizeof installed.st_mtime);
    return hash;
}

/* The descriptions of these deques, unless one of them is not in queues/; else of all. */
static struct words description_targets(const struct job *job, const struct words *ids) {
    const struct words known = names_of_deques(job->root);
    struct words targets = {0};
    for (size_t i = 0; i < ids->count; i++) {
        if (!words_have(&known, ids->at[i]))
            return words_of("described", NULL);
        words_add(&targets, formatted("build/described/deques/%s", ids->at[i]));
    }
    words_add(&targets, ids->count > 0 ? "described_families" : "described");
    return targets;
}

int call_describe(const struct job *job, const struct words *ids) {
    const char *path = path_join(job->build, "described/sources");
    struct text kept = {0}, now = {0};
    if (!job->whole)
        return 0;
    text_format(&now, "%016" PRIx64 "\n", hash_of_described(job->root));
    if (file_read(path, &kept) == 0 && strcmp(text_string(&kept), text_string(&now)) == 0)
        return 0;
    const struct words targets = description_targets(job, ids);
    int result = call_packages(job, "build");
    result = result ? result : call_build(job, targets);
    if (result == 0 && targets.count == 1)
        file_replace(path, &now); /* if this fails, the build is asked again next time */
    return result;
}
