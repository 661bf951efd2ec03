/* objects.h: what the gate puts into a deque, whatever the deque carries.
 *
 * A pointer item is the address of an object that begins with the deque's link, if it has one, and carries a serial
 * number and a check value; an integer item is the serial number itself, plus one. Include deque_under_test.h first.
 */
#ifndef STEALBENCH_OBJECTS_H
#define STEALBENCH_OBJECTS_H

#include "tests/gate/verdict.h"

#define ITEMS_ARE_POINTERS _Generic((deque_item)0, void * : true, default : false)

struct object {
#if DEQUE_NATIVE & DEQUE_LISTS
    struct deque_link link;
#endif
    uint64_t serial;
    uint64_t check; /* written by whoever pushes and whoever takes, plainly: a race detector sees both */
    struct object *next;
};

/* The item that stands for serial; object is its object where items are pointers. */
static inline deque_item object_item(struct object *object, uint64_t serial, uint64_t salt) {
    object->serial = serial;
    object->check = gate_mix(salt, serial);
    return ITEMS_ARE_POINTERS ? (deque_item)(uintptr_t)object : (deque_item)(uintptr_t)(serial + 1);
}

/* The object behind an item; NULL for integers. */
static inline struct object *item_object(deque_item item) {
    return ITEMS_ARE_POINTERS ? (struct object *)(uintptr_t)item : NULL;
}

/* The check value of an object that has been taken: another taker sees that, and still its number. */
static inline uint64_t object_taken(uint64_t serial, uint64_t salt) { return ~gate_mix(salt, serial); }

#endif
