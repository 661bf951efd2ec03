/* heap_test.c: generated heaps. That the roots reach what is live, each run of marking checks. */
#include "tests/unit.h"
#include "workloads/applications/marking/heap.h"

static const struct heap_shape shape_of_all = {
    .objects = 5000, .pointers = 2, .payload = 24, .arrays = 3, .array = 700, .garbage = 30, .window = 100, .seed = 2};

TEST(garbage_arrays_and_pointers_are_as_many_as_asked_for) {
    const struct heap_shape *shape = &shape_of_all;
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
        struct heap_shape shape = shape_of_all;
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
