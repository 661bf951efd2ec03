/* heap_test.c: generated heaps: what the roots reach is what is live, by a search of its own. */
#include "tests/unit.h"
#include "workloads/applications/marking/heap.h"

struct found {
    uint64_t objects, bytes, pointers;
};

/* Marks by 1 what the roots reach. */
static struct found search(const struct heap *heap, uint64_t objects) {
    struct object **waiting = malloc((objects + 1) * sizeof *waiting);
    struct found found = {0};
    uint64_t held = 0;
    assert_non_null(waiting);
    for (uint64_t i = 0; i < heap->root_count; i++) {
        assert_int_equal(atomic_exchange(&heap->roots[i]->mark, 1), 0);
        waiting[held++] = heap->roots[i];
    }
    while (held > 0) {
        struct object *object = waiting[--held];
        found.objects++;
        found.bytes += object->bytes;
        for (uint32_t i = 0; i < object->pointers; i++) {
            found.pointers += object->to[i] != NULL;
            if (object->to[i] && atomic_exchange(&object->to[i]->mark, 1) == 0)
                waiting[held++] = object->to[i];
        }
    }
    free(waiting);
    return found;
}

static const struct heap_shape shapes[] = {
    {.objects = 1, .pointers = 1, .window = 1, .seed = 1},
    {.objects = 1, .arrays = 1, .array = 1000, .pointers = 1, .window = 1, .seed = 1},
    {.objects = 5000, .pointers = 2, .payload = 24, .arrays = 3, .array = 700, .garbage = 30, .window = 100, .seed = 2},
    {.objects = 5000, .pointers = 1, .garbage = 99, .window = 1, .seed = 3},
    {.objects = 5000, .pointers = 8, .garbage = 50, .window = (uint64_t)1 << 40, .seed = 4},
    {.objects = 100, .pointers = 1, .arrays = 100, .array = 5, .window = 7, .seed = 5},
};

TEST(what_the_roots_reach_is_what_is_live) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct heap heap;
        uint64_t objects = 0;
        assert_int_equal(heap_make(&heap, &shapes[i]), 0);
        struct found found = search(&heap, shapes[i].objects);
        for (const struct object *object = (const struct object *)(const void *)heap.memory;
             (const char *)object < heap.end; object = heap_next(object), objects++)
            assert_true((atomic_load(&object->mark) == 1) == (object->is_live == 1));
        assert_int_equal(objects, shapes[i].objects);
        assert_int_equal(found.objects, heap.live);
        assert_int_equal(found.bytes, heap.live_bytes);
        assert_int_equal(found.pointers, heap.live_pointers);
        heap_free(&heap);
    }
}

TEST(garbage_arrays_and_pointers_are_as_many_as_asked_for) {
    const struct heap_shape *shape = &shapes[2];
    struct heap heap;
    uint64_t arrays = 0, pointers = 0;
    assert_int_equal(heap_make(&heap, shape), 0);
    for (const struct object *object = (const struct object *)(const void *)heap.memory;
         (const char *)object < heap.end; object = heap_next(object)) {
        assert_int_equal((uintptr_t)object % 8, 0);
        arrays += object->pointers == shape->array;
        pointers += object->pointers == shape->array ? 0 : object->pointers;
    }
    assert_int_equal(arrays, 3);
    assert_in_range(heap.live, 3350, 3650);                    /* 70 % of them */
    assert_in_range(pointers, 4997 * 19 / 10, 4997 * 21 / 10); /* 2 each */
    heap_free(&heap);
}

TEST(a_heap_is_made_by_its_seed_and_hangs_together) {
    uint64_t roots[2];
    for (int i = 0; i < 2; i++) {
        struct heap heap, again;
        struct heap_shape shape = shapes[2];
        shape.window = i == 0 ? 1 : 1000000;
        assert_int_equal(heap_make(&heap, &shape), 0);
        assert_int_equal(heap_make(&again, &shape), 0);
        assert_int_equal(heap.live_pointers, again.live_pointers); /* by the seed alone */
        roots[i] = heap.root_count;
        heap_free(&heap);
        heap_free(&again);
    }
    assert_true(roots[0] < 100 && roots[1] < 100); /* the rest is found through others */
}

int main(void) { return unit_tests_run(NULL, NULL); }
