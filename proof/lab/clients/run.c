#include "proof/lab/clients/clients.h"
#include "proof/lab/clients/scene.h"
#include "proof/lab/engine/source.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Random schedules are fair, so a run that is this many times longer than usual will not end; nor will one of so many
 * accesses. */
#define LENGTH_FACTOR 200
#define LENGTH_MAX 1000000

static const struct client *prepared;
static uint64_t length, step_limit;

bool run_prepare(const struct client *client) {
    prepared = client;
    snprintf(machine.note, sizeof machine.note, "; again: explore%s --client='%s'", scene_options(), client->name);
    if (!scene_begin(LENGTH_MAX, client->set_up))
        return false;
    memory_keep();
    step_limit = LENGTH_MAX;
    run_once(schedule_in_sequence());
    length = machine.step;
    step_limit = 20000 + LENGTH_FACTOR * length;
    if (step_limit > LENGTH_MAX)
        step_limit = LENGTH_MAX;
    return true;
}

const struct fault *run_once(struct schedule *schedule) {
    memory_restore();
    machine_begin(step_limit);
    if (machine_run(prepared->body, prepared->threads, schedule))
        machine_call(scene_finish);
    return machine.fault.kind >= machine.noted.kind ? &machine.fault : &machine.noted;
}

uint64_t run_length(void) { return length; }

void run_fault_text(const struct fault *fault, char *text, size_t size) {
    size_t used = 0;
    for (const char *c = fault->text; *c && used + 1 < size; c++) {
        bool place = *c == '%' && (c[1] == '1' || c[1] == '2');
        if (!place) {
            text[used++] = *c;
            continue;
        }
        uintptr_t where = fault->where[c[1] - '1'];
        used += (size_t)snprintf(text + used, size - used, "%s", where > 1 ? source_name(where) : "?");
        c++;
    }
    text[used < size ? used : size - 1] = '\0';
}

double run_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
