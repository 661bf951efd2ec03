#include "harness/measuring/median.h"
#include "workloads/contention/frame.h"
#include <stdio.h>
#include <string.h>

/* The threads' work in the windows that count. */
struct summed {
    const struct contention *contention;
    unsigned repetition;
    uint64_t owner[TALLY_KINDS];
    uint64_t thief[TEAM_THIEVES_MAX][TALLY_KINDS];
    uint64_t all[TALLY_KINDS]; /* of all thieves */
    double owner_seconds, seconds[TEAM_THIEVES_MAX];
    unsigned thieves;
};

static uint64_t attempts_of(const uint64_t *tally) {
    return tally[TALLY_STOLEN] + tally[TALLY_EMPTY] + tally[TALLY_LOST];
}

/* role: the owner, the thieves together, or one of several. */
static void say(const struct summed *summed, const char *role, const char *metric, double value, const char *unit) {
    const unsigned flags = role[0] == 't' ? summed->contention->thief_flags : 0;
    cell_sample(summed->contention->team.cell, role, summed->repetition, metric, value, unit, flags);
}

/* Of each of several thieves. */
static void say_each(const struct summed *summed, const char *metric, const double *values, const char *unit) {
    char role[32];
    for (unsigned i = 0; i < summed->thieves && summed->thieves > 1; i++) {
        snprintf(role, sizeof role, "thief%u", i);
        say(summed, role, metric, values[i], unit);
    }
}

/* Sums over threads of each one's operations a second. */
static double thieves_rate(const struct summed *summed, enum tally kind) {
    double rate = 0;
    for (unsigned i = 0; i < summed->thieves; i++)
        rate += (double)summed->thief[i][kind] / summed->seconds[i];
    return rate;
}

static double attempts_rate(const struct summed *summed, unsigned thief) {
    return (double)attempts_of(summed->thief[thief]) / summed->seconds[thief];
}

static double owner_rate(const struct summed *summed) {
    return (double)(summed->owner[TALLY_PUSHED] + summed->owner[TALLY_POPPED]) / summed->owner_seconds;
}

static void report_owner(const struct summed *summed) {
    const uint64_t *tally = summed->owner;
    say(summed, "owner", "owner_operations", owner_rate(summed), "operations/s");
    if (tally[TALLY_PUSH_TIME] > 0 && tally[TALLY_PUSHES] > 0)
        say(summed, "owner", "push_time", (double)tally[TALLY_PUSH_TIME] / (double)tally[TALLY_PUSHES], "ns");
    if (tally[TALLY_POP_TIME] > 0 && tally[TALLY_POPS] > 0)
        say(summed, "owner", "pop_time", (double)tally[TALLY_POP_TIME] / (double)tally[TALLY_POPS], "ns");
    if (summed->contention->duel && tally[TALLY_PUSHED] > 0)
        say(summed, "owner", "items_won", 100.0 * (double)tally[TALLY_POPPED] / (double)tally[TALLY_PUSHED], "percent");
}

/* How attempts ended, and the time of one. */
static void report_attempts(const struct summed *summed) {
    const struct contention *contention = summed->contention;
    const uint64_t *all = summed->all;
    double attempts = (double)attempts_of(all);
    if (attempts == 0)
        return;
    double single = (double)all[TALLY_STEAL_TICKS] * contention->cycles.tick / attempts;
    say(summed, "thief", "steal_time",
        contention->paced ? single - contention->cycles.sampling_cost : (double)all[TALLY_STEAL_TIME] / attempts, "ns");
    say(summed, "thief", "steals_stolen", 100 * (double)all[TALLY_STOLEN] / attempts, "percent");
    say(summed, "thief", "steals_empty", 100 * (double)all[TALLY_EMPTY] / attempts, "percent");
    say(summed, "thief", "steals_lost", 100 * (double)all[TALLY_LOST] / attempts, "percent");
    if (contention->one_thief)
        say(summed, "thief", "turns_refused", 100 * (double)all[TALLY_REFUSED] / attempts, "percent");
}

static void report_fairness(const struct summed *summed) {
    double shares[TEAM_THIEVES_MAX];
    const double all = (double)summed->all[TALLY_STOLEN];
    if (all == 0)
        return;
    for (unsigned i = 0; i < summed->thieves; i++)
        shares[i] = 100 * (double)summed->thief[i][TALLY_STOLEN] / all;
    say(summed, "thief", "fairness", fairness(shares, summed->thieves), "ratio");
    say_each(summed, "share_of_steals", shares, "percent");
}

/* How often thieves tried, and the ratio to how often they should have. */
static void report_frequency(const struct summed *summed, double attempts) {
    const uint64_t asked = summed->contention->team.frequency;
    double ratios[TEAM_THIEVES_MAX];
    say(summed, "thief", "achieved_frequency", attempts / summed->thieves, "Hz");
    if (asked == TEAM_FASTEST || asked == TEAM_NEVER)
        return;
    say(summed, "thief", "frequency_ratio", attempts / summed->thieves / (double)asked, "ratio");
    for (unsigned i = 0; i < summed->thieves; i++)
        ratios[i] = attempts_rate(summed, i) / (double)asked;
    say_each(summed, "frequency_ratio", ratios, "ratio");
}

static void report_thieves(const struct summed *summed) {
    double attempts = 0;
    for (unsigned i = 0; i < summed->thieves; i++)
        attempts += attempts_rate(summed, i);
    say(summed, "thief", "thief_operations", thieves_rate(summed, TALLY_STOLEN), "operations/s");
    say(summed, "thief", "items_stolen_rate", thieves_rate(summed, TALLY_ITEMS), "items/s");
    say(summed, "thief", "steal_attempts", attempts, "attempts/s");
    report_attempts(summed);
    report_frequency(summed, attempts);
    if (!contention_traits.keeps_nothing)
        report_fairness(summed);
}

/* Hardware and kernel counters, over each thread's whole run: per successful push or pop, per steal attempt. A thief
 * with a frequency mostly reads the clock until its next attempt is due, so it has no value an attempt. */
static void report_counters(const struct team *team, bool paced, unsigned repetition) {
    struct counters thieves = {0};
    const struct team_member *owner = &team->threads[0];
    double attempts = 0;
    for (unsigned i = 1; i < team->count; i++) {
        counters_add(&thieves, &team->threads[i].counters);
        attempts += (double)attempts_of(team->threads[i].watch.tally);
    }
    counters_report(team->cell, "owner", repetition, &owner->counters,
                    (double)(owner->watch.tally[TALLY_PUSHED] + owner->watch.tally[TALLY_POPPED]));
    if (team->count > 1)
        counters_report(team->cell, "thief", repetition, &thieves, paced ? 0 : attempts);
}

void contention_report(const struct contention *contention, unsigned repetition) {
    static struct summed summed;
    const struct team *team = &contention->team;
    const bool every = team->places.oversubscribed;
    memset(&summed, 0, sizeof summed);
    summed.contention = contention;
    summed.repetition = repetition;
    summed.thieves = team->count - 1;
    summed.owner_seconds = watch_sum(&team->threads[0].watch, team->counts, every, summed.owner);
    for (unsigned i = 0; i < summed.thieves; i++) {
        summed.seconds[i] = watch_sum(&team->threads[i + 1].watch, team->counts, every, summed.thief[i]);
        for (size_t kind = 0; kind < TALLY_KINDS; kind++)
            summed.all[kind] += summed.thief[i][kind];
    }
    report_owner(&summed);
    if (summed.thieves > 0)
        report_thieves(&summed);
    cell_sample(team->cell, "process", repetition, "total_operations",
                owner_rate(&summed) + thieves_rate(&summed, TALLY_STOLEN), "operations/s", 0);
    cell_sample(team->cell, "process", repetition, "share_counted", (double)team->counted / (double)team->windows,
                "ratio", 0);
    cell_sample(team->cell, "process", repetition, "capacity", (double)contention->capacity, "items", 0);
    report_counters(team, contention->paced, repetition);
}

void contention_report_items(const struct contention *contention, const struct items_account *account,
                             unsigned repetition) {
    const struct {
        const char *metric;
        uint64_t items;
    } counts[] = {{"items_pushed", account->pushed},
                  {"items_popped", account->popped},
                  {"items_stolen", account->stolen},
                  {"items_left", account->left},
                  {"items_doubled", items_doubled(account)}};
    const size_t count = sizeof counts / sizeof counts[0] - !account->at_least_once;
    for (size_t i = 0; i < count && !contention_traits.keeps_nothing; i++)
        cell_sample(contention->team.cell, "process", repetition, counts[i].metric, (double)counts[i].items, "items",
                    0);
}
