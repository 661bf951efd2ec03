#include "workloads/applications/duplicates/content_hash.h"

#if defined(__has_include)
#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL /* no library to link */
#include <xxhash.h>
#define HAVE_XXHASH
#endif
#endif

#ifdef HAVE_XXHASH

_Static_assert(sizeof(XXH3_state_t) <= CONTENT_HASH_BYTES && _Alignof(XXH3_state_t) <= 64, "it fits");

const char *content_hash_missing(void) { return NULL; }

void content_hash_start(struct content_hash *hash) { XXH3_64bits_reset((XXH3_state_t *)(void *)hash->state); }

void content_hash_add(struct content_hash *hash, const void *bytes, size_t count) {
    XXH3_64bits_update((XXH3_state_t *)(void *)hash->state, bytes, count);
}

uint64_t content_hash_end(struct content_hash *hash) {
    return XXH3_64bits_digest((const XXH3_state_t *)(const void *)hash->state);
}

#else

const char *content_hash_missing(void) {
    return "built without xxhash.h (Debian: libxxhash-dev), so files cannot be hashed";
}

void content_hash_start(struct content_hash *hash) { (void)hash; }
void content_hash_add(struct content_hash *hash, const void *bytes, size_t count) {
    (void)hash, (void)bytes, (void)count;
}
uint64_t content_hash_end(struct content_hash *hash) {
    (void)hash;
    return 0;
}

#endif
