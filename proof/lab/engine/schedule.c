#include "proof/lab/engine/schedule.h"
#include "harness/measuring/random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(thread) (1u << (thread))

/* A thread that runs alone for so long waits for another. Then others get a turn, whatever the schedule says. */
#define PATIENCE 400

static unsigned lowest(unsigned set) { return (unsigned)__builtin_ctz(set); }

/* The next runnable thread after the current one, in a ring. */
static unsigned following(void) {
    unsigned above = machine.current < LAB_THREADS ? machine.runnable & ~(BIT(machine.current + 1) - 1) : 0;
    return lowest(above ? above : machine.runnable);
}

static bool current_runs(void) {
    return machine.current < LAB_THREADS && (machine.runnable & BIT(machine.current)) != 0;
}

static struct choice run(unsigned thread) { return (struct choice){CHOICE_RUN, thread}; }

static bool weak;
void schedule_memory(bool now_weak) { weak = now_weak; }

/* Chance */

#define CHANGES_MAX 6
#define PROCESSES (2 * LAB_THREADS) /* the threads, then their store buffers */

struct by_chance {
    struct schedule schedule;
    uint64_t random;
    unsigned switch_rate, drain_rate, older_rate; /* of 256 */
    unsigned alone;                               /* accesses since the last switch */
    unsigned priority[PROCESSES], lowest_priority;
    unsigned changes;
    uint64_t change_at[CHANGES_MAX];
};
static struct by_chance by_chance;

static unsigned one_of(uint64_t *random, unsigned set) {
    unsigned n = (unsigned)((random_next(random) >> 33) % (unsigned)__builtin_popcount(set));
    while (n-- > 0)
        set &= set - 1;
    return lowest(set);
}

static struct choice walk_next(struct schedule *schedule) {
    struct by_chance *walk = (struct by_chance *)schedule;
    uint64_t bits = random_next(&walk->random) >> 16;
    if (machine.buffered && (bits & 255) < walk->drain_rate)
        return (struct choice){CHOICE_DRAIN_ONE, one_of(&walk->random, machine.buffered)};
    if (!current_runs() || ((bits >> 8) & 255) < walk->switch_rate)
        return run(one_of(&walk->random, machine.runnable));
    return run(machine.current);
}

static unsigned highest_process(const struct by_chance *by) {
    unsigned best = PROCESSES;
    unsigned enabled = machine.runnable | machine.buffered << LAB_THREADS;
    for (unsigned process = 0; process < PROCESSES; process++)
        if ((enabled & BIT(process)) && (best == PROCESSES || by->priority[process] > by->priority[best]))
            best = process;
    return best;
}

static struct choice priority_next(struct schedule *schedule) {
    struct by_chance *by = (struct by_chance *)schedule;
    unsigned best = highest_process(by);
    bool change = ++by->alone > PATIENCE;
    for (unsigned i = 0; i < by->changes; i++)
        if (by->change_at[i] == machine.step) {
            by->change_at[i] = NEVER;
            change = true;
        }
    if (change && by->lowest_priority > 0) {
        by->priority[best] = --by->lowest_priority;
        best = highest_process(by);
        by->alone = 0;
    }
    if (best >= LAB_THREADS)
        return (struct choice){CHOICE_DRAIN_ONE, best - LAB_THREADS};
    if (best != machine.current)
        by->alone = 0;
    return run(best);
}

static unsigned chance_older(struct schedule *schedule, unsigned max) {
    struct by_chance *by = (struct by_chance *)schedule;
    uint64_t bits = random_next(&by->random) >> 16;
    return (bits & 255) < by->older_rate ? 1 + (unsigned)((bits >> 8) % max) : 0;
}

static void choose_priorities(struct by_chance *by, uint64_t length) {
    by->lowest_priority = 1u << 30;
    for (unsigned process = 0; process < PROCESSES; process++)
        by->priority[process] = by->lowest_priority + 1 + process;
    for (unsigned i = PROCESSES; i > 1; i--) {
        unsigned j = (unsigned)((random_next(&by->random) >> 32) % i), other = by->priority[i - 1];
        by->priority[i - 1] = by->priority[j];
        by->priority[j] = other;
    }
    by->changes = 1 + (unsigned)((random_next(&by->random) >> 32) % CHANGES_MAX);
    for (unsigned i = 0; i < by->changes; i++)
        by->change_at[i] = (random_next(&by->random) >> 16) % (length + 1);
}

struct schedule *schedule_by_chance(uint64_t seed, uint64_t length) {
    static const unsigned char switch_rates[] = {128, 64, 32, 16}, drain_rates[] = {128, 64, 16, 0},
                               older_rates[] = {200, 128, 64, 16};
    by_chance.random = random_start(seed, 0);
    uint64_t bits = random_next(&by_chance.random) >> 16;
    by_chance.schedule.plain_points = bits & 1;
    by_chance.switch_rate = switch_rates[(bits >> 1) & 3];
    by_chance.drain_rate = drain_rates[(bits >> 3) & 3];
    by_chance.older_rate = older_rates[(bits >> 32) & 3];
    by_chance.schedule.weak = weak;
    by_chance.schedule.older = chance_older;
    by_chance.alone = 0;
    if ((bits >> 5) % 3 == 0) {
        choose_priorities(&by_chance, length);
        by_chance.schedule.next = priority_next;
    } else {
        by_chance.schedule.next = walk_next;
    }
    return &by_chance.schedule;
}

/* A list */

static struct {
    struct schedule schedule;
    const struct steps *steps;
    size_t at;
    uint64_t used;
} by_list;

static struct choice list_next(struct schedule *schedule) {
    (void)schedule;
    for (; by_list.at < by_list.steps->count; by_list.at++, by_list.used = 0) {
        const struct step *step = &by_list.steps->step[by_list.at];
        if (step->kind == CHOICE_OLDER) /* belongs to a load that this run does not make */
            continue;
        if (step->kind != CHOICE_RUN) {
            if (!(machine.buffered & BIT(step->thread)))
                continue;
            by_list.at++;
            by_list.used = 0;
            return (struct choice){step->kind, step->thread};
        }
        if (!(machine.runnable & BIT(step->thread)) || (step->count && by_list.used == step->count))
            continue;
        by_list.used++;
        return run(step->thread);
    }
    if (++by_list.used > PATIENCE || !current_runs()) {
        by_list.used = 0;
        return run(following());
    }
    return run(machine.current);
}

/* Takes the step after the one just used up. */
static unsigned list_older(struct schedule *schedule, unsigned max) {
    (void)schedule;
    const struct steps *steps = by_list.steps;
    size_t at = by_list.at;
    if (at < steps->count && steps->step[at].kind == CHOICE_RUN && by_list.used == steps->step[at].count)
        at++;
    if (at >= steps->count || steps->step[at].kind != CHOICE_OLDER)
        return 0;
    uint64_t older = steps->step[at].count;
    by_list.at = at + 1;
    by_list.used = 0;
    return older < max ? (unsigned)older : max;
}

struct schedule *schedule_by_list(const struct steps *steps) {
    by_list.schedule.next = list_next;
    by_list.schedule.older = list_older;
    by_list.schedule.weak = steps->weak;
    by_list.schedule.plain_points = steps->plain_points;
    by_list.steps = steps;
    by_list.at = 0;
    by_list.used = 0;
    return &by_list.schedule;
}

/* Recording */

static struct {
    struct schedule schedule;
    struct schedule *source;
    struct steps *steps;
} recorder;

static struct choice recorded_next(struct schedule *schedule) {
    (void)schedule;
    struct choice choice = recorder.source->next(recorder.source);
    struct steps *steps = recorder.steps;
    struct step *last = steps->count ? &steps->step[steps->count - 1] : NULL;
    if (choice.kind == CHOICE_RUN && last && last->kind == CHOICE_RUN && last->thread == choice.thread)
        last->count++;
    else if (steps->count < STEPS_MAX)
        steps->step[steps->count++] = (struct step){choice.kind, choice.thread, 1};
    return choice;
}

static unsigned recorded_older(struct schedule *schedule, unsigned max) {
    (void)schedule;
    struct steps *steps = recorder.steps;
    unsigned older = recorder.source->older ? recorder.source->older(recorder.source, max) : 0;
    if (older > 0 && steps->count < STEPS_MAX)
        steps->step[steps->count++] = (struct step){CHOICE_OLDER, machine.current, older};
    return older;
}

struct schedule *schedule_recorded(struct schedule *source, struct steps *steps) {
    steps->count = 0;
    steps->weak = source->weak;
    recorder.schedule.weak = source->weak;
    recorder.schedule.older = recorded_older;
    steps->plain_points = source->plain_points;
    recorder.schedule.next = recorded_next;
    recorder.schedule.plain_points = source->plain_points;
    recorder.source = source;
    recorder.steps = steps;
    return &recorder.schedule;
}

bool steps_text(const struct steps *steps, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "%s%s", steps->weak ? "w" : "", steps->plain_points ? "p" : "");
    for (size_t i = 0; i < steps->count && used < size; i++) {
        const struct step *step = &steps->step[i];
        const char *comma = i ? "," : "";
        if (step->kind == CHOICE_RUN && step->count)
            used += (size_t)snprintf(text + used, size - used, "%s%u*%llu", comma, step->thread,
                                     (unsigned long long)step->count);
        else if (step->kind == CHOICE_OLDER)
            used += (size_t)snprintf(text + used, size - used, "%so%llu", comma, (unsigned long long)step->count);
        else if (step->kind == CHOICE_RUN)
            used += (size_t)snprintf(text + used, size - used, "%s%u*", comma, step->thread);
        else
            used += (size_t)snprintf(text + used, size - used, "%s%c%u", comma,
                                     step->kind == CHOICE_DRAIN_ONE ? 'd' : 'a', step->thread);
    }
    return used < size;
}

static const char *parse_older(const char *text, struct step *step) {
    char *end;
    if (*text < '1' || *text > '9')
        return NULL;
    *step = (struct step){CHOICE_OLDER, 0, strtoull(text, &end, 10)};
    return end;
}

static const char *parse_step(const char *text, struct step *step) {
    if (*text == 'o')
        return parse_older(text + 1, step);
    step->kind = *text == 'd' ? CHOICE_DRAIN_ONE : *text == 'a' ? CHOICE_DRAIN_ALL : CHOICE_RUN;
    step->count = 0;
    if (step->kind != CHOICE_RUN)
        text++;
    if (*text < '0' || *text >= '0' + LAB_THREADS)
        return NULL;
    step->thread = (unsigned)(*text++ - '0');
    if (step->kind != CHOICE_RUN)
        return text;
    if (*text++ != '*')
        return NULL;
    char *end = (char *)text;
    if (*text >= '0' && *text <= '9')
        step->count = strtoull(text, &end, 10);
    return end;
}

bool steps_parse(const char *text, struct steps *steps) {
    steps->count = 0;
    steps->weak = *text == 'w';
    if (*text == 'w')
        text++;
    steps->plain_points = *text == 'p';
    if (*text == 'p')
        text++;
    while (*text) {
        if (steps->count == STEPS_MAX || !(text = parse_step(text, &steps->step[steps->count])))
            return false;
        steps->count++;
        if (*text == ',' && text[1])
            text++;
        else if (*text)
            return false;
    }
    return true;
}

size_t steps_switches(const struct steps *steps) {
    size_t switches = 0;
    for (size_t i = 1; i < steps->count; i++)
        switches += steps->step[i].kind != CHOICE_RUN || steps->step[i].thread != steps->step[i - 1].thread;
    return switches;
}

/* Exhaustive */

#define DEPTH_MAX 20000
#define ALTERNATIVES_MAX 24

struct alternative {
    struct choice first, then; /* then: when first drains, who runs afterwards (CHOICE_RUN) or nothing */
    unsigned cost;
};

struct node {
    uint16_t chosen, alternatives;
};

static struct {
    struct schedule schedule;
    struct node node[DEPTH_MAX];
    size_t depth, at;
    unsigned bound, spent, alone;
    bool has_then;
    struct choice then;
} tree;

static size_t add_switches(struct alternative *list, size_t count, bool forced) {
    bool keeps = machine.current < LAB_THREADS && (machine.buffered & BIT(machine.current)) != 0;
    for (unsigned thread = 0; thread < LAB_THREADS; thread++) {
        if (!(machine.runnable & BIT(thread)) || (!forced && thread == machine.current))
            continue;
        struct choice go = run(thread);
        if (keeps)
            list[count++] = (struct alternative){{CHOICE_DRAIN_ALL, machine.current}, go, !forced};
        list[count++] = (struct alternative){go, go, (unsigned)!forced + keeps};
    }
    return count;
}

/* Lists what may happen here, the free continuation first. */
static size_t list_alternatives(struct alternative *list) {
    size_t count = 0;
    bool forced = !current_runs();
    if (!forced)
        list[count++] = (struct alternative){run(machine.current), run(machine.current), 0};
    count = add_switches(list, count, forced);
    for (unsigned thread = 0; thread < LAB_THREADS && !forced; thread++)
        if (thread != machine.current && (machine.buffered & BIT(thread)))
            list[count++] = (struct alternative){{CHOICE_DRAIN_ALL, thread}, run(machine.current), 1};
    return count;
}

static bool affordable(const struct alternative *alternative) { return tree.spent + alternative->cost <= tree.bound; }

/* Picks the n-th affordable alternative. Returns how many there are. */
static size_t pick(const struct alternative *list, size_t count, size_t n, struct alternative *picked) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (affordable(&list[i])) {
            if (found == n)
                *picked = list[i];
            found++;
        }
    return found;
}

static void begin_node(struct node *node) {
    node->chosen = 0;
    tree.depth++;
}

static unsigned tree_older(struct schedule *schedule, unsigned max) {
    (void)schedule;
    struct node *node = &tree.node[tree.at];
    if (tree.at == DEPTH_MAX)
        return 0;
    if (tree.at == tree.depth)
        begin_node(node);
    node->alternatives = (uint16_t)(tree.spent < tree.bound ? 1 + max : 1);
    tree.at++;
    tree.spent += node->chosen > 0;
    return node->chosen;
}

static struct choice tree_next(struct schedule *schedule) {
    (void)schedule;
    if (tree.has_then) {
        tree.has_then = false;
        return tree.then;
    }
    if (tree.alone++ > PATIENCE || tree.at == DEPTH_MAX) { /* the thread waits for another: no choice, no cost */
        tree.alone = 0;
        return run(following());
    }
    struct alternative list[ALTERNATIVES_MAX], picked;
    size_t count = list_alternatives(list);
    struct node *node = &tree.node[tree.at];
    if (tree.at == tree.depth)
        begin_node(node);
    picked = list[0];
    node->alternatives = (uint16_t)pick(list, count, node->chosen, &picked);
    tree.at++;
    tree.spent += picked.cost;
    if (picked.first.kind == CHOICE_RUN) {
        tree.alone = picked.first.thread == machine.current ? tree.alone : 0;
        return picked.first;
    }
    tree.has_then = true;
    tree.then = picked.then;
    return picked.first;
}

void schedule_exhaustive_begin(unsigned bound, bool plain_points) {
    tree.schedule.next = tree_next;
    tree.schedule.older = tree_older;
    tree.schedule.weak = weak;
    tree.schedule.plain_points = plain_points;
    tree.bound = bound;
    tree.depth = 0;
}

struct schedule *schedule_exhaustive(void) {
    tree.at = 0;
    tree.spent = 0;
    tree.alone = 0;
    tree.has_then = false;
    return &tree.schedule;
}

bool schedule_exhaustive_advance(void) {
    tree.depth = tree.at; /* a run that ended early leaves older nodes behind it */
    while (tree.depth > 0) {
        struct node *node = &tree.node[tree.depth - 1];
        if (node->chosen + 1u < node->alternatives) {
            node->chosen++;
            return true;
        }
        tree.depth--;
    }
    return false;
}

/* In turns, in sequence */

#define LONGEST_TURN 4
/* The seed of the lengths of turns. Counts beside a thief depend on it (results/baseline). */
#define TURNS_START 0x910a2dec89025cc1u

static struct {
    struct schedule schedule;
    uint64_t random;
    unsigned left; /* accesses of this turn */
} turns;

static struct choice turns_next(struct schedule *schedule) {
    (void)schedule;
    if (turns.left > 0 && current_runs()) {
        turns.left--;
        return run(machine.current);
    }
    unsigned next = following();
    if (machine.buffered & BIT(next))
        return (struct choice){CHOICE_DRAIN_ALL, next};
    turns.left = (unsigned)((random_next(&turns.random) >> 32) % LONGEST_TURN);
    return run(next);
}

struct schedule *schedule_in_turns(unsigned number) {
    turns.schedule.next = turns_next;
    turns.left = 0;
    turns.random = random_start(TURNS_START, number);
    return &turns.schedule;
}

static bool passed;

static struct choice rounds_next(struct schedule *schedule) {
    (void)schedule;
    if (!passed && current_runs())
        return run(machine.current);
    if (machine.buffered)
        return (struct choice){CHOICE_DRAIN_ALL, lowest(machine.buffered)};
    passed = false;
    return run(following());
}

struct schedule *schedule_in_rounds(void) {
    static struct schedule rounds = {.next = rounds_next};
    passed = false;
    return &rounds;
}

void schedule_pass(void) {
    passed = true;
    machine_point((uintptr_t)__builtin_return_address(0));
}

static struct choice sequence_next(struct schedule *schedule) {
    (void)schedule;
    return run(current_runs() ? machine.current : following());
}

struct schedule *schedule_in_sequence(void) {
    static struct schedule sequence = {.next = sequence_next, .plain_points = true};
    return &sequence;
}
