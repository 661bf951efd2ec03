#include "harness/describe.h"
#include <stdio.h>

const struct parameter common_parameters[] = {
    {"placement", PARAMETER_TEXT, "compact", 0, 0, NULL, "",
     "compact, scatter, same-core, same-socket, cross-socket, none, or processors joined by +, the owner's first"},
    {"memory", PARAMETER_CHOICE, "owner", 0, 0, "owner|thief|interleaved", "", "whose node the deque lies on"},
    {"counters", PARAMETER_CHOICE, "none", 0, 0, "none|hardware|hardware+multiplexed|callgrind", "",
     "what is counted in the measured window; callgrind simulates it, and then nothing is timed"},
    {"events", PARAMETER_TEXT, "default", 0, 0, NULL, "",
     "for hardware counters: default, or PAPI's names joined by +"},
    {"seed", PARAMETER_INTEGER, "1", 1, 4294967295, NULL, "", "start of every random choice"},
};
const size_t common_parameter_count = sizeof common_parameters / sizeof common_parameters[0];

bool describe_mode(const struct deque_traits *traits, struct parameter *mode) {
    static char first[96];
    if (!traits->mode)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(traits->mode_values, "|"), traits->mode_values);
    *mode = (struct parameter){.name = traits->mode,
                               .kind = PARAMETER_CHOICE,
                               .fallback = first,
                               .choices = traits->mode_values,
                               .unit = "",
                               .help = "a setting of this deque alone"};
    return true;
}

static const char *or_dash(const char *text) { return text && *text ? text : "-"; }

static void describe_parameter(const char *workload, const struct parameter *parameter) {
    static const char *const kinds[] = {"integer", "real", "choice", "text"};
    printf("parameter\t%s\t%s\t%s\t%s\t%.17g\t%.17g\t%s\t%s\t%s\n", workload, parameter->name, kinds[parameter->kind],
           parameter->fallback, parameter->minimum, parameter->maximum, or_dash(parameter->choices),
           or_dash(parameter->unit), parameter->help);
}

static void field(const char *name, const char *value) { printf("deque\t%s\t%s\n", name, or_dash(value)); }

static void describe_native(unsigned native) {
    static const char *const names[] = {"push_batch", "steal_batch", "steal_into", "poll", "lists"};
    const char *separator = "";
    printf("deque\tnative\t");
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (native & 1u << i) {
            printf("%s%s", separator, names[i]);
            separator = ",";
        }
    }
    printf("%s\n", native ? "" : "-");
}

static void describe_deque(const struct deque_traits *traits, size_t item_bytes) {
    static const char *const orders[] = {"LIFO", "FIFO"};
    static const char *const bounds[] = {"fixed", "growable", "linked"};
    static const char *const thieves[] = {"owner_only", "one", "many"};
    static const char *const progress[] = {"blocking", "obstruction_free", "lock_free", "wait_free"};
    static const char *const deliveries[] = {"once", "at_least_once"};
    field("id", traits->id);
    field("title", traits->title);
    field("source", traits->source);
    field("owner_order", orders[traits->owner_order]);
    field("bound", bounds[traits->bound]);
    field("thieves", thieves[traits->thieves]);
    describe_native(traits->native);
    field("keeps_nothing", traits->keeps_nothing ? "1" : "0");
    field("needs_self", traits->needs_self ? "1" : "0");
    field("shared", traits->shared ? "1" : "0");
    field("sound", traits->sound ? "1" : "0");
    field("baseline", traits->baseline ? "1" : "0");
    field("delivery", deliveries[traits->delivery]);
    field("push_progress", progress[traits->push_progress]);
    field("pop_progress", progress[traits->pop_progress]);
    field("steal_progress", progress[traits->steal_progress]);
    printf("deque\tthieves_leave\t%u\n", traits->thieves_leave);
    field("thieves_overtake", traits->thieves_overtake ? "1" : "0");
    field("mode", traits->mode);
    field("mode_values", traits->mode_values);
    field("fault", traits->fault);
    printf("deque\titem_bytes\t%zu\n", item_bytes);
}

void describe(const struct deque_traits *traits, size_t item_bytes, const struct registered *registered) {
    struct parameter mode;
    printf("stealbench-describe\t%d\n", DESCRIBE_VERSION);
    describe_deque(traits, item_bytes);
    for (size_t i = 0; i < common_parameter_count; i++)
        describe_parameter("*", &common_parameters[i]);
    if (describe_mode(traits, &mode))
        describe_parameter("*", &mode);
    for (size_t i = 0; i < registered->workload_count; i++) {
        const struct workload *workload = registered->workloads[i];
        printf("workload\t%s\t%s\n", workload->name, workload->summary);
        for (size_t j = 0; j < workload->parameter_count; j++)
            describe_parameter(workload->name, &workload->parameters[j]);
    }
    for (size_t i = 0; i < registered->check_count; i++) {
        const struct check *check = registered->checks[i];
        printf("check\t%s\t%d\t%s\n", check->name, check->in_stamp, check->summary);
    }
}
