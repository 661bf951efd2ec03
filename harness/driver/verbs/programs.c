#include "harness/driver/verbs/verbs.h"

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
    struct words words =
        words_of("setup/configure.py", "--leave-out", has(job->line, "quiet") ? "--quiet" : NULL, NULL);
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
            return words_of("described_deques", NULL);
        words_add(&targets, formatted("build/described/deques/%s", ids->at[i]));
    }
    return targets;
}

/* The file that says of which sources all deques, or all families of workloads, are described. */
static const char *record_of(const struct job *job, const char *target) {
    return formatted("%s/described/sources_of_%s", job->build, target);
}

static bool is_described(const struct job *job, const char *target, const struct text *sources) {
    struct text kept = {0};
    return file_read(record_of(job, target), &kept) == 0 && strcmp(text_string(&kept), text_string(sources)) == 0;
}

int call_describe(const struct job *job, const struct words *deques, const struct words *workloads) {
    struct text sources = {0};
    struct words targets = {0};
    if (!job->whole)
        return 0;
    text_format(&sources, "%016" PRIx64 "\n", hash_of_described(job->root));
    if (!is_described(job, "described_deques", &sources))
        targets = deques ? description_targets(job, deques) : words_of("described_deques", NULL);
    if (!is_described(job, "described_families", &sources)) {
        for (size_t i = 0; workloads && i < workloads->count; i++)
            words_add(&targets, formatted("described_workload/%s", workloads->at[i]));
        if (!workloads)
            words_add(&targets, "described_families");
    }
    if (targets.count == 0)
        return 0;
    int result = call_packages(job, "build");
    result = result ? result : call_build(job, targets);
    for (size_t i = 0; i < targets.count && result == 0; i++)
        if (!strchr(targets.at[i], '/'))
            file_replace(record_of(job, targets.at[i]), &sources); /* if this fails, the build is asked again */
    return result;
}
