/* harness.c: what of the harness asks the machine at hand, as the simulated one answers: places, distances, counters,
 * power, the clock's facts. And what would keep the simulator busy: waiting, and work that touches no memory. */
#include "extras/simulate/engine.h"
#include "extras/simulate/memory.h"
#include "harness/measuring/clock.h"
#include "harness/measuring/counters.h"
#include "harness/measuring/cycles.h"
#include "harness/measuring/describe.h"
#include "harness/measuring/distance.h"
#include "harness/measuring/team.h"
#if __has_include(<openssl/sha.h>)
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The workloads' own main runs as thread 0, on a stack at its place. Descriptions take no time: any machine will do. */
int simulated_main(int count, char **arguments);
struct command {
    int count;
    char **arguments;
};
static void *run_main(void *argument) {
    const struct command *command = argument;
    /* copies: where the system puts the command line differs from run to run */
    char **arguments = simulate_calloc((size_t)command->count + 1, sizeof *arguments);
    for (int i = 0; i < command->count; i++)
        arguments[i] = strcpy(simulate_malloc(strlen(command->arguments[i]) + 1), command->arguments[i]);
    exit(simulated_main(command->count, arguments));
}
int main(int count, char **arguments) {
    struct command command = {count, arguments};
    engine_run(run_main, &command);
    return 4;
}

/* --- places: thread n on processor n */
int places_open(struct places *places, const struct cell *cell, unsigned threads) {
    char message[512];
    return places_plan(places, cell_text(cell, "placement"), threads, NULL, message);
}
int places_plan(struct places *places, const char *placement, unsigned threads, const char *other, char *message) {
    (void)placement, (void)other, (void)message;
    memset(places, 0, sizeof *places);
    places->count = threads;
    places->processors = (unsigned)(machine.sockets * machine.cores);
    return 0;
}
int places_take(struct places *places, unsigned thread) {
    (void)places;
    return (int)thread;
}
bool places_bind_memory(const struct places *places, const char *memory) { return (void)places, (void)memory, true; }
void places_bring_memory(const struct places *places, unsigned thread) { (void)places, (void)thread; }
void places_note_memory(struct places *places, const void *address, size_t bytes) {
    (void)places, (void)address, (void)bytes;
}
void places_text(const struct places *places, const char *first, const char *others, char *text, size_t size) {
    (void)places, (void)first, (void)others;
    snprintf(text, size, "simulated");
}
void places_close(struct places *places) { (void)places; }

void places_report(const struct places *places, const struct cell *cell, const char *first, const char *others) {
    (void)places, (void)cell, (void)first, (void)others;
    cell_placement("simulated");
}

void distance_report(const struct cell *cell, const struct places *places) {
    (void)cell;
    if (places->count > 1)
        cell_distance((double)machine_distance(0, places->count - 1) / 1000);
}

/* --- no counters, no power */
void counters_open(const struct cell *cell) { (void)cell; }
void counters_close(const struct cell *cell) { (void)cell; }
void counters_start(struct counters *counters) { (void)counters; }
void counters_stop(struct counters *counters) { (void)counters; }
void counters_add(struct counters *sum, const struct counters *one) { (void)sum, (void)one; }
void counters_report(const struct cell *cell, const char *role, unsigned repetition, const struct counters *counters,
                     double operations) {
    (void)cell, (void)role, (void)repetition, (void)counters, (void)operations;
}

/* --- the clock */
bool cycles_by_clock = true;
double clock_overhead(void) { return (double)machine.clock / 1000; }
struct cycles_facts cycles_calibrate(void) {
    return (struct cycles_facts){.tick = 1, .sampling_cost = (double)machine.clock / 1000};
}
long displacements(void) { return 0; }
void simulate_peak_memory(void) {} /* that of the machine at hand */

/* --- waiting, and work without memory */
#define LONGEST_SILENCE 20000000 /* ps between two looks */
bool simulate_team_wait(struct team_member *me) {
    const uint64_t due = me->team->frequency == TEAM_NEVER ? UINT64_MAX / 1000 : me->pace.due;
    while (engine_now() + LONGEST_SILENCE < (int64_t)due * 1000) {
        engine_sleep_until(engine_now() + LONGEST_SILENCE);
        if (!team_look(me, (uint64_t)engine_now() / 1000))
            return false;
    }
    engine_sleep_until((int64_t)due * 1000);
    return team_wait(me);
}

void simulate_task_cost_work(uint64_t iterations) { engine_pass((int64_t)iterations * 1000); }
double simulate_task_cost_calibrate(void) { return 1; }
#ifdef SHA_DIGEST_LENGTH
void simulate_sha1_transform(SHA_CTX *context, const unsigned char *block) {
    engine_pass(machine.hash);
    SHA1_Transform(context, block);
}
#endif
