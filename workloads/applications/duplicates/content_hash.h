/* content_hash.h: a hash of a file's content, fed block by block. By libxxhash (XXH3, 64 bits), where its header was
 * there when this was compiled; without it there is no hash.
 */
#ifndef STEALBENCH_CONTENT_HASH_H
#define STEALBENCH_CONTENT_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTENT_HASH_BYTES 640

/* The state, for the functions below alone. */
struct content_hash {
    _Alignas(64) unsigned char state[CONTENT_HASH_BYTES];
};

/* NULL, or why there is no hash. */
const char *content_hash_missing(void);

void content_hash_start(struct content_hash *);
void content_hash_add(struct content_hash *, const void *bytes, size_t count);
uint64_t content_hash_end(struct content_hash *);

#endif
