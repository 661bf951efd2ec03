#include "proof/lab/engine/schedule.h"
#include "harness/measuring/random.h"
#include <ctype.h>
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

struct choice schedule_next(const struct schedule *schedule) {
    struct choice choice = schedule->next();
    struct steps *steps = schedule->record;
    struct step *last = steps && steps->count ? &steps->step[steps->count - 1] : NULL;
    if (last && choice.kind == CHOICE_RUN && last->kind == CHOICE_RUN && last->thread == choice.thread)
        last->count++;
    else if (steps && steps->count < STEPS_MAX)
        steps->step[steps->count++] = (struct step){choice.kind, choice.thread, 1};
    return choice;
}

unsigned schedule_older(const struct schedule *schedule, unsigned max) {
    unsigned older = schedule->older ? schedule->older(max) : 0;
    struct steps *steps = schedule->record;
    if (older > 0 && steps && steps->count < STEPS_MAX)
        steps->step[steps->count++] = (struct step){CHOICE_OLDER, machine.current, older};
    return older;
}

struct schedule *schedule_recorded(struct schedule *schedule, struct steps *steps) {
    steps->count = 0;
    steps->weak = schedule->weak;
    steps->plain_points = schedule->plain_points;
    schedule->record = steps;
    return schedule;
}

/* Chance */

#define CHANGES_MAX 6
#define PROCESSES (2 * LAB_THREADS) /* the threads, then their store buffers */

static struct {
    uint64_t random;
    unsigned switch_rate, drain_rate, older_rate; /* of 256 */
    unsigned alone;                               /* accesses since the last switch */
    unsigned priority[PROCESSES], lowest_priority;
    unsigned changes;
    uint64_t change_at[CHANGES_MAX];
} by;

static unsigned one_of(unsigned set) {
    unsigned n = (unsigned)((random_next(&by.random) >> 33) % (unsigned)__builtin_popcount(set));
    while (n-- > 0)
        set &= set - 1;
    return lowest(set);
}

static struct choice walk_next(void) {
    uint64_t bits = random_next(&by.random) >> 16;
    if (machine.buffered && (bits & 255) < by.drain_rate)
        return (struct choice){CHOICE_DRAIN_ONE, one_of(machine.buffered)};
    if (!current_runs() || ((bits >> 8) & 255) < by.switch_rate)
        return run(one_of(machine.runnable));
    return run(machine.current);
}

static unsigned highest_process(void) {
    unsigned best = PROCESSES;
    unsigned enabled = machine.runnable | machine.buffered << LAB_THREADS;
    for (unsigned process = 0; process < PROCESSES; process++)
        if ((enabled & BIT(process)) && (best == PROCESSES || by.priority[process] > by.priority[best]))
            best = process;
    return best;
}

static struct choice priority_next(void) {
    unsigned best = highest_process();
    bool change = ++by.alone > PATIENCE;
    for (unsigned i = 0; i < by.changes; i++)
        if (by.change_at[i] == machine.step) {
            by.change_at[i] = NEVER;
            change = true;
        }
    if (change && by.lowest_priority > 0) {
        by.priority[best] = --by.lowest_priority;
        best = highest_process();
        by.alone = 0;
    }
    if (best >= LAB_THREADS)
        return (struct choice){CHOICE_DRAIN_ONE, best - LAB_THREADS};
    if (best != machine.current)
        by.alone = 0;
    return run(best);
}

static unsigned chance_older(unsigned max) {
    uint64_t bits = random_next(&by.random) >> 16;
    return (bits & 255) < by.older_rate ? 1 + (unsigned)((bits >> 8) % max) : 0;
}

static void choose_priorities(uint64_t length) {
    by.alone = 0;
    by.lowest_priority = 1u << 30;
    for (unsigned process = 0; process < PROCESSES; process++)
        by.priority[process] = by.lowest_priority + 1 + process;
    for (unsigned i = PROCESSES; i > 1; i--) {
        unsigned j = (unsigned)((random_next(&by.random) >> 32) % i), other = by.priority[i - 1];
        by.priority[i - 1] = by.priority[j];
        by.priority[j] = other;
    }
    by.changes = 1 + (unsigned)((random_next(&by.random) >> 32) % CHANGES_MAX);
    for (unsigned i = 0; i < by.changes; i++)
        by.change_at[i] = (random_next(&by.random) >> 16) % (length + 1);
}

struct schedule *schedule_by_chance(uint64_t seed, uint64_t length) {
    static const unsigned char switch_rates[] = {128, 64, 32, 16}, drain_rates[] = {128, 64, 16, 0},
                               older_rates[] = {200, 128, 64, 16};
    static struct schedule schedule;
    by.random = random_start(seed, 0);
    uint64_t bits = random_next(&by.random) >> 16;
    by.switch_rate = switch_rates[(bits >> 1) & 3];
    by.drain_rate = drain_rates[(bits >> 3) & 3];
    by.older_rate = older_rates[(bits >> 32) & 3];
    const bool priorities = (bits >> 5) % 3 == 0;
    if (priorities)
        choose_priorities(length);
    schedule = (struct schedule){
        .next = priorities ? priority_next : walk_next, .older = chance_older, .plain_points = bits & 1, .weak = weak};
    return &schedule;
}

/* A list */

static struct {
    const struct steps *steps;
    size_t at;
    uint64_t used;
} list;

static void to_step(size_t at) {
    list.at = at;
    list.used = 0;
}

static struct choice list_next(void) {
    for (; list.at < list.steps->count; to_step(list.at + 1)) {
        const struct step *step = &list.steps->step[list.at];
        if (step->kind == CHOICE_RUN && (machine.runnable & BIT(step->thread)) &&
            (!step->count || list.used < step->count)) {
            list.used++;
            return run(step->thread);
        }
        if (step->kind == CHOICE_RUN || step->kind == CHOICE_OLDER || !(machine.buffered & BIT(step->thread)))
            continue; /* CHOICE_OLDER belongs to a load that this run does not make */
        to_step(list.at + 1);
        return (struct choice){step->kind, step->thread};
    }
    if (++list.used <= PATIENCE && current_runs())
        return run(machine.current);
    list.used = 0;
    return run(following());
}

/* Takes the step after the one just used up. */
static unsigned list_older(unsigned max) {
    const struct steps *steps = list.steps;
    size_t at = list.at;
    if (at < steps->count && steps->step[at].kind == CHOICE_RUN && list.used == steps->step[at].count)
        at++;
    if (at >= steps->count || steps->step[at].kind != CHOICE_OLDER)
        return 0;
    to_step(at + 1);
    return steps->step[at].count < max ? (unsigned)steps->step[at].count : max;
}

struct schedule *schedule_by_list(const struct steps *steps) {
    static struct schedule schedule;
    schedule = (struct schedule){list_next, list_older, steps->plain_points, steps->weak, NULL};
    list.steps = steps;
    to_step(0);
    return &schedule;
}

static const char letters[] = {
    [CHOICE_RUN] = '.', [CHOICE_DRAIN_ONE] = 'd', [CHOICE_DRAIN_ALL] = 'a', [CHOICE_OLDER] = 'o', '\0'};

bool steps_text(const struct steps *steps, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "%s%s", steps->weak ? "w" : "", steps->plain_points ? "p" : "");
    for (size_t i = 0; i < steps->count && used < size; i++) {
        const struct step *step = &steps->step[i];
        const unsigned long long count = step->count;
        const char *comma = i ? "," : "";
        if (step->kind == CHOICE_RUN)
            used += (size_t)snprintf(text + used, size - used, "%s%u*%.0llu", comma, step->thread, count);
        else
            used += (size_t)snprintf(text + used, size - used, "%s%c%llu", comma, letters[step->kind],
                                     step->kind == CHOICE_OLDER ? count : step->thread);
    }
    return used < size;
}

static const char *parse_step(const char *text, struct step *step) {
    const char *letter = strchr(letters + 1, *text);
    const enum choice_kind kind = letter ? (enum choice_kind)(letter - letters) : CHOICE_RUN;
    char *end = (char *)text + (letter != NULL);
    if (!isdigit((unsigned char)*end))
        return NULL;
    const uint64_t number = strtoull(end, &end, 10);
    *step = (struct step){kind, kind == CHOICE_OLDER ? 0 : (unsigned)number, kind == CHOICE_OLDER ? number : 0};
    if ((kind == CHOICE_OLDER ? number == 0 : number >= LAB_THREADS) || (kind == CHOICE_RUN && *end++ != '*'))
        return NULL;
    if (kind == CHOICE_RUN && isdigit((unsigned char)*end))
        step->count = strtoull(end, &end, 10);
    return end;
}

bool steps_parse(const char *text, struct steps *steps) {
    steps->count = 0;
    steps->weak = *text == 'w';
    text += steps->weak;
    steps->plain_points = *text == 'p';
    text += steps->plain_points;
    while (*text) {
        if (steps->count == STEPS_MAX || !(text = parse_step(text, &steps->step[steps->count++])))
            return false;
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

static size_t add_switches(struct alternative *may, size_t count, bool forced) {
    bool keeps = machine.current < LAB_THREADS && (machine.buffered & BIT(machine.current)) != 0;
    for (unsigned thread = 0; thread < LAB_THREADS; thread++) {
        if (!(machine.runnable & BIT(thread)) || (!forced && thread == machine.current))
            continue;
        struct choice go = run(thread);
        if (keeps)
            may[count++] = (struct alternative){{CHOICE_DRAIN_ALL, machine.current}, go, !forced};
        may[count++] = (struct alternative){go, go, (unsigned)!forced + keeps};
    }
    return count;
}

/* Lists what may happen here, the free continuation first. */
static size_t list_alternatives(struct alternative *may) {
    size_t count = 0;
    bool forced = !current_runs();
    if (!forced)
        may[count++] = (struct alternative){run(machine.current), run(machine.current), 0};
    count = add_switches(may, count, forced);
    for (unsigned thread = 0; thread < LAB_THREADS && !forced; thread++)
        if (thread != machine.current && (machine.buffered & BIT(thread)))
            may[count++] = (struct alternative){{CHOICE_DRAIN_ALL, thread}, run(machine.current), 1};
    return count;
}

/* Picks the n-th alternative that the bound allows. Returns how many there are. */
static size_t pick(const struct alternative *may, size_t count, size_t n, struct alternative *picked) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (tree.spent + may[i].cost <= tree.bound && found++ == n)
            *picked = may[i];
    return found;
}

static struct node *next_node(void) {
    struct node *node = &tree.node[tree.at++];
    if (tree.at > tree.depth) {
        node->chosen = 0;
        tree.depth++;
    }
    return node;
}

static unsigned tree_older(unsigned max) {
    if (tree.at == DEPTH_MAX)
        return 0;
    struct node *node = next_node();
    node->alternatives = (uint16_t)(tree.spent < tree.bound ? 1 + max : 1);
    tree.spent += node->chosen > 0;
    return node->chosen;
}

static struct choice tree_next(void) {
    if (tree.has_then) {
        tree.has_then = false;
        return tree.then;
    }
    if (tree.alone++ > PATIENCE || tree.at == DEPTH_MAX) { /* the thread waits for another: no choice, no cost */
        tree.alone = 0;
        return run(following());
    }
    struct alternative may[ALTERNATIVES_MAX], picked = {0};
    size_t count = list_alternatives(may);
    struct node *node = next_node();
    node->alternatives = (uint16_t)pick(may, count, node->chosen, &picked);
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
    tree.schedule = (struct schedule){tree_next, tree_older, plain_points, weak, NULL};
    tree.bound = bound;
    tree.depth = 0;
}

struct schedule *schedule_exhaustive(void) {
    tree.at = 0;
    tree.spent = tree.alone = 0;
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

static uint64_t turn_lengths;
static unsigned left; /* accesses of this turn */

static struct choice turns_next(void) {
    if (left > 0 && current_runs()) {
        left--;
        return run(machine.current);
    }
    unsigned next = following();
    if (machine.buffered & BIT(next))
        return (struct choice){CHOICE_DRAIN_ALL, next};
    left = (unsigned)((random_next(&turn_lengths) >> 32) % LONGEST_TURN);
    return run(next);
}

struct schedule *schedule_in_turns(unsigned number) {
    static struct schedule schedule = {.next = turns_next};
    left = 0;
    turn_lengths = random_start(TURNS_START, number);
    return &schedule;
}

static bool passed;

static struct choice rounds_next(void) {
    if (!passed && current_runs())
        return run(machine.current);
    if (machine.buffered)
        return (struct choice){CHOICE_DRAIN_ALL, lowest(machine.buffered)};
    passed = false;
    return run(following());
}

struct schedule *schedule_in_rounds(void) {
    static struct schedule schedule = {.next = rounds_next};
    passed = false;
    return &schedule;
}

void schedule_pass(void) {
    passed = true;
    machine_point((uintptr_t)__builtin_return_address(0));
}

static struct choice sequence_next(void) { return run(current_runs() ? machine.current : following()); }

struct schedule *schedule_in_sequence(void) {
    static struct schedule schedule = {.next = sequence_next, .plain_points = true};
    return &schedule;
}
