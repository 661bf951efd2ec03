#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/entry.h"
#include "proof/lab/engine/trace.h"
#include "proof/lab/engine/weak_memory.h"
#include <stdio.h>
#include <string.h>

#define PAYLOAD_BYTES sizeof(uint64_t)
#define ROUND_UP(n) (((n) + 15) / 16 * 16)
#define PATIENCE 4 /* how often the owner asks whether a popped link may be used again */
#define CAPACITY_MAX 4096
#define TRIAL_STEPS 100000
#define WORKERS_APART 64 /* a mask of 32 or 64 workers takes them for one another */

struct item {
    void *at;
    unsigned pushed, taken;
    unsigned taker; /* the last */
    const char *taken_by;
};

static struct {
    struct place place[SCENE_DEQUES];
    unsigned places;
    size_t wanted, items, used;
    unsigned under_way;            /* a bit for each thread inside an operation */
    uint32_t turn[SCENE_DEQUES];   /* the thread that holds it, plus one; 0: free */
    struct item item[SCENE_ITEMS]; /* last: a snapshot ends with the items there are */
} scene;

unsigned scene_mode, scene_block, scene_usual_block = SCENE_BLOCK;

const char *scene_options(void) {
    static char text[80];
    const char *value = operations.traits.mode_values;
    for (unsigned skipped = 0; value && skipped < scene_mode; skipped++)
        value = (value = strchr(value, '|')) ? value + 1 : NULL;
    snprintf(text, sizeof text, "%s%.*s%s", value ? " --mode=" : "", value ? (int)strcspn(value, "|") : 0,
             value ? value : "", entry_fences_paired ? " --fences=pair" : "");
    return text;
}
size_t scene_left;
bool scene_checks_answers = true;
bool scene_stolen;
void (*scene_begins)(void), (*scene_ends)(enum deque_result);
static char item_names[SCENE_ITEMS][12];
static const char *const deque_names[SCENE_DEQUES] = {"deque", "deque2", "deque3"};

static size_t scene_bytes(void) { return offsetof(__typeof__(scene), item) + scene.items * sizeof(struct item); }

void scene_open(void) {
    memory_cover(&scene, sizeof scene, scene_bytes);
    for (unsigned i = 0; i < SCENE_ITEMS; i++)
        snprintf(item_names[i], sizeof item_names[i], "item%u", i + 1);
}

bool scene_begin(uint64_t step_limit, void (*set_up)(void)) {
    machine_reset();
    memset(&scene, 0, sizeof scene);
    scene_block = scene_usual_block;
    machine_begin(step_limit);
    return machine_call(set_up);
}

struct place *scene_place(unsigned index) {
    return &scene.place[index];
}

/* Items */

/* Called after the deques are made, so that items are next to each other. */
static void make_items(void) {
    size_t link = ROUND_UP(operations.link_bytes);
    if (scene.wanted > SCENE_ITEMS)
        scene.wanted = SCENE_ITEMS;
    for (; scene.items < scene.wanted; scene.items++) {
        scene.item[scene.items].at = memory_allocate(link + PAYLOAD_BYTES, 64);
        memory_name(scene.item[scene.items].at, item_names[scene.items]);
    }
}

/* Items lie at equal distances, in order. */
static struct item *item_at(const void *address) {
    if (scene.items < 2)
        return NULL;
    uintptr_t first = (uintptr_t)scene.item[0].at, stride = (uintptr_t)scene.item[1].at - first;
    size_t index = ((uintptr_t)address - first) / stride;
    return index < scene.items && scene.item[index].at == address ? &scene.item[index] : NULL;
}

static const char *name_of(const struct item *item) { return item_names[item - scene.item]; }

static void *payload_of(const struct item *item) { return (char *)item->at + ROUND_UP(operations.link_bytes); }

/* In a deque that may hand out an item twice, nobody writes to a pushed item: another thread may have it. */
static bool payload_stays(void) { return operations.traits.delivery != DEQUE_ONCE; }

static uint64_t payload_value(const struct item *item) {
    return (uint64_t)(item - scene.item) + 1 + (payload_stays() ? 0 : (uint64_t)item->pushed * 1000000);
}

static struct item *new_item(void) {
    if (scene.used == scene.items)
        machine_fault(FAULT_CANNOT, 0, 0, "the client needs more than %zu items", scene.items);
    return &scene.item[scene.used++];
}

/* It did not go in: it is the next new one again, but where there may be another owner, whose contents would race. */
static void unused(const struct item *item) { scene.used -= scene.places == 1 && item == &scene.item[scene.used - 1]; }

static void about_to_push(struct item *item) {
    if (item->pushed++ == 0 || !payload_stays())
        operations.write_payload(payload_of(item), payload_value(item));
}

/* Checks that what came out is an item that went in, with its contents. */
static void came_out(void *address, const char *how) {
    struct item *item = item_at(address);
    if (!item)
        machine_fault(FAULT_STRANGER, 0, 0, "%s gave %s the value 0x%llx, which is no item that was ever pushed", how,
                      machine_role(machine.current), (unsigned long long)(uintptr_t)address);
    bool again = item->taken >= item->pushed;
    if (again && operations.traits.delivery == DEQUE_ONCE) {
        if (item->pushed == 0)
            machine_fault(FAULT_STRANGER, 0, 0, "%s gave %s %s, which was never pushed", how,
                          machine_role(machine.current), name_of(item));
        machine_fault(FAULT_DOUBLED, 0, 0, "%s came out twice: %s had it by %s, now %s has it by %s", name_of(item),
                      machine_role(item->taker), item->taken_by, machine_role(machine.current), how);
    }
    uint64_t expected = payload_value(item);
    if (operations.read_payload(payload_of(item)) != expected)
        machine_fault(FAULT_STRANGER, 0, 0, "%s gave %s %s, whose contents had not arrived", how,
                      machine_role(machine.current), name_of(item));
    struct race race;
    if (operations.traits.delivery == DEQUE_ONCE && !operations.link_bytes &&
        slot_reads_came_out(machine.current, (uintptr_t)address, &race))
        machine_race(&race);
    if (!again)
        item->taken++;
    item->taker = machine.current;
    item->taken_by = how;
    if (!payload_stays())
        operations.write_payload(payload_of(item), expected); /* the thread that took the item may write to it */
}

/* Answers */

static const char *answer_name(enum deque_result result) {
    static const char *const names[] = {"OK", "EMPTY", "FULL", "LOST"};
    return (unsigned)result < 4 ? names[result] : "no answer of the contract";
}

/* After a push: every thread sees the item once this many of the owner's stores have arrived. Those of a set-up have.
 */
static void note_stores(struct place *place) {
    place->last_store = machine.current == place->owner ? machine_self()->buffer.issued : 0;
}

/* An operation, and what it saw at its beginning. */
struct operation {
    struct place *place;
    const char *form;
    unsigned *taking; /* pops and steals of its kind in progress; NULL: it takes nothing */
    size_t settled;
    unsigned spills;
    uint64_t switches;
    bool alone;
};

/* A call that is the owner's alone. The main thread stands for the owner: it runs before and after all others. */
static void by_owner(const struct place *place, const char *call) {
    if (machine.current != LAB_MAIN && machine.current != place->owner)
        machine_fault(FAULT_CANNOT, 0, 0, "two owners of %s: %s calls %s, and its owner is %s",
                      deque_names[place - scene.place], machine_role(machine.current), call,
                      machine_role(place->owner));
}

static struct operation begin(struct place *place, const char *form, unsigned *taking) {
    if (place->owner == LAB_MAIN || machine.thread[place->owner].buffer.arrived >= place->last_store)
        place->settled = place->pushed;
    /* An operation that has returned but whose stores have not arrived is still under way for others. */
    const bool alone = scene.under_way == 0 && (machine.buffered & ~(1u << machine.current)) == 0;
    scene.under_way |= 1u << machine.current;
    slot_reads_begin(machine.current);
    if (taking)
        ++*taking;
    if (scene_begins)
        scene_begins();
    return (struct operation){place,         form,
                              taking,        place->owner == machine.current ? place->pushed : place->settled,
                              place->spills, machine.switches,
                              alone};
}

static void end(const struct operation *operation, enum deque_result result, size_t took) {
    if (scene_ends)
        scene_ends(result);
    scene.under_way &= ~(1u << machine.current);
    if (operation->taking)
        --*operation->taking;
    operation->place->taken += took;
}

/* EMPTY is right if others may have taken every item that was in the deque during the whole operation. Call after end.
 */
static void check_empty(const struct operation *operation, bool thief) {
    const struct place *place = operation->place;
    const size_t gone = place->taken + place->singles + (thief ? operations.traits.thieves_leave : 0);
    bool asks = operations.traits.native & DEQUE_POLL; /* its owner decides what thieves get, and when */
    if (!scene_checks_answers || operations.traits.keeps_nothing || (thief && asks) || place->batches > 0)
        return;
    if (thief && (machine.weak || place->spills != operation->spills)) /* the thief may not have seen the pushes yet */
        return;
    const size_t lay = operation->settled - place->taken - place->singles;
    if (operation->settled > gone)
        machine_note(FAULT_ANSWER, 0, 0, "%s told %s EMPTY, while at least %zu item%s lay in the deque throughout",
                     operation->form, machine_role(machine.current), lay, lay == 1 ? "" : "s");
}

static void check_take(const struct operation *operation, enum deque_result result, bool thief) {
    const bool may_lose = !scene_checks_answers || !operation->alone || operation->switches != machine.switches ||
                          machine.weak || (operations.traits.native & DEQUE_POLL);
    if (result == DEQUE_EMPTY)
        check_empty(operation, thief);
    else if (result != DEQUE_OK && (result != DEQUE_LOST || !thief))
        machine_fault(FAULT_ANSWER, 0, 0, "%s answered %s, which it may not", operation->form, answer_name(result));
    else if (result == DEQUE_LOST && !may_lose)
        machine_note(FAULT_ANSWER, 0, 0, "%s told %s LOST, while no other thread did anything", operation->form,
                     machine_role(machine.current));
}

/* After a pop or steal a deque may be FULL below its capacity: a linear array until its owner finds it empty, a ring of
 * blocks until a block is free. */
static void check_full(const struct place *place) {
    if (!scene_checks_answers || operations.traits.keeps_nothing)
        return;
    if (operations.traits.bound != DEQUE_FIXED && !memory_scarce)
        machine_note(FAULT_ANSWER, 0, 0, "push said FULL, but this deque grows and memory was there");
    if (place->taken == 0 && place->singles == 0 && place->batches == 0 && place->pushed < place->asked)
        machine_note(FAULT_ANSWER, 0, 0, "push said FULL with %zu items in a deque made for %zu", place->pushed,
                     place->asked);
}

/* Deques */

static bool try_capacity(unsigned index, size_t capacity, uint64_t first_index) {
    struct place *place = &scene.place[index];
    struct deque_config config = {.capacity = capacity,
                                  .block = scene_block,
                                  .worker = index * WORKERS_APART,
                                  .workers = SCENE_DEQUES * WORKERS_APART,
                                  .first = scene.place[0].deque,
                                  .mode = scene_mode,
                                  .first_index = first_index};
    int status = operations.init(place->deque, &config);
    if (status == EINVAL) {
        config.block = 0;
        status = operations.init(place->deque, &config);
    }
    place->asked = capacity;
    return status == 0;
}

void scene_make_deque(unsigned index, size_t capacity, uint64_t first_index, unsigned owner) {
    struct place *place = &scene.place[index];
    if (scene.items > 0 && machine.current == LAB_MAIN)
        machine_fault(FAULT_CANNOT, 0, 0, "the client makes a deque after its items");
    place->deque = memory_allocate(operations.deque_bytes, operations.deque_alignment);
    memory_name(place->deque, deque_names[index]);
    place->owner = owner;
    bool made = try_capacity(index, capacity, first_index);
    while (!made && (capacity *= 2) <= CAPACITY_MAX)
        made = try_capacity(index, capacity, first_index);
    if (!made && !try_capacity(index, 0, first_index))
        machine_fault(FAULT_CANNOT, 0, 0, "deque_init refuses every capacity from %zu to %d, and its own default",
                      place->asked, CAPACITY_MAX);
    place->capacity = operations.capacity(place->deque);
    if (index >= scene.places)
        scene.places = index + 1;
    scene.wanted += 3 * (place->capacity ? place->capacity : capacity) + 32;
}

/* Owner */

static bool push_item(unsigned index, struct item *item, enum deque_result (*push)(struct deque *, void *)) {
    struct place *place = &scene.place[index];
    by_owner(place, "push");
    about_to_push(item);
    struct operation operation = begin(place, "push", NULL);
    trace_text(EVENT_CALL, "push(%s)", name_of(item));
    enum deque_result result = push(place->deque, item->at);
    trace_text(EVENT_ANSWER, "push: %s", answer_name(result));
    end(&operation, result, 0);
    if (result == DEQUE_OK) {
        place->pushed++;
        note_stores(place);
        return true;
    }
    item->pushed--;
    if (result != DEQUE_FULL)
        machine_fault(FAULT_ANSWER, 0, 0, "push answered %s, which it may not", answer_name(result));
    check_full(place);
    return false;
}

bool scene_push_by(unsigned index, enum deque_result (*push)(struct deque *, void *)) {
    struct item *item = new_item();
    bool pushed = push_item(index, item, push);
    if (!pushed)
        unused(item);
    return pushed;
}

bool scene_push(unsigned index) { return scene_push_by(index, operations.push); }

bool scene_push_again(unsigned index, void *item) { return push_item(index, item_at(item), operations.push); }

size_t scene_fill(unsigned index, size_t n) {
    size_t pushed = 0;
    make_items();
    while (pushed < n && scene_push(index))
        pushed++;
    return pushed;
}

void *scene_pop_by(unsigned index, const char *form, enum deque_result (*pop)(struct deque *, void **)) {
    struct place *place = &scene.place[index];
    by_owner(place, form);
    struct operation operation = begin(place, form, &place->singles);
    void *item = NULL;
    trace_text(EVENT_CALL, "%s()", form);
    enum deque_result result = pop(place->deque, &item);
    struct item *known = result == DEQUE_OK && !operations.traits.keeps_nothing ? item_at(item) : NULL;
    trace_text(EVENT_ANSWER, "%s: %s %s", form, answer_name(result), known ? name_of(known) : "");
    end(&operation, result, result == DEQUE_OK);
    check_take(&operation, result, false);
    if (result != DEQUE_OK || operations.traits.keeps_nothing)
        return NULL;
    came_out(item, form);
    if (place->popped_count == SCENE_POPPED)
        memmove(place->popped, place->popped + 1, --place->popped_count * sizeof *place->popped);
    place->popped[place->popped_count++] = item;
    return item;
}

void *scene_pop(unsigned index) { return scene_pop_by(index, "pop", operations.pop); }

void scene_poll(unsigned index) {
    if (operations.traits.native & DEQUE_POLL)
        operations.poll(scene.place[index].deque);
}

/* The owner's answer is exact if no other thread is inside of an operation, or runs meanwhile. */
void scene_size(unsigned index) {
    const struct place *place = &scene.place[index];
    const uint64_t switches = machine.switches;
    const bool exact = place->owner == machine.current && scene.under_way == 0 && !machine.weak && !payload_stays() &&
                       (machine.buffered & ~(1u << machine.current)) == 0;
    size_t size = operations.size(place->deque);
    if (size > scene.items && !operations.traits.keeps_nothing)
        machine_fault(FAULT_ANSWER, 0, 0, "deque_size told %s %zu, and there are %zu items in all",
                      machine_role(machine.current), size, scene.items);
    if (exact && switches == machine.switches && size != place->pushed - place->taken)
        machine_fault(FAULT_ANSWER, 0, 0,
                      "deque_size told the owner %zu, while %zu items lay there and no other thread did anything", size,
                      place->pushed - place->taken);
}

/* Items that the deque hands back belong to the owner, as if popped. */
void scene_spill(unsigned index) {
    void *out[SCENE_BATCH];
    struct place *place = &scene.place[index];
    by_owner(place, "spill");
    struct operation operation = begin(place, "spill", &place->batches);
    trace_text(EVENT_CALL, "spill()");
    size_t n = operations.spill(place->deque, out, SCENE_BATCH);
    trace_text(EVENT_ANSWER, "spill: %zu", n);
    end(&operation, n ? DEQUE_OK : DEQUE_EMPTY, n);
    /* The deque may have taken everything out and put the rest back. Thieves see the rest when these stores arrive. */
    place->spills++;
    place->settled = place->taken;
    note_stores(place);
    for (size_t i = 0; i < n && i < SCENE_BATCH; i++)
        came_out(out[i], "spill");
}

void scene_push_several(unsigned index, size_t n, const char *form,
                        size_t (*pushes)(struct deque *, void *const *items, size_t n)) {
    void *items[SCENE_PUSHED];
    struct place *place = &scene.place[index];
    by_owner(place, form);
    for (size_t i = 0; i < n; i++) {
        struct item *item = new_item();
        about_to_push(item);
        items[i] = item->at;
    }
    struct operation operation = begin(place, form, NULL);
    trace_text(EVENT_CALL, "%s(%zu from %s)", form, n, name_of(item_at(items[0])));
    size_t pushed = pushes(place->deque, items, n);
    trace_text(EVENT_ANSWER, "%s: %zu", form, pushed);
    end(&operation, pushed ? DEQUE_OK : DEQUE_FULL, 0);
    if (pushed > n)
        machine_fault(FAULT_ANSWER, 0, 0, "%s of %zu items says that %zu went in", form, n, pushed);
    for (size_t i = n; i > pushed; i--) {
        struct item *item = item_at(items[i - 1]);
        item->pushed--;
        unused(item);
    }
    place->pushed += pushed;
    note_stores(place);
}

static bool reusable(struct place *place) {
    if (!operations.retire)
        return true;
    place->ticket = operations.retire(place->deque);
    for (int i = 0; i < PATIENCE; i++)
        if (operations.reusable(place->deque, place->ticket))
            return true;
    return false;
}

static void push_and_poll(void *item) {
    scene_push_again(0, item);
    scene_poll(0);
}

void scene_reuse_popped(size_t n, bool push) {
    void *items[SCENE_POPPED];
    struct place *place = &scene.place[0];
    n = n < place->popped_count ? n : place->popped_count;
    memcpy(items, place->popped, n * sizeof *items);
    memmove(place->popped, place->popped + n, (place->popped_count - n) * sizeof *items);
    place->popped_count -= (unsigned)n;
    if (n == 0 || !reusable(place))
        return;
    for (size_t i = 0; i < n; i++)
        (push ? push_and_poll : operations.release)(items[i]);
}

/* Thieves */

/* By a thread of the client: the set-up and the end do not count. */
static void stolen(size_t n) { scene_stolen = scene_stolen || (n > 0 && machine.current != LAB_MAIN); }

/* A stolen link belongs to the thief. Overwriting it exposes a thread that still reads it. */
static void own_link(void *item) {
    if (operations.link_bytes)
        operations.spoil_link(item, operations.link_bytes);
}

/* Thieves take turns at a deque that allows one at a time. harness/measuring/one_thief.h does not fit: here a thief
 * waits, and the machine may stop the thread that holds the lock. */
static void begin_turn(unsigned victim) {
    if (operations.traits.thieves != DEQUE_ONE_THIEF)
        return;
    while (scene.turn[victim] != 0)
        machine_block((uintptr_t)&scene.turn[victim]);
    scene.turn[victim] = machine.current + 1;
    races_loaded(machine.current, (uintptr_t)scene.place[victim].deque - 1, memory_order_acquire);
    weak_begin_turn(machine.current);
}

static void end_turn(unsigned victim) {
    if (operations.traits.thieves != DEQUE_ONE_THIEF)
        return;
    struct clocks carried;
    races_release(machine.current, memory_order_release, &carried);
    machine_drain(machine.current); /* releasing a lock does that */
    races_arrived((uintptr_t)scene.place[victim].deque - 1, &carried, true);
    weak_end_turn(machine.current);
    scene.turn[victim] = 0;
    machine_wake((uintptr_t)&scene.turn[victim]);
}

typedef enum deque_result steals_several(struct deque *, struct deque *, unsigned percent, void **, size_t max,
                                         size_t *);

static enum deque_result one(struct deque *victim, struct deque *self, unsigned percent, void **out, size_t max,
                             size_t *n) {
    (void)percent, (void)max;
    enum deque_result result = operations.steal(victim, self, out);
    *n = result == DEQUE_OK;
    return result;
}

/* Any thief. Steals by one of the forms that fill an array. Returns how many items. */
static size_t steal_by(unsigned victim, unsigned thief, unsigned percent, void **out, size_t max, const char *form,
                       steals_several *steals) {
    struct place *place = &scene.place[victim];
    size_t n = 0;
    struct deque *own = operations.traits.needs_self ? scene.place[thief].deque : NULL;
    begin_turn(victim);
    struct operation operation = begin(place, form, steals != one ? &place->batches : &place->singles);
    trace_text(EVENT_CALL, steals == one ? "%s()" : "%s(%u %%, at most %zu)", form, percent, max);
    enum deque_result result = steals(place->deque, own, percent, out, max, &n);
    struct item *first = n > 0 ? item_at(out[0]) : NULL;
    trace_text(EVENT_ANSWER, n > 1 ? "%s: %s %s and %zu more" : "%s: %s %s", form, answer_name(result),
               first ? name_of(first) : "", n - 1);
    if (n > max || (result == DEQUE_OK) != (n > 0))
        machine_fault(FAULT_ANSWER, 0, 0, "%s answered %s with %zu items, at most %zu wanted", form,
                      answer_name(result), n, max);
    end(&operation, result, n);
    check_take(&operation, result, true);
    for (size_t i = 0; i < n; i++) {
        came_out(out[i], form);
        own_link(out[i]);
    }
    stolen(n);
    end_turn(victim);
    return n;
}

void *scene_steal(unsigned victim, unsigned thief) {
    void *item;
    return steal_by(victim, thief, 0, &item, 1, "steal", one) ? item : NULL;
}

size_t scene_steal_batch(unsigned victim, unsigned thief, unsigned percent, size_t max) {
    void *out[SCENE_BATCH];
    return steal_by(victim, thief, percent, out, max, "steal_batch", operations.steal_batch);
}

size_t scene_steal_list(unsigned victim, unsigned thief, unsigned percent) {
    void *out[SCENE_BATCH];
    return steal_by(victim, thief, percent, out, SCENE_BATCH, "steal_list", operations.steal_list);
}

bool scene_steal_into(unsigned victim, unsigned self) {
    void *first = NULL;
    size_t moved = 0;
    struct place *from = &scene.place[victim], *to = &scene.place[self];
    by_owner(to, "steal_into");
    begin_turn(victim);
    struct operation operation = begin(from, "steal_into", &from->batches);
    trace_text(EVENT_CALL, "steal_into(%s)", deque_names[self]);
    enum deque_result result = operations.steal_into(from->deque, to->deque, &first, &moved);
    struct item *known = result == DEQUE_OK ? item_at(first) : NULL;
    trace_text(EVENT_ANSWER, "steal_into: %s %s, %zu moved", answer_name(result), known ? name_of(known) : "", moved);
    end(&operation, result, result == DEQUE_OK ? moved + 1 : 0);
    to->pushed += result == DEQUE_OK ? moved : 0;
    note_stores(to);
    if (result == DEQUE_EMPTY) /* LOST may also say that self has no room */
        check_empty(&operation, true);
    if (result == DEQUE_OK)
        came_out(first, "steal_into");
    stolen(result == DEQUE_OK);
    end_turn(victim);
    return result == DEQUE_OK;
}

#define TRIAL_ITEMS 16

static void try_thief(void) {
    scene_make_deque(0, TRIAL_ITEMS, 0, LAB_MAIN);
    if (operations.traits.needs_self)
        scene_make_deque(1, TRIAL_ITEMS, 0, LAB_MAIN);
    scene_left = scene_fill(0, TRIAL_ITEMS);
    for (int failed = 0; failed < PATIENCE && scene_left > 0;)
        if (scene_steal(0, 1))
            scene_left--;
        else
            failed++;
}

void scene_find_left(void) {
    size_t claimed = operations.traits.thieves_leave;
    scene_left = claimed;
    if (claimed == 0 || operations.traits.thieves == DEQUE_OWNER_ONLY)
        return;
    if (!scene_begin(TRIAL_STEPS, try_thief) || scene_left > claimed || scene_left == TRIAL_ITEMS)
        scene_left = claimed; /* either the clients show what is wrong, or the owner has to answer requests */
}

/* The end */

static void take_out(unsigned index) {
    size_t tries = 0;
    bool more = true;
    while (more && tries++ < 2 * SCENE_ITEMS) {
        more = false;
        while (tries++ < 2 * SCENE_ITEMS && scene_pop(index))
            more = true;
        scene_poll(index);
        if (operations.traits.thieves != DEQUE_OWNER_ONLY && scene_steal(index, index))
            more = true;
    }
    if (tries >= 2 * SCENE_ITEMS)
        machine_fault(FAULT_HANGS, 0, 0, "after the threads, %s gives items for ever", deque_names[index]);
}

size_t scene_missing(char *names, size_t size) {
    size_t missing = 0, used = 0;
    for (unsigned index = 0; index < scene.places; index++)
        take_out(index);
    for (size_t i = 0; i < scene.used; i++) {
        if (scene.item[i].taken >= scene.item[i].pushed)
            continue;
        if (used < size)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", item_names[i]);
        missing++;
    }
    return missing;
}

/* When memory is scarce and nobody is left, the deque takes again what it was made for, less a block, because the last
 * one may be used up. It can do so only if the blocks that thieves passed, or claimed in vain, serve again. */
static void check_room(unsigned index) {
    const struct place *place = &scene.place[index];
    if (place->asked < 4 * SCENE_BLOCK) /* a deque of one block cannot use another again */
        return;
    for (size_t n = 0; n < place->asked - SCENE_BLOCK; n++)
        if (!scene_push(index))
            machine_fault(FAULT_ANSWER, 0, 0, "emptied, it is FULL with %zu items, though it was made for %zu", n,
                          place->asked);
}

void scene_finish(void) {
    /* This checks for missing items, not answers: a deque that lost an item says EMPTY at its end. */
    bool before = scene_checks_answers;
    scene_checks_answers = false;
    char names[160];
    const size_t missing = operations.traits.keeps_nothing ? 0 : scene_missing(names, sizeof names);
    scene_checks_answers = before;
    if (missing > 0)
        machine_fault(FAULT_LOST, 0, 0, "%s went in and never came out", names);
    for (unsigned index = 0; index < scene.places && operations.retire; index++)
        if (!operations.reusable(scene.place[index].deque, scene.place[index].ticket))
            machine_fault(FAULT_ANSWER, 0, 0, "popped links may not be used again, though no thief is left");
    for (unsigned index = 0; index < scene.places && memory_scarce && !operations.traits.keeps_nothing; index++)
        check_room(index);
    for (unsigned index = 0; index < scene.places; index++)
        operations.destroy(scene.place[index].deque);
    if (memory_unnamed() > 0)
        machine_note(FAULT_ANSWER, 0, 0, "deque_destroy leaves %zu allocations behind", memory_unnamed());
}
