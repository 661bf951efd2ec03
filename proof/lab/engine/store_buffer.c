#include "proof/lab/engine/store_buffer.h"
#include <string.h>

unsigned store_buffer_depth = STORE_BUFFER_DEPTH;

void store_buffer_clear(struct store_buffer *buffer) {
    buffer->oldest = buffer->count = 0;
    buffer->issued = buffer->arrived = 0;
}

static struct buffered_store *nth(struct store_buffer *buffer, unsigned n) {
    return &buffer->entry[(buffer->oldest + n) % STORE_BUFFER_MAX];
}

const struct buffered_store *store_buffer_drain_one(struct store_buffer *buffer) {
    struct buffered_store *store = nth(buffer, 0);
    memcpy((void *)store->address, &store->value, store->size); /* little-endian: the low bytes come first */
    races_arrived(store->address, &store->carried, false);
    buffer->oldest = (buffer->oldest + 1) % STORE_BUFFER_MAX;
    buffer->count--;
    buffer->arrived++;
    return store;
}

void store_buffer_put(struct store_buffer *buffer, uintptr_t address, uint64_t value, unsigned size,
                      const struct clocks *carried) {
    if (buffer->count >= store_buffer_depth)
        store_buffer_drain_one(buffer);
    *nth(buffer, buffer->count++) =
        (struct buffered_store){.address = address, .value = value, .size = size, .carried = *carried};
    buffer->issued++;
}

static bool overlaps(const struct buffered_store *store, uintptr_t address, size_t size) {
    return store->address < address + size && address < store->address + store->size;
}

bool store_buffer_read(struct store_buffer *buffer, uintptr_t address, unsigned size, uint64_t *value) {
    for (unsigned n = buffer->count; n-- > 0;) {
        const struct buffered_store *store = nth(buffer, n);
        if (!overlaps(store, address, size))
            continue;
        if (store->address == address && store->size == size) {
            *value = store->value;
            return true;
        }
        store_buffer_settle(buffer, address, size);
        return false;
    }
    return false;
}

bool store_buffer_holds(const struct store_buffer *buffer, uintptr_t address, size_t size) {
    for (unsigned n = 0; n < buffer->count; n++)
        if (overlaps(&buffer->entry[(buffer->oldest + n) % STORE_BUFFER_MAX], address, size))
            return true;
    return false;
}

void store_buffer_settle(struct store_buffer *buffer, uintptr_t address, size_t size) {
    unsigned last = 0;
    for (unsigned n = 0; n < buffer->count; n++)
        if (overlaps(nth(buffer, n), address, size))
            last = n + 1;
    while (last-- > 0)
        store_buffer_drain_one(buffer);
}
