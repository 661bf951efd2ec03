#include "proof/lab/clients/scene.h"
#include "proof/lab/verbs/verbs.h"
#include <stdio.h>

#define STEPS_AT_MAX 1000000
#define TRIES_MAX 4096
#define PUSHES_MAX 32
#define BEGUN_MAX 2
#define DONE_MAX 8

/* What was done, behind all that was done before. */
struct done {
    const char *text;
    unsigned pushes, steals, pops;
    unsigned begun; /* by a thief each, which stops before its last access: it has claimed, and not said so */
    bool goes_on;   /* those thieves go on */
};

/* The thesis's capacities; a deque that cannot have one gets the next larger. */
struct figure {
    size_t capacity;
    unsigned block; /* 0: the usual */
    struct done after[DONE_MAX];
};
static const struct figure figure_2_7 = {.capacity = 8,
                                         .after = {{.text = "nothing"},
                                                   {"5 pushes", .pushes = 5},
                                                   {"3 steals", .steals = 3},
                                                   {"2 more steals", .steals = 2},
                                                   {"a pop", .pops = 1}}};
static const struct figure figure_3_5 = {.capacity = 16,
                                         .block = 4,
                                         .after = {{"16 pushes", .pushes = 16},
                                                   {"2 steals begun", .begun = 2},
                                                   {"4 pops", .pops = 4},
                                                   {"4 pushes", .pushes = 4},
                                                   {"14 pops", .pops = 14},
                                                   {"the steals end", .goes_on = true}}};

static const struct figure *figure;
static const struct done *step;
static size_t capacity, fits;
static long held;                          /* that nobody has claimed; below 0 in a deque that hands items out twice */
static char marks[TRIES_MAX + PUSHES_MAX]; /* items differ only in their addresses */
static size_t pushed;
static unsigned thieves;                 /* begun */
static uint64_t stops_at[BEGUN_MAX + 1]; /* by thread */

static struct deque *deque(void) { return scene_place(0)->deque; }

static bool push(void) {
    bool went_in = operations.push(deque(), &marks[pushed]) == DEQUE_OK;
    pushed += went_in;
    return went_in;
}

static bool steal(unsigned thief) {
    void *item;
    return operations.steal(deque(), operations.traits.needs_self ? scene_place(thief)->deque : NULL, &item) ==
           DEQUE_OK;
}

static void steal_as_thief(void) { steal(machine.current); }

static void set_up(void) {
    scene_block = figure->block ? figure->block : scene_block;
    scene_make_deque(0, figure->capacity, 0, 0);
    for (unsigned thief = 1; thief <= BEGUN_MAX && operations.traits.needs_self; thief++)
        scene_make_deque(thief, figure->capacity, 0, thief);
    capacity = scene_place(0)->capacity;
    held = 0;
    pushed = fits = thieves = 0;
}

/* The step's operations by one thread, which is main. */
static void do_step(void) {
    void *item;
    for (unsigned i = 0; i < step->pushes; i++)
        held += push();
    for (unsigned i = 0; i < step->steals; i++)
        held -= steal(1);
    for (unsigned i = 0; i < step->pops; i++)
        held -= operations.pop(deque(), &item) == DEQUE_OK;
}

static void fill(void) {
    while (fits < TRIES_MAX && push())
        fits++;
}

static bool begin_steal(void) {
    machine_start_thread(++thieves, steal_as_thief);
    machine.thread[thieves].stop_at = stops_at[thieves];
    held--;
    return machine_continue(schedule_in_sequence());
}

static bool go_on(void) {
    for (unsigned thief = 1; thief <= thieves; thief++)
        machine_release_stopped(thief);
    return machine_continue(schedule_in_sequence());
}

/* Carries out the steps up to the last. */
static bool run_steps(const struct done *last) {
    bool fine = scene_begin(NULL, STEPS_AT_MAX, set_up);
    races_begin();
    for (step = figure->after; fine && step <= last; step++) {
        machine.step = 0;
        fine = machine_call(do_step);
        for (unsigned i = 0; fine && i < step->begun; i++)
            fine = begin_steal();
        if (fine && step->goes_on)
            fine = go_on();
    }
    return fine;
}

/* Where each thief stops: before its last access, as a run shows in which it does not. */
static bool find_stops(const struct done *begins) {
    for (unsigned thief = 1; thief <= BEGUN_MAX; thief++)
        stops_at[thief] = NEVER;
    for (unsigned thief = 1; thief <= begins->begun; thief++) {
        if (!run_steps(begins))
            return false;
        stops_at[thief] = machine.thread[thief].points - 1;
    }
    return true;
}

static void draw(char mark, long count) {
    for (long i = 0; i < count; i++)
        putchar(mark);
}

static int not_counted(void) {
    char text[600];
    run_fault_text(&machine.fault, text, sizeof text);
    fprintf(stderr, "stealbench lab: %s: room not counted: %s: %s\n", operations.traits.id,
            fault_name(machine.fault.kind), text);
    return operations.traits.sound;
}

int room(void) {
    const struct deque_traits *traits = &operations.traits;
    if (traits->bound != DEQUE_FIXED || traits->keeps_nothing || traits->thieves == DEQUE_OWNER_ONLY ||
        traits->native & DEQUE_POLL) {
        printf("%s: not a ring of fixed size from which others take what they want\n", traits->id);
        return 0;
    }
    figure = traits->owner_order == DEQUE_FIFO && traits->thieves_leave > 0 ? &figure_3_5 : &figure_2_7;
    for (const struct done *last = figure->after; last->text; last++) {
        if ((last->begun > 0 && !find_stops(last)) || !run_steps(last) || !machine_call(fill))
            return not_counted();
        if (last == figure->after)
            printf("%s, capacity %zu: # items, . room, x neither\n%-14s %6s %6s\n", traits->id, capacity, "after",
                   "items", "fit");
        printf("%-14s %6ld %6zu  ", last->text, held, fits);
        draw('x', (long)capacity - held - (long)fits);
        draw('#', held);
        draw('.', (long)fits);
        putchar('\n');
    }
    return 0;
}
