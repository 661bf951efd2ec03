#include "proof/lab/engine/store_buffer.h"
#include <string.h>

unsigned store_buffer_depth = STORE_BUFFER_DEPTH;

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

unsigned store_buffer_newest(struct store_buffer *buffer, uintptr_t address, size_t size) {
    unsigned n = buffer->count;
    for (; n > 0; n--) {
        const struct buffered_store *store = nth(buffer, n - 1);
        if (store->address < address + size && address < store->address + store->size)
            break;
    }
    return n;
}

bool store_buffer_read(struct store_buffer *buffer, uintptr_t address, unsigned size, uint64_t *value) {
    unsigned n = store_buffer_newest(buffer, address, size);
    const struct buffered_store *store = n > 0 ? nth(buffer, n - 1) : NULL;
    if (!store || store->address != address || store->size != size) {
        store_buffer_settle(buffer, address, size);
        return false;
    }
    *value = store->value;
    return true;
}

void store_buffer_settle(struct store_buffer *buffer, uintptr_t address, size_t size) {
    for (unsigned left = store_buffer_newest(buffer, address, size); left > 0; left--)
        store_buffer_drain_one(buffer);
}
