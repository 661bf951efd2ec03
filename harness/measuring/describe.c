#include "harness/measuring/describe.h"
#include "queues/parts/fences.h"
#include <stdio.h>

const struct parameter common_parameters[] = {
    PARAMETER_TEXT(
        "placement", "compact",
        "compact, siblings, scatter, same-core, same-socket, cross-socket, mixed, none, or processors joined "
        "by +, the owner's first"),
    PARAMETER_CHOICE("memory", "owner", "owner|thief|interleaved", "whose node the deque lies on"),
    PARAMETER_CHOICE("counters", "none", "none|caches|remote|pipeline|perf",
                     "a set of hardware events, counted in the measured windows (harness/measuring/counter_sets.csv)"),
    PARAMETER_TEXT("events", "default", "a set of your own: up to 16 of PAPI's names joined by +; default: none"),
    PARAMETER_INTEGER("seed", 1, 1, 4294967295, "", "start of every random choice"),
    PARAMETERS_END,
};

bool describe_mode(const struct deque_traits *traits, struct parameter *mode) {
    static char first[96];
    if (!traits->mode)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(traits->mode_values, "|"), traits->mode_values);
    *mode =
        (struct parameter)PARAMETER_CHOICE(traits->mode, first, traits->mode_values, "a setting of this deque only");
    return true;
}

/* The linker defines symbols for the ends of a section whose name is a C identifier. The weak ones are absent in
 * flavours without workloads. */
extern const struct workload *const __start_workload_table[] __attribute__((weak));
extern const struct workload *const __stop_workload_table[] __attribute__((weak));
extern const struct check *const __start_check_table[] __attribute__((weak));
extern const struct check *const __stop_check_table[] __attribute__((weak));

struct registered registered_here(void) {
    return (struct registered){__start_workload_table, (size_t)(__stop_workload_table - __start_workload_table),
                               __start_check_table, (size_t)(__stop_check_table - __start_check_table)};
}

static const char *or_dash(const char *text) { return text && *text ? text : "-"; }

static void describe_parameters(const char *workload, const struct parameter *table) {
    for (; table && table->name; table++) {
        printf("parameter\t%s\t%s\t%s\t%s\t%.17g\t%.17g\t%s\t%s\t%s\n", workload, table->name,
               parameter_kind_words[table->kind], table->fallback, table->minimum, table->maximum,
               or_dash(table->choices), or_dash(table->unit), table->help);
        if (table->presets)
            printf("presets\t%s\t%s\t%s\n", workload, table->name, table->presets);
    }
}

static void field(const char *name, const char *value) { printf("deque\t%s\t%s\n", name, or_dash(value)); }
#define NAMED(name, words) field(#name, words[traits->name])
#define FLAG(name) field(#name, traits->name ? "1" : "0")

static void describe_native(unsigned native) {
    static const char *const words[] = {[DEQUE_PUSH_BATCH] = "push_batch", [DEQUE_STEAL_BATCH] = "steal_batch",
                                        [DEQUE_STEAL_INTO] = "steal_into", [DEQUE_POLL] = "poll",
                                        [DEQUE_LISTS] = "lists",           [DEQUE_PLACES] = "places",
                                        [DEQUE_PUSH_AT] = "push_at",       [DEQUE_RESERVE] = "reserve"};
    char text[128] = "";
    string_bits(text, sizeof text, native, words, sizeof words / sizeof words[0], ",");
    field("native", text);
}

const char *describe_fences(void) { return deque_fences_asymmetric() ? "membarrier" : "pair"; }

static void describe_deque(const struct deque_here *deque) {
    const struct deque_traits *traits = &deque->traits;
    static const char *const orders[] = {[DEQUE_LIFO] = "LIFO", [DEQUE_FIFO] = "FIFO"};
    static const char *const bounds[] = {
        [DEQUE_FIXED] = "fixed", [DEQUE_GROWABLE] = "growable", [DEQUE_LINKED] = "linked"};
    static const char *const thieves[] = {
        [DEQUE_OWNER_ONLY] = "owner_only", [DEQUE_ONE_THIEF] = "one", [DEQUE_MANY_THIEVES] = "many"};
    static const char *const progress[] = {[DEQUE_BLOCKING] = "blocking",
                                           [DEQUE_OBSTRUCTION_FREE] = "obstruction_free",
                                           [DEQUE_LOCK_FREE] = "lock_free",
                                           [DEQUE_WAIT_FREE] = "wait_free"};
    static const char *const deliveries[] = {[DEQUE_ONCE] = "once", [DEQUE_AT_LEAST_ONCE] = "at_least_once"};
    field("id", deque->id);
    field("title", runtime_title ? runtime_title() : traits->title);
    field("source", runtime_title ? runtime_title() : traits->source);
    NAMED(owner_order, orders), NAMED(bound, bounds), NAMED(thieves, thieves);
    describe_native(traits->native);
    FLAG(keeps_nothing), FLAG(needs_self), FLAG(shared), FLAG(sound);
    FLAG(reference), FLAG(aside), FLAG(classic);
    NAMED(delivery, deliveries);
    NAMED(push_progress, progress), NAMED(pop_progress, progress), NAMED(steal_progress, progress);
    printf("deque\tthieves_leave\t%u\n", traits->thieves_leave);
    FLAG(thieves_overtake);
    field("fences", traits->asymmetric_fences ? describe_fences() : "");
    field("mode", traits->mode);
    field("mode_values", traits->mode_values);
    field("fault", traits->fault);
    printf("deque\titem_bytes\t%zu\n", deque->item_bytes);
    if (deque->item_bytes != sizeof(void *)) /* only for cells with that setting */
        printf("deque\tvariant\titem=%zu\n", deque->item_bytes);
}

void describe(const struct deque_here *deque, const struct registered *registered) {
    struct parameter mode[] = {PARAMETERS_END, PARAMETERS_END};
    printf("stealbench-describe\t%d\n", DESCRIBE_VERSION);
    describe_deque(deque);
    describe_parameters("*", common_parameters);
    if (describe_mode(&deque->traits, mode))
        describe_parameters("*", mode);
    for (size_t i = 0; i < registered->workload_count; i++) {
        const struct workload *workload = registered->workloads[i];
        printf("workload\t%s\t%s\t%s\n", workload->name, workload->threads ? workload->threads : "1",
               workload->summary);
        for (size_t j = 0; j < PARAMETER_TABLES; j++)
            describe_parameters(workload->name, workload->parameters[j]);
    }
    for (size_t i = 0; i < registered->check_count; i++) {
        const struct check *check = registered->checks[i];
        printf("check\t%s\t%d\t%s\n", check->name, check->in_stamp, check->summary);
    }
}
