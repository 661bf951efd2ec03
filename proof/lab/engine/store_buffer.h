/* store_buffer.h: stores of a thread that no other thread can see yet, oldest first (TSO).
 *
 * The thread itself reads its own newest store. Memory receives the stores in order, one at a time, whenever the
 * schedule says so, and all of them at a fence or a read-modify-write.
 */
#pragma once

#include "proof/lab/engine/races.h"
#include <stdbool.h>
#include <stdint.h>

#define STORE_BUFFER_DEPTH 16 /* default */
#define STORE_BUFFER_MAX 64   /* a power of two */

/* The size of every thread's buffer in stores, 1 to STORE_BUFFER_MAX; set before the first run. */
extern unsigned store_buffer_depth;

struct buffered_store {
    uintptr_t address;
    uint64_t value;
    unsigned size; /* bytes: 1, 2, 4 or 8 */
    struct clocks carried;
};

struct store_buffer {
    struct buffered_store entry[STORE_BUFFER_MAX];
    unsigned oldest, count;
    uint64_t issued, arrived; /* since the run began */
};

/* Adds a store. If the buffer is full, the oldest store goes to memory first. */
void store_buffer_put(struct store_buffer *, uintptr_t address, uint64_t value, unsigned size,
                      const struct clocks *carried);

/* The oldest store reaches memory and is returned. The buffer must not be empty. */
const struct buffered_store *store_buffer_drain_one(struct store_buffer *);

/* Looks up the thread's own newest store to exactly these bytes: true, and its value. A store that covers only some of
 * the bytes goes to memory, with those before it, and the result is false. */
bool store_buffer_read(struct store_buffer *, uintptr_t address, unsigned size, uint64_t *value);

/* The newest store to any of these bytes: 1 the oldest of all, 0 none. */
unsigned store_buffer_newest(struct store_buffer *, uintptr_t address, size_t size);

/* Stores to any of these bytes go to memory, with all older stores. */
void store_buffer_settle(struct store_buffer *, uintptr_t address, size_t size);
