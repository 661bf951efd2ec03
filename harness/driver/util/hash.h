/* hash.h: FNV-1a, 64 bits. Keys of cells, stamps and suites; not meant to resist attacks. */
#ifndef STEALBENCH_HASH_H
#define STEALBENCH_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START 14695981039346656037u

/* Continues a hash (HASH_START to begin) with size bytes. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

/* Its final 0 counts as well, so that "ab","c" and "a","bc" differ. */
static inline uint64_t hash_string(uint64_t hash, const char *string) {
    return hash_bytes(hash, string, strlen(string) + 1);
}

#endif
