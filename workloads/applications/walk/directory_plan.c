#include "workloads/applications/walk/directory_plan.h"
#include "harness/measuring/random.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZES_SPREAD 1000.0 /* the largest content is so many times the smallest */
#define TWIN_IN 20          /* one content in so many */

static double unit(uint64_t *random) { return (double)(random_next(random) >> 11) * 0x1p-53; }

static int plan_directories(struct directory_plan *plan, uint64_t *random) {
    const struct directory_shape *shape = &plan->shape;
    uint32_t *children = calloc(shape->directories, sizeof *children);
    if (!children)
        return ENOMEM;
    plan->parent[0] = 0;
    for (uint32_t i = 1; i < shape->directories; i++) {
        uint32_t parent = i < shape->depth ? i - 1 : (uint32_t)random_below(random, i);
        while (i >= shape->depth && children[parent] >= shape->fan_out)
            parent = parent + 1 < i ? parent + 1 : 0;
        children[parent]++;
        plan->parent[i] = parent;
    }
    free(children);
    return 0;
}

/* Sizes in proportion to weights, so that all files together have about the bytes wanted. */
static void plan_sizes(struct directory_plan *plan, const double *weights) {
    double sum = 0;
    for (uint32_t i = 0; i < plan->content_count; i++)
        sum += weights[i] * plan->contents[i].files;
    for (uint32_t i = 0; i < plan->content_count; i++) {
        double size = weights[i] / sum * (double)plan->shape.bytes;
        struct planned_content *content = &plan->contents[i];
        content->size = size < CONTENT_BYTES_LEAST ? CONTENT_BYTES_LEAST : (uint64_t)size;
        content->key = random_of(plan->shape.seed, i);
        if (i % TWIN_IN == TWIN_IN - 1) {
            content->size = plan->contents[i - 1].size;
            content->key = plan->contents[i - 1].key;
        }
        plan->bytes += content->size * content->files;
    }
}

static int plan_contents(struct directory_plan *plan, uint64_t *random) {
    const uint32_t files = plan->shape.files;
    const uint32_t copies = (uint32_t)((uint64_t)files * plan->shape.copies / 100);
    plan->content_count = files - copies > 0 ? files - copies : 1;
    plan->content_of = malloc(files * sizeof *plan->content_of);
    plan->contents = calloc(plan->content_count, sizeof *plan->contents);
    double *weights = malloc(plan->content_count * sizeof *weights);
    if (!plan->content_of || !plan->contents || !weights) {
        free(weights);
        return ENOMEM;
    }
    for (uint32_t i = 0; i < files; i++) {
        plan->content_of[i] = i < plan->content_count ? i : (uint32_t)random_below(random, plan->content_count);
        plan->contents[plan->content_of[i]].files++;
    }
    for (uint32_t i = 0; i < plan->content_count; i++)
        weights[i] = i % TWIN_IN == TWIN_IN - 1 ? weights[i - 1] : pow(SIZES_SPREAD, unit(random));
    plan_sizes(plan, weights);
    free(weights);
    return 0;
}

int directory_plan_make(struct directory_plan *plan, const struct directory_shape *shape) {
    uint64_t random = random_start(shape->seed, 0);
    *plan = (struct directory_plan){.shape = *shape};
    plan->parent = malloc(shape->directories * sizeof *plan->parent);
    plan->file_in = malloc((shape->files + 1) * sizeof *plan->file_in);
    plan->symlink_in = malloc((shape->symlinks + 1) * sizeof *plan->symlink_in);
    int error = plan->parent && plan->file_in && plan->symlink_in ? plan_directories(plan, &random) : ENOMEM;
    for (uint32_t i = 0; i < shape->files && !error; i++)
        plan->file_in[i] = (uint32_t)random_below(&random, shape->directories);
    for (uint32_t i = 0; i < shape->symlinks && !error; i++)
        plan->symlink_in[i] = (uint32_t)random_below(&random, shape->directories);
    if (!error && shape->bytes > 0 && shape->files > 0)
        error = plan_contents(plan, &random);
    if (error)
        directory_plan_free(plan);
    return error;
}

void directory_plan_free(struct directory_plan *plan) {
    free(plan->parent);
    free(plan->file_in);
    free(plan->symlink_in);
    free(plan->content_of);
    free(plan->contents);
    *plan = (struct directory_plan){0};
}

struct duplicates_found directory_plan_duplicates(const struct directory_plan *plan) {
    struct duplicates_found found = {0};
    for (uint32_t i = 0; i < plan->content_count; i++) {
        const struct planned_content *content = &plan->contents[i];
        if (content->files < 2)
            continue;
        found.groups++;
        found.files += content->files - 1;
        found.bytes += (content->files - 1) * content->size;
    }
    return found;
}

static unsigned char byte_at(const struct planned_content *content, uint64_t number, uint64_t offset) {
    uint64_t from_end = content->size - offset; /* 8 to 1: the content's number, which no other content has */
    uint64_t word = from_end <= 8 ? number : mix64(content->key + offset / 8);
    unsigned shift = (unsigned)(from_end <= 8 ? from_end - 1 : offset % 8) * 8;
    return (unsigned char)(word >> shift);
}

void directory_plan_bytes(const struct directory_plan *plan, uint32_t number, uint64_t offset, unsigned char *to,
                          size_t count) {
    const struct planned_content *content = &plan->contents[number];
    size_t done = 0;
    while (done < count) {
        uint64_t at = offset + done;
        if (at % 8 == 0 && count - done >= 8 && content->size - at >= 16) { /* whole words of the body */
            uint64_t word = mix64(content->key + at / 8);
            memcpy(to + done, &word, 8);
            done += 8;
        } else {
            to[done++] = byte_at(content, number, at);
        }
    }
}
