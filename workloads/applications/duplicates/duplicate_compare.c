/* duplicate_compare.c: the second half of the search: files of the same size and hash, block by block. */
#include "harness/measuring/clock/clock.h"
#include "workloads/applications/duplicates/duplicate_search.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Files that may be equal, compared in rounds: all with the first, then those that differ from it with each other. */

struct group {
    struct searched_file **at; /* the first is what the others are compared with */
    size_t count;
    _Atomic size_t comparing; /* files not yet compared, and one for the worker that starts them */
};

struct comparison {
    struct block_read reads[2]; /* of the first, and of the other */
    _Atomic unsigned missing;   /* of the two reads under way */
    struct group *group;
    struct searched_file *other;
    unsigned char bytes[]; /* read_bytes of the first, then of the other */
};

static void start_round(struct pool_worker *worker, struct group *group);

/* After a round: files equal to the first are a group of duplicates, the others go into the next round. */
static void end_round(struct pool_worker *worker, struct group *group) {
    struct searcher *searcher = search_worker(worker);
    const uint64_t size = group->at[0]->size;
    size_t left = 0;
    for (size_t i = 1; i < group->count; i++)
        if (group->at[i]->differs)
            group->at[left++] = group->at[i];
    size_t alike = group->count - left;
    if (alike > 1) {
        searcher->found.groups++;
        searcher->found.files += alike - 1;
        searcher->found.bytes += (alike - 1) * size;
    }
    group->count = left;
    if (left > 1)
        start_round(worker, group);
    else
        free(group);
}

static void compared(struct pool_worker *worker, struct group *group) {
    /* release: this file's result; acquire: the others' results, if this is the last */
    if (atomic_fetch_sub_explicit(&group->comparing, 1, memory_order_acq_rel) == 1)
        end_round(worker, group);
}

static void end_comparison(struct pool_worker *worker, struct comparison *comparison, bool differs) {
    struct search *search = pool_context(worker);
    struct group *group = comparison->group;
    comparison->other->differs = differs;
    for (int i = 0; i < 2; i++) {
        if (comparison->reads[i].result < 0 && comparison->reads[i].descriptor >= 0)
            search_worker(worker)->walker.counts.unreadable++;
        if (comparison->reads[i].descriptor >= 0) {
            close(comparison->reads[i].descriptor);
            atomic_fetch_sub_explicit(&search->open, 1, memory_order_relaxed); /* a mere count */
        }
    }
    free(comparison);
    compared(worker, group);
}

/* Both reads are done. true: the next ones are wanted. A read may bring less than the other, before the file's end too.
 */
static bool compare_blocks(struct comparison *comparison, bool *differs) {
    struct block_read *reads = comparison->reads;
    const int least = reads[0].result < reads[1].result ? reads[0].result : reads[1].result;
    *differs = least < 0 || (least == 0 && reads[0].result != reads[1].result) ||
               memcmp(reads[0].to, reads[1].to, (size_t)least) != 0;
    for (int i = 0; i < 2 && least > 0; i++)
        reads[i].offset += (uint64_t)least;
    return !*differs && least > 0;
}

/* Asks for both blocks, or reads them here. Ends the comparison, or leaves that to the task after the last read. */
static void compare_on(struct pool_worker *worker, struct comparison *comparison) {
    bool differs = false, more = true;
    while (more) {
        /* 3: two reads, and one for this function, so that no other worker continues the comparison while it still
         * asks. relaxed: no other worker is here */
        atomic_store_explicit(&comparison->missing, 3, memory_order_relaxed);
        unsigned done = 1;
        for (int i = 0; i < 2; i++) {
            if (search_ask(worker, &comparison->reads[i]))
                continue;
            search_read_now(search_worker(worker), &comparison->reads[i]);
            done++;
        }
        /* as in compare_after_read */
        if (atomic_fetch_sub_explicit(&comparison->missing, done, memory_order_acq_rel) > done)
            return;
        more = compare_blocks(comparison, &differs);
    }
    end_comparison(worker, comparison, differs);
}

static void compare_after_read(struct pool_worker *worker, struct comparison *comparison) {
    bool differs;
    /* release: our block is read; acquire: so is the other block, if this is the last */
    if (atomic_fetch_sub_explicit(&comparison->missing, 1, memory_order_acq_rel) > 1)
        return;
    if (compare_blocks(comparison, &differs))
        compare_on(worker, comparison);
    else
        end_comparison(worker, comparison, differs);
}

static void after_first_read(struct pool_worker *worker, struct pool_task *task) {
    search_count_stolen(worker, (struct block_read *)(void *)task);
    compare_after_read(worker, (struct comparison *)(void *)task);
}

static void after_other_read(struct pool_worker *worker, struct pool_task *task) {
    search_count_stolen(worker, (struct block_read *)(void *)task);
    compare_after_read(worker, (struct comparison *)(void *)((struct block_read *)(void *)task - 1));
}

static void begin_comparison(struct pool_worker *worker, struct pool_task *task) {
    struct comparison *comparison = (struct comparison *)(void *)task;
    struct search *search = pool_context(worker);
    struct searcher *searcher = search_worker(worker);
    struct searched_file *files[2] = {comparison->group->at[0], comparison->other};
    comparison->reads[0].task.run = after_first_read;
    comparison->reads[1].task.run = after_other_read;
    for (int i = 0; i < 2; i++) {
        struct block_read *read = &comparison->reads[i];
        read->to = comparison->bytes + (size_t)i * search->read_bytes;
        read->bytes = search->read_bytes;
        read->descriptor =
            walk_entry_open_again(&searcher->walker, &files[i]->entry, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (read->descriptor >= 0)
            atomic_fetch_add_explicit(&search->open, 1, memory_order_relaxed); /* a mere count */
        else
            walk_report_error(&searcher->walker, &files[i]->entry, errno);
    }
    if (searcher->walker.failure)
        pool_fail(worker, 3, searcher->walker.failure);
    if (comparison->reads[0].descriptor < 0 || comparison->reads[1].descriptor < 0)
        end_comparison(worker, comparison, true);
    else
        compare_on(worker, comparison);
}

static void start_round(struct pool_worker *worker, struct group *group) {
    const struct search *search = pool_context(worker);
    /* relaxed: spawning publishes it */
    atomic_store_explicit(&group->comparing, group->count, memory_order_relaxed);
    const size_t count = group->count; /* with the last comparison the group may be gone */
    for (size_t i = 1; i < count; i++) {
        struct comparison *comparison = malloc(sizeof *comparison + 2 * (size_t)search->read_bytes);
        if (!comparison) {
            search_out_of_memory(worker);
            return;
        }
        *comparison = (struct comparison){.group = group, .other = group->at[i]};
        comparison->reads[0].task.run = begin_comparison;
        pool_spawn(worker, &comparison->reads[0].task);
    }
    compared(worker, group);
}

static int by_size_and_hash(const void *left, const void *right) {
    const struct searched_file *a = *(struct searched_file *const *)left, *b = *(struct searched_file *const *)right;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

void search_group_files(struct pool_worker *worker, struct search *search) {
    size_t count = 0, filled = 0;
    search->hashed_at = clock_nanoseconds();
    for (unsigned i = 0; i < search->threads; i++)
        for (const struct searched_file *file = search->searchers[i].files; file; file = file->next)
            count++;
    search->candidates = malloc((count + 1) * sizeof *search->candidates);
    if (!search->candidates) {
        search_out_of_memory(worker);
        return;
    }
    for (unsigned i = 0; i < search->threads; i++)
        for (struct searched_file *file = search->searchers[i].files; file; file = file->next)
            search->candidates[filled++] = file;
    qsort(search->candidates, count, sizeof *search->candidates, by_size_and_hash);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; end++)
            if (by_size_and_hash(&search->candidates[first], &search->candidates[end]) != 0)
                break;
        if (end - first < 2)
            continue;
        struct group *group = malloc(sizeof *group);
        if (!group) {
            search_out_of_memory(worker);
            return;
        }
        group->at = search->candidates + first;
        group->count = end - first;
        start_round(worker, group);
    }
}
