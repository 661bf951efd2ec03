/* pmu.c: preloaded, it gives this machine the hardware counters of the processor that LIBPFM_FORCE_PMU names, for the
 * real libpapi and libpfm.
 *
 * A hardware event becomes one of the kernel's own, which every machine counts: L1D:REPLACEMENT and Zen's fills from L2
 * page faults, L2_LINES_IN:ALL context switches, all others the time of the thread in ns. With PMU_HALF set,
 * instructions read 0. A group of events is refused where that processor has no counters for it: so many in all, and on
 * Ice Lake and Sapphire Rapids four that load events share. Instructions and cycles have counters of their own on
 * Intel.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum {
    FILES = 65536,
    INSTRUCTIONS = 0xc0,
    CYCLES = 0x3c,
    FAULTS = 0x0151,
    FILLS = 0x44,
    FROM_L2 = 0x100,
    SWITCHES = 0x1ff1
};
static struct { unsigned all, loads; } used[FILES]; /* by the first event of the group */

long syscall(long number, ...) __attribute__((visibility("default")));

/* Of Ice Lake's and Sapphire Rapids' events, those that only counters 0 to 3 have (the kernel's
 * intel_icl_event_constraints). */
static bool is_load(unsigned code) {
    return (code >= 0x03 && code <= 0x0a) || (code >= 0x1f && code <= 0x28) || (code >= 0x48 && code <= 0x56) ||
           (code >= 0x60 && code <= 0x8b) || (code >= 0xd0 && code <= 0xe6);
}

static int open_hardware(long (*real)(long, ...), const struct perf_event_attr *asked, long arguments[6]) {
    const char *processor = getenv("LIBPFM_FORCE_PMU");
    const bool new = strcmp(processor, "icx") == 0 || strcmp(processor, "spr") == 0;
    const bool intel = strncmp(processor, "amd", 3) != 0;
    const unsigned code = asked->config & 0xff, room = new ? 8 : intel ? 4 : 6;
    const unsigned all = !intel || (code != INSTRUCTIONS && code != CYCLES), loads = new &&is_load(code);
    const bool fault = intel ? (asked->config & 0xffff) == FAULTS : code == FILLS && asked->config & FROM_L2;
    const int leader = (int)arguments[3];
    if (leader >= 0 && (used[leader].all + all > room || used[leader].loads + loads > 4)) {
        errno = EINVAL;
        return -1;
    }
    struct perf_event_attr given = *asked;
    given.type = PERF_TYPE_SOFTWARE;
    given.config = fault                                        ? PERF_COUNT_SW_PAGE_FAULTS
                   : (asked->config & 0xffff) == SWITCHES       ? PERF_COUNT_SW_CONTEXT_SWITCHES
                   : code == INSTRUCTIONS && getenv("PMU_HALF") ? PERF_COUNT_SW_DUMMY
                                                                : PERF_COUNT_SW_TASK_CLOCK;
    given.exclude_kernel = given.config == PERF_COUNT_SW_TASK_CLOCK;
    given.config1 = given.config2 = given.precise_ip = 0;
    const long file = real(SYS_perf_event_open, &given, arguments[1], arguments[2], arguments[3], arguments[4]);
    const long group = leader < 0 ? file : leader;
    if (file < 0)
        return -1;
    if (leader < 0)
        memset(&used[group], 0, sizeof used[group]);
    used[group].all += all;
    used[group].loads += loads;
    return (int)file;
}

long syscall(long number, ...) {
    long (*real)(long, ...), arguments[6];
    void *found = dlsym(RTLD_NEXT, "syscall");
    va_list list;
    memcpy(&real, &found, sizeof found);
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    const struct perf_event_attr *asked = (const struct perf_event_attr *)arguments[0];
    if (number == SYS_perf_event_open && getenv("LIBPFM_FORCE_PMU") && asked->type != PERF_TYPE_SOFTWARE)
        return open_hardware(real, asked, arguments);
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
