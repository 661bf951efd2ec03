/* duplicate_answer.c: what is in the files of the generated tree, and which of them are alike.
 *
 * Of 100 files of a generated tree 30 are copies of another. The sizes are spread evenly in their logarithm over three
 * decades. One content in 20 is a twin of another, of the same size and different in its last bytes only. No two
 * contents are alike. The same numbers always give the same contents.
 */
#include "harness/measuring/random.h"
#include "workloads/applications/duplicates/duplicates.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPIES 30           /* percent of the files */
#define SIZES_SPREAD 1000.0 /* the largest content is so many times the smallest */
#define TWIN_IN 20          /* one content in so many */
#define BYTES_LEAST 16      /* of a content */

static int in_order(const void *left, const void *right) {
    const struct content *a = left, *b = right;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Sorts the contents. */
static struct duplicates_found count_alike(struct content *contents, size_t count) {
    struct duplicates_found alike = {0};
    if (count > 0)
        qsort(contents, count, sizeof *contents, in_order);
    for (size_t i = 1, run = 0; i < count; i++) {
        run = in_order(&contents[i - 1], &contents[i]) == 0 ? run + 1 : 0;
        alike.groups += run == 1;
        alike.files += run > 0;
        alike.bytes += run > 0 ? contents[i].size : 0;
    }
    return alike;
}

/* Content i is the first file with it; its twin is i - 1, if it has one. */
static uint32_t twin_of(uint32_t content) { return content % TWIN_IN == TWIN_IN - 1 ? content - 1 : content; }

int duplicates_plan(struct planned_files *planned, struct duplicates_found *found, uint32_t files, uint64_t bytes,
                    uint64_t seed) {
    const uint32_t contents = files - (uint32_t)((uint64_t)files * COPIES / 100);
    uint64_t random = random_start(seed, 1);
    double sum = 0;
    struct content *sorted = malloc((files + 1) * sizeof *sorted);
    *planned = (struct planned_files){.of = malloc((files + 1) * sizeof *sorted)};
    if (!sorted || !planned->of) {
        free(sorted);
        return 3;
    }
    for (uint32_t i = 0; i < files; i++) /* the key is the number of a content; files beyond `contents` are copies */
        planned->of[i].key = i < contents ? i : random_below(&random, contents);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < files; i++) {
            const uint64_t draw = random_of(seed, twin_of((uint32_t)planned->of[i].key));
            const double weight = pow(SIZES_SPREAD, (double)(draw >> 11) * 0x1p-53);
            const uint64_t size = pass == 0 ? 0 : (uint64_t)(weight / sum * (double)bytes);
            planned->of[i].size = size < BYTES_LEAST ? BYTES_LEAST : size;
            sum += pass == 0 ? weight : 0;
            planned->bytes += pass == 0 ? 0 : planned->of[i].size;
        }
    memcpy(sorted, planned->of, files * sizeof *sorted);
    *found = count_alike(sorted, files);
    free(sorted);
    return 0;
}

/* Words made from a key that twins share, and at the end the content's number. */
int duplicates_write(const void *planned, int file, uint32_t number) {
    const struct content *content = &((const struct planned_files *)planned)->of[number];
    const uint64_t key = mix64(twin_of((uint32_t)content->key));
    unsigned char *bytes = malloc(content->size + sizeof key);
    if (!bytes)
        return ENOMEM;
    for (uint64_t at = 0; at < content->size; at += sizeof key)
        memcpy(bytes + at, &(uint64_t){mix64(key + at)}, sizeof key);
    memcpy(bytes + content->size - sizeof key, &content->key, sizeof key);
    int error = 0;
    for (uint64_t done = 0; done < content->size && error == 0;) {
        ssize_t written = write(file, bytes + done, content->size - done);
        if (written >= 0)
            done += (uint64_t)written;
        else if (errno != EINTR)
            error = errno;
    }
    free(bytes);
    return error;
}
