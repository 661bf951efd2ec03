/* told.c: reports a round. */
#include "workloads/serve/load_state.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LATE 50000       /* ns: a request handed over later than this after its time is late */
#define SETTLED_AFTER 10 /* the first tenth of the requests is not counted, because the queue begins empty */

enum { SOJOURN, WAKE, LATENESS };
static const char *const metrics[LATENCY_OUTCOMES] = {"sojourn", "wake_up", "lateness"};
static const char *const of_service[LATENCY_OUTCOMES] = {"service", NULL, NULL};
static const char *const of_a_class[LATENCY_OUTCOMES] = {"sojourn", NULL, NULL};
static const struct cycles_facts nanosecond = {.tick = 1};

bool told_open(struct told *told, const struct load *load) {
    *told = (struct told){0};
    return latency_open(&told->all, load->cell, &nanosecond, "request", metrics) == 0 &&
           latency_open(&told->service, load->cell, &nanosecond, "request", of_service) == 0 &&
           (cell_integer(load->cell, "rare") == 0 ||
            (latency_open(&told->classes[0], load->cell, &nanosecond, "usual", of_a_class) == 0 &&
             latency_open(&told->classes[1], load->cell, &nanosecond, "rare", of_a_class) == 0));
}

static size_t first_counted(const struct load *load) { return load->count / SETTLED_AFTER; }
static uint64_t sojourn(const struct load_request *request) { return request->ended - request->due; }

/* Sums over the requests that count. */
struct sums {
    double sojourn, service, late;
    double slowdown[2]; /* sojourn over service, by class */
    double of_class[2];
};

static struct sums record(struct told *told, const struct load *load) {
    struct sums sums = {0};
    for (size_t i = first_counted(load); i < load->count; i++) {
        const struct load_request *request = &load->requests[i];
        const uint64_t late = request->given - request->due, took = request->ended - request->began;
        latency_record(&told->all, SOJOURN, sojourn(request));
        latency_record(&told->all, LATENESS, late);
        latency_record(&told->service, 0, took);
        if (request->found_idle)
            latency_record(&told->all, WAKE, request->began - request->given);
        if (told->classes[0].metric[SOJOURN])
            latency_record(&told->classes[request->rare], SOJOURN, sojourn(request));
        sums.sojourn += (double)sojourn(request);
        sums.service += (double)took;
        sums.late += late > LATE;
        sums.slowdown[request->rare] += took ? (double)sojourn(request) / (double)took : 1;
        sums.of_class[request->rare]++;
    }
    return sums;
}

/* If the generator was late, the times are its own: they are not reported. */
static void deny(struct latency *latency, unsigned repetition) {
    char metric[96];
    for (size_t i = 0; i < LATENCY_OUTCOMES; i++) {
        if (!latency->metric[i] || i == LATENESS || latency->now[i].total == 0)
            continue;
        for (size_t j = 0; j < HISTOGRAM_QUANTILES; j++) {
            snprintf(metric, sizeof metric, "%s_%s", latency->metric[i], histogram_quantiles[j].name);
            cell_no_sample(latency->cell, latency->role, repetition, metric, "ns", "denied");
        }
        histogram_clear(&latency->now[i]);
    }
}

static void tell_classes(struct told *told, const struct load *load, const struct sums *sums, unsigned repetition) {
    double mean[2];
    for (int i = 0; i < 2; i++) {
        mean[i] = sums->of_class[i] > 0 ? sums->slowdown[i] / sums->of_class[i] : 0;
        latency_report(&told->classes[i], repetition, 0);
        if (sums->of_class[i] > 0)
            cell_sample(load->cell, i ? "rare" : "usual", repetition, "slowdown_mean", mean[i], "ratio", 0);
    }
    if (sums->of_class[0] > 0 && sums->of_class[1] > 0) /* Jain's index of two */
        cell_sample(load->cell, "request", repetition, "class_fairness",
                    (mean[0] + mean[1]) * (mean[0] + mean[1]) / (2 * (mean[0] * mean[0] + mean[1] * mean[1])), "ratio",
                    0);
}

void told_round(struct told *told, const struct load *load, unsigned repetition, double rate) {
    const struct cell *cell = load->cell;
    const struct sums sums = record(told, load);
    const double counted = (double)(load->count - first_counted(load)),
                 late = counted > 0 ? 100 * sums.late / counted : 0;
    const struct load_spent *spent = &load->spent;
    const bool denied = late > cell_real(cell, "late");
    if (denied) {
        fprintf(stderr, "stealbench: serve: %.3g %% of the requests came later than %d us: their times are denied\n",
                late, LATE / 1000);
        deny(&told->all, repetition);
        for (int i = 0; i < 2; i++)
            deny(&told->classes[i], repetition);
    }
    latency_report(&told->all, repetition, 0);
    latency_report(&told->service, repetition, 0);
    if (counted > 0 && denied)
        cell_no_sample(cell, "request", repetition, "sojourn_mean", "ns", "denied");
    else if (counted > 0)
        cell_sample(cell, "request", repetition, "sojourn_mean", sums.sojourn / counted, "ns", 0);
    if (told->classes[0].metric[SOJOURN] && !denied)
        tell_classes(told, load, &sums, repetition);
    cell_sample(cell, "generator", repetition, "late_share", late, "%", 0);
    cell_sample(cell, "generator", repetition, "requests", (double)load->count, "requests", 0);
    cell_sample(cell, "generator", repetition, "offered_rate", rate, "requests/s", 0);
    cell_sample(cell, "pool", repetition, "round_time", spent->seconds, "s", 0);
    cell_sample(cell, "pool", repetition, "processors_busy", spent->processor_seconds / spent->seconds, "processors",
                0);
    cell_sample(cell, "pool", repetition, "switches_per_second", spent->switches / spent->seconds, "switches/s", 0);
    if (load->count == 0)
        return;
    cell_sample(cell, "request", repetition, "service_mean", sums.service / counted, "ns", 0);
    cell_sample(cell, "pool", repetition, "requests_per_second", (double)load->count / spent->seconds, "requests/s", 0);
    cell_sample(cell, "pool", repetition, "processor_time_per_request",
                spent->processor_seconds * 1e9 / (double)load->count, "ns", 0);
}

void told_close(struct told *told) {
    latency_close(&told->all);
    latency_close(&told->service);
    for (int i = 0; i < 2; i++)
        latency_close(&told->classes[i]);
}

static int by_size(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

double told_quantile(const struct load *load, unsigned quantile) {
    const size_t first = first_counted(load), count = load->count - first;
    uint64_t *times = count > 0 ? malloc(count * sizeof *times) : NULL;
    if (!times)
        return INFINITY;
    for (size_t i = 0; i < count; i++)
        times[i] = sojourn(&load->requests[first + i]);
    qsort(times, count, sizeof *times, by_size);
    const size_t place = (size_t)ceil(histogram_quantiles[quantile].fraction * (double)count);
    const double value = (double)times[place > 0 ? place - 1 : 0];
    free(times);
    return value;
}
