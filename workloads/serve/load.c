/* load.c: rounds of an open load: the capacity, the repetitions, the search for the highest load. */
#include "workloads/serve/load.h"
#include "harness/measuring/clock/clock.h"
#include "harness/measuring/median.h"
#include "harness/measuring/random.h"
#include "workloads/applications/task_cost.h"
#include "workloads/serve/arrivals.h"
#include "workloads/serve/load_state.h"
#include "workloads/serve/work.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct parameter load_parameters[] = {
    PARAMETER_REAL("load", 50, 0, 1000, "", "requests a second, in percent of the capacity, which is measured first"),
    PARAMETER_REAL("rate", 0, 0, 1e9, "", "requests a second; 0: by load"),
    PARAMETER_CHOICE(
        "arrivals", "poisson", LIST_CHOICES(ARRIVALS),
        "poisson: requests come independently of each other; bursty: the same, but only in a part of each period"),
    PARAMETER_REAL("burst", 10, 1, 1000, "", "bursty: the rate in a burst, divided by the average rate"),
    PARAMETER_REAL("period", 10000000, 1000, 1e10, "", "bursty: from one burst to the next, ns"),
    PARAMETER_CHOICE("cost", "exponential", LIST_CHOICES(COST_DISTRIBUTIONS), "how the work of a part is distributed"),
    PARAMETER_REAL("mean", 10000, 1, 1e9, "", "work of a part on average, ns"),
    PARAMETER_CHOICE("work", "arithmetic", "arithmetic|misses", "what the work is made of; misses: cache misses"),
    PARAMETER_INTEGER("rare", 0, 0, 1000000, "requests", "one request in so many blocks its worker; 0: none"),
    PARAMETER_CHOICE("rare_way", "work", LIST_CHOICES(RARE_WAYS),
                     "how it blocks: it works; sleeps in a system call; or sleeps while it holds a lock that all such "
                     "requests need"),
    PARAMETER_REAL("rare_time", 10000000, 1, 1e10, "", "how long it blocks, ns"),
    PARAMETER_INTEGER(
        "away", 0, 0, 90, "percent",
        "share of the time that another thread takes the first worker's processor, in pieces of up to 10 ms"),
    PARAMETER_INTEGER("spin", 2000000, 0, 1000000000, "ns",
                      "the generator sleeps until so long before a deadline, then spins"),
    PARAMETER_REAL("late", 2, 0, 100, "",
                   "percent of the requests that may be handed over late; with more, times are denied"),
    PARAMETER_TEXT("find", "none",
                   "p99<1ms: also search for the highest load at which that holds; p50, p90, p99, p99.9"),
    PARAMETERS_END,
};

#define CAPACITY_TIME 0.05 /* s, of one of its rounds */
#define CAPACITY_ROUNDS 3
#define CAPACITY_MOST 100000 /* requests of one */
#define FIND_STEPS 7         /* each halves what is left of 0 to 100 % */

static bool read_goal(const char *text, struct load_goal *goal) {
    char quantile[8], unit[4];
    double number;
    int end = 0;
    if (sscanf(text, "%7[p0-9.]<%lf%3[nums]%n", quantile, &number, unit, &end) != 3 || text[end] || !(number > 0))
        return false;
    goal->limit = number * (strcmp(unit, "ns") == 0   ? 1
                            : strcmp(unit, "us") == 0 ? 1e3
                            : strcmp(unit, "ms") == 0 ? 1e6
                            : strcmp(unit, "s") == 0  ? 1e9
                                                      : NAN);
    for (goal->quantile = 0; goal->quantile < HISTOGRAM_QUANTILES; goal->quantile++)
        if (strcmp(quantile, histogram_quantiles[goal->quantile].name) == 0)
            return isfinite(goal->limit);
    return false;
}

const char *load_unsupported(const struct cell *cell) {
    struct load_goal goal;
    const char *find = cell_text(cell, "find");
    return strcmp(find, "none") == 0 || read_goal(find, &goal)
               ? NULL
               : "find: not of the form p99<1ms, with p50, p90, p99 or p99.9, and ns, us, ms or s";
}

/* --- called by servers */
void load_opened(struct load *load) {
    /* release: pairs with the acquire in generate */
    atomic_store_explicit(&load->opened, true, memory_order_release);
}

void load_begin(struct load *load, size_t request) { load->requests[request].began = clock_nanoseconds(); }

void load_end(struct load *load, size_t request) {
    load->requests[request].ended = clock_nanoseconds();
    /* release: pairs with the acquires in generator.c */
    atomic_fetch_add_explicit(&load->ended, 1, memory_order_release);
}

static void block(struct load *load) {
    const struct timespec time = {.tv_sec = (time_t)(load->rare_time / 1000000000u),
                                  .tv_nsec = (long)(load->rare_time % 1000000000u)};
    switch (load->rare_way) {
    case RARE_WORK:
        work_do(load->rare_steps);
        return;
    case RARE_SLEEP:
        nanosleep(&time, NULL);
        return;
    case RARE_LOCK:
        pthread_mutex_lock(&load->rare_lock);
        nanosleep(&time, NULL);
        pthread_mutex_unlock(&load->rare_lock);
    }
}

void load_work(struct load *load, size_t request, unsigned part, unsigned percent) {
    if (load->requests[request].rare && part == 0)
        block(load);
    else
        work_do((uint64_t)load->steps[request * load->parts + part] * percent / 100);
}

void load_serve(struct load *load, size_t request) {
    load_begin(load, request);
    load_work(load, request, 0, 100);
    load_end(load, request);
}

/* --- a round */
static bool make_room(struct load *load, size_t count) {
    if (count <= load->room)
        return true;
    free(load->requests);
    free(load->steps);
    load->requests = calloc(count, sizeof *load->requests);
    load->steps = calloc(count * load->parts, sizeof *load->steps);
    load->room = load->requests && load->steps ? count : 0;
    return load->room > 0;
}

/* When requests come and what they cost. It depends only on the cell's seed and the round, so it is the same for all
 * servers.
 */
static bool plan(struct load *load, size_t count, double rate, unsigned round) {
    const struct cell *cell = load->cell;
    const uint64_t seed = random_of(cell->seed, round), rare = cell_integer(cell, "rare");
    struct task_cost cost = {.distribution = (enum cost_distribution)cell_choice(cell, "cost"),
                             .mean = cell_real(cell, "mean") / load->step,
                             .seed = seed};
    struct arrivals arrivals = {.kind = (enum arrivals_kind)cell_choice(cell, "arrivals"),
                                .rate = rate,
                                .burst = cell_real(cell, "burst"),
                                .period = cell_real(cell, "period"),
                                .random = random_start(seed, 1)};
    if (!make_room(load, count) ||
        (load->server->prepare && !load->server->prepare(load->server->context, load, count)))
        return false;
    load->count = count;
    for (size_t i = 0; i < count; i++)
        load->requests[i] = (struct load_request){.due = (uint64_t)arrivals_next(&arrivals),
                                                  .rare = rare && random_of(seed + 1, i) % rare == 0};
    for (size_t i = 0; i < count * load->parts; i++) {
        const uint64_t steps = task_cost_of(&cost, i);
        load->steps[i] = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
    }
    return true;
}

/* Requests at that rate; infinite: all at once. */
static int round_at(struct load *load, size_t count, double rate, unsigned round) {
    pthread_t threads[2];
    int failure = 0;
    if (!plan(load, count, rate, round)) {
        fprintf(stderr, "stealbench: serve: no memory for %zu requests\n", count);
        return 3;
    }
    atomic_store_explicit(&load->ended, 0, memory_order_relaxed);
    atomic_store_explicit(&load->over, false, memory_order_relaxed);
    atomic_store_explicit(&load->opened, !load->server->serve, memory_order_relaxed);
    if (generator_start(load, threads) != 0)
        return 3;
    if (load->server->serve)
        failure = load->server->serve(load->server->context);
    if (threads[1] != threads[0])
        pthread_join(threads[1], NULL);
    pthread_join(threads[0], NULL);
    if (failure == 0 && atomic_load_explicit(&load->failed, memory_order_relaxed)) {
        fprintf(stderr, "stealbench: serve: a request could not be handed over\n");
        return 3;
    }
    return failure;
}

/* Requests a second from the first one's hand-over to the last one's end. */
static double throughput(const struct load *load) {
    uint64_t last = 0;
    for (size_t i = 0; i < load->count; i++)
        last = load->requests[i].ended > last ? load->requests[i].ended : last;
    return (double)load->count * 1e9 / (double)(last - load->requests[0].given);
}

/* All requests at once, and how many are served a second: the median of some rounds, after one that warms up. */
static int measure_capacity(struct load *load) {
    double rates[CAPACITY_ROUNDS], each = cell_real(load->cell, "mean") * load->parts + 1000;
    double wanted = CAPACITY_TIME * 1e9 * load->server->threads / each;
    const size_t count = wanted < 100 ? 100 : wanted < CAPACITY_MOST ? (size_t)wanted : CAPACITY_MOST;
    int failure = 0;
    for (unsigned i = 0; i <= CAPACITY_ROUNDS && failure == 0; i++) {
        failure = round_at(load, count, INFINITY, i);
        if (failure == 0 && i > 0)
            rates[i - 1] = throughput(load);
    }
    if (failure == 0)
        load->capacity = median(rates, CAPACITY_ROUNDS);
    return failure;
}

/* A round as long as a repetition must be. */
static int round_of_load(struct load *load, double rate, unsigned round) {
    load->nothing = load->cell->minimum_time;
    return round_at(load, (size_t)ceil(rate * load->cell->minimum_time), rate, round);
}

/* Bisection between 0 and 100 % of the capacity; reports the throughput at the last rate at which the goal was met. */
static int find(struct load *load, unsigned repetition) {
    struct load_goal goal;
    double low = 0, high = 100;
    int failure = 0;
    if (!read_goal(cell_text(load->cell, "find"), &goal))
        return 0;
    for (unsigned step = 0; step < FIND_STEPS && failure == 0; step++) {
        const double middle = (low + high) / 2;
        failure = round_of_load(load, load->capacity * middle / 100, 1000 * (repetition + 1) + step);
        if (failure == 0 && told_quantile(load, goal.quantile) < goal.limit)
            low = middle;
        else
            high = middle;
    }
    if (failure == 0) {
        cell_sample(load->cell, "pool", repetition, "highest_load", low, "%", 0);
        cell_sample(load->cell, "pool", repetition, "highest_rate", low / 100 * load->capacity, "requests/s", 0);
    }
    return failure;
}

static int repeat(struct load *load) {
    const struct cell *cell = load->cell;
    const double asked = cell_real(cell, "rate"),
                 rate = asked > 0 ? asked : load->capacity * cell_real(cell, "load") / 100;
    struct told told;
    int failure = told_open(&told, load) ? 0 : 3;
    cell_sample(cell, "pool", 0, "request_capacity", load->capacity, "requests/s", 0);
    for (unsigned i = 0; i < cell->repetitions && failure == 0; i++) {
        failure = round_of_load(load, rate, 100 + i);
        if (failure != 0)
            break;
        told_round(&told, load, i, rate);
        if (load->server->report)
            load->server->report(load->server->context, i);
        failure = find(load, i);
    }
    told_close(&told);
    return failure;
}

int load_measure(const struct cell *cell, const struct load_server *server) {
    struct load load = {.cell = cell,
                        .server = server,
                        .parts = server->parts,
                        .rare_way = (enum rare_way)cell_choice(cell, "rare_way"),
                        .rare_time = (uint64_t)cell_real(cell, "rare_time"),
                        .spin = cell_integer(cell, "spin"),
                        .away = (unsigned)cell_integer(cell, "away")};
    int failure = 0;
    pthread_mutex_init(&load.rare_lock, NULL);
    if (!work_open(cell_is(cell, "work", "misses"))) {
        fprintf(stderr, "stealbench: serve: no memory to miss caches in\n");
        failure = 3;
    }
    if (failure == 0) {
        load.step = work_calibrate();
        load.rare_steps = (uint64_t)((double)load.rare_time / load.step);
        failure = measure_capacity(&load);
    }
    if (failure == 0)
        failure = repeat(&load);
    work_close();
    free(load.requests);
    free(load.steps);
    return failure;
}
