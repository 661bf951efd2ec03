#include "harness/measuring/random.h"
#include "proof/lab/clients/clients.h"
#include "proof/lab/clients/scene.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 600

unsigned program_block;
static struct program program;
static char text[TEXT_MAX];

/* Running it */

static bool program_moves(void) {
    for (const struct part *part = program.part; part < program.part + PARTS; part++)
        for (unsigned i = 0; i < part->count; i++)
            if (part->saying[i].word->by & (BY_MOVER | BY_OTHER))
                return true;
    return false;
}

static void say(const struct part *part) {
    for (unsigned i = 0; i < part->count; i++)
        part->saying[i].word->say(part->saying[i].n);
}

static void set_up(void) {
    unsigned deques = operations.traits.needs_self || program_moves() ? program.threads : 1;
    scene_block = (unsigned)program.block;
    for (unsigned own = 0; own < deques; own++)
        scene_make_deque(own, program.capacity + scene_left, program.first_index, own);
    scene_fill(0, program.items ? program.items + scene_left : 0);
    say(&program.part[SET_UP]);
}

static void thread(void) { say(&program.part[1 + machine.current]); }

static bool program_applies(void) { return words[0].applies(); }

struct client program_client = {.name = text,
                                .summary = "programs made by chance",
                                .applies = program_applies,
                                .set_up = set_up,
                                .body = {thread, thread, thread}};

/* Its text */

static void write_text(void) {
    size_t used = (size_t)snprintf(text, sizeof text, "make(%zu,%zu", program.capacity, program.items);
    if (program.first_index || program.block != scene_usual_block)
        used += (size_t)snprintf(text + used, sizeof text - used, ",%#llx,%zu", (unsigned long long)program.first_index,
                                 program.block);
    used += (size_t)snprintf(text + used, sizeof text - used, ")");
    for (unsigned number = SET_UP; number <= program.threads; number++) {
        const struct part *part = &program.part[number];
        if (number > SET_UP && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, ",");
        for (unsigned i = 0; i < part->count && used < sizeof text; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s(%u)", i || number == SET_UP ? ";" : "",
                                     part->saying[i].word->name, part->saying[i].n);
    }
}

struct program program_now(void) {
    return program;
}

void program_set(const struct program *now) {
    program = *now;
    program_client.threads = program.threads;
    write_text();
}

/* Reads "(1,2)". Returns what is behind it, or NULL. */
static const char *read_numbers(const char *at, uint64_t *number, size_t max) {
    for (size_t i = 0; *at == (i ? ',' : '(') && i < max; i++) {
        char *end;
        number[i] = strtoull(at + 1, &end, 0);
        if (end == at + 1)
            return NULL;
        at = end;
    }
    return *at == ')' ? at + 1 : NULL;
}

static const struct word *word_at(const char *at) {
    size_t length = strcspn(at, "(");
    for (size_t i = 0; i < word_count; i++)
        if (strlen(words[i].name) == length && strncmp(words[i].name, at, length) == 0 && words[i].applies())
            return &words[i];
    return NULL;
}

static const char *read_saying(const char *at, struct part *part) {
    const struct word *word = word_at(at);
    uint64_t n = 0;
    if (!word || part->count == SAYINGS || !(at = read_numbers(strchr(at, '('), &n, 1)) || n == 0 || n > SCENE_PUSHED)
        return NULL;
    part->saying[part->count++] = (struct saying){word, (unsigned)n};
    return at;
}

bool program_parse(const char *at) {
    struct program read = {.block = scene_usual_block};
    uint64_t made[4] = {0, 0, 0, scene_usual_block};
    unsigned number = SET_UP;
    if (strncmp(at, "make", 4) != 0 || !(at = read_numbers(at + 4, made, 4)))
        return false;
    read.capacity = made[0], read.items = made[1], read.first_index = made[2], read.block = made[3];
    while (*at) {
        bool next = *at == ',';
        if ((!next && *at != ';') || (next && ++number == PARTS))
            return false;
        at++;
        if (!(next && (*at == ',' || !*at)) && !(at = read_saying(at, &read.part[number])))
            return false;
    }
    read.threads = number > 2 ? number : 2;
    program_set(&read);
    return true;
}

/* Made by chance */

static bool may_say(const struct word *word, unsigned by, unsigned never) {
    return (word->by & by) && !(word->by & never) && word->applies();
}

static bool words_of_movers(void) {
    for (size_t i = 0; i < word_count; i++)
        if (may_say(&words[i], BY_MOVER, 0))
            return true;
    return false;
}

static const struct word *word_by_chance(uint64_t *random, unsigned by, unsigned never) {
    uint64_t all = 0, chosen;
    for (size_t i = 0; i < word_count; i++)
        all += may_say(&words[i], by, never) ? words[i].weight : 0;
    chosen = random_below(random, all);
    const struct word *word = words;
    for (;; word++)
        if (may_say(word, by, never)) {
            if (chosen < word->weight)
                return word;
            chosen -= word->weight;
        }
}

/* Most numbers are small. */
static struct part part_by_chance(uint64_t *random, unsigned count, unsigned by, unsigned never) {
    struct part part = {.count = count};
    for (unsigned i = 0; i < count; i++) {
        part.saying[i].word = word_by_chance(random, by, never);
        part.saying[i].n = 1 + (unsigned)random_below(random, 1 + random_below(random, 4));
    }
    return part;
}

void program_by_chance(uint64_t seed) {
    static const uint64_t limits[] = {0, 0, 0, UINT32_MAX, INT64_MAX, UINT64_MAX}; /* indices begin shortly before */
    uint64_t state = random_start(seed, 0), *random = &state;
    const bool places = operations.push_at && random_below(random, 2);
    const bool mover = words_of_movers() && random_below(random, 3) == 0;
    const unsigned never = places ? BY_VALUE : BY_PLACE;
    struct program made = {.capacity = (size_t)1 << random_below(random, 5),
                           .block = (size_t)1 << random_below(random, 3),
                           .first_index = limits[random_below(random, sizeof limits / sizeof *limits)],
                           .threads = mover || random_below(random, 2) ? 3 : 2};
    if (program_block)
        made.block = program_block;
    if (made.first_index)
        made.first_index -= random_below(random, 4);
    made.items = places ? 0 : random_below(random, made.capacity + 2);
    made.part[SET_UP] =
        part_by_chance(random, (unsigned)random_below(random, 3), BY_OWNER | (mover ? BY_MOVER : 0), never);
    made.part[1] = part_by_chance(random, 1 + (unsigned)random_below(random, 4), BY_OWNER, never);
    made.part[2] =
        part_by_chance(random, 1 + (unsigned)random_below(random, 3), BY_THIEF | (mover ? BY_MOVER : 0), never);
    if (made.threads > 2)
        made.part[3] =
            part_by_chance(random, 1 + (unsigned)random_below(random, 2), BY_THIEF | (mover ? BY_OTHER : 0), never);
    program_set(&made);
}

/* Made smaller */

static bool shorten(struct part *part, unsigned *way) {
    for (unsigned i = 0; i < part->count; i++) {
        if ((*way)-- == 0) {
            part->count--;
            memmove(&part->saying[i], &part->saying[i + 1], (part->count - i) * sizeof *part->saying);
            return true;
        }
        struct saying *saying = &part->saying[i];
        if (saying->n > 1 && (*way)-- == 0) {
            saying->n--;
            return true;
        }
        const struct word *steal = word_at("steal(");
        if ((saying->word->by & BY_THIEF) && saying->word->say != steal->say && (*way)-- == 0) {
            saying->word = steal;
            return true;
        }
    }
    return false;
}

bool program_shrink(unsigned way) {
    struct program smaller = program;
    bool done = false;
    for (unsigned number = program.threads + 1; number-- > SET_UP && !done;)
        done = shorten(&smaller.part[number], &way);
    if (!done && smaller.first_index && way-- == 0)
        done = true, smaller.first_index = 0;
    if (!done && smaller.block != scene_usual_block && way-- == 0)
        done = true, smaller.block = scene_usual_block;
    if (!done && smaller.items > 0 && way-- == 0)
        done = true, smaller.items--;
    if (!done && smaller.capacity > 1 && way-- == 0)
        done = true, smaller.capacity /= 2;
    if (smaller.threads > 2 && smaller.part[3].count == 0)
        smaller.threads = 2;
    program_set(&smaller);
    return done;
}
