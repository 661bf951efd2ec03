#include "proof/lab/clients/scene.h"
#include "proof/lab/verbs/verbs.h"
#include <stdio.h>

#define CAPACITY 8 /* the thesis's capacity; a deque that cannot have it gets the next larger one */
#define PUSHES 5
#define STEPS_AT_MAX 1000000
#define TRIES_MAX 4096

/* What was done; each step follows those before it. */
static const struct {
    const char *text;
    unsigned pushes, steals, pops;
} steps[] = {{"nothing", 0, 0, 0},
             {"5 pushes", PUSHES, 0, 0},
             {"3 steals", 0, 3, 0},
             {"2 more steals", 0, 2, 0},
             {"a pop", 0, 0, 1}};
#define STEPS (sizeof steps / sizeof steps[0])

static size_t last_step;
static size_t capacity, fits;
static long held;                      /* below 0 in a deque that hands items out twice */
static char marks[TRIES_MAX + PUSHES]; /* items differ only in their addresses */

static struct deque *deque(void) { return scene_place(0)->deque; }

static void do_step(size_t step) {
    void *item;
    for (unsigned i = 0; i < steps[step].pushes; i++)
        held += operations.push(deque(), &marks[i]) == DEQUE_OK;
    for (unsigned i = 0; i < steps[step].steals; i++)
        held -=
            operations.steal(deque(), operations.traits.needs_self ? scene_place(1)->deque : NULL, &item) == DEQUE_OK;
    for (unsigned i = 0; i < steps[step].pops; i++)
        held -= operations.pop(deque(), &item) == DEQUE_OK;
}

/* Carries out the steps up to the last, then pushes until a push is refused. */
static void fill_after_steps(void) {
    scene_make_deque(0, CAPACITY, 0, 0);
    if (operations.traits.needs_self)
        scene_make_deque(1, CAPACITY, 0, 1);
    capacity = scene_place(0)->capacity;
    held = 0;
    fits = 0;
    for (size_t step = 0; step <= last_step; step++)
        do_step(step);
    while (fits < TRIES_MAX && operations.push(deque(), &marks[PUSHES + fits]) == DEQUE_OK)
        fits++;
}

static void draw(char mark, long count) {
    for (long i = 0; i < count; i++)
        putchar(mark);
}

int room(void) {
    const struct deque_traits *traits = &operations.traits;
    if (traits->bound != DEQUE_FIXED || traits->keeps_nothing || traits->thieves == DEQUE_OWNER_ONLY ||
        traits->native & DEQUE_POLL) {
        printf("%s: not a ring of fixed size from which others take what they want\n", traits->id);
        return 0;
    }
    for (last_step = 0; last_step < STEPS; last_step++) {
        if (!scene_begin(NULL, STEPS_AT_MAX, fill_after_steps)) {
            char text[600];
            run_fault_text(&machine.fault, text, sizeof text);
            fprintf(stderr, "stealbench lab: %s: room not counted: %s: %s\n", traits->id,
                    fault_name(machine.fault.kind), text);
            return traits->sound;
        }
        if (last_step == 0)
            printf("%s, capacity %zu: # items, . room, x neither\n%-14s %6s %6s\n", traits->id, capacity, "after",
                   "items", "fit");
        printf("%-14s %6ld %6zu  ", steps[last_step].text, held, fits);
        draw('x', (long)capacity - held - (long)fits);
        draw('#', held);
        draw('.', (long)fits);
        putchar('\n');
    }
    return 0;
}
