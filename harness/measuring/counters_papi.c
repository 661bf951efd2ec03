#include "harness/measuring/counters_papi.h"
#include "harness/measuring/parameters.h"
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Codes of PAPI's interface, unchanged since version 5. */
enum papi_code {
    CODE_INVALID = -1, /* from library_init: another version */
    CODE_PERMISSION = -15,
    CODE_DISABLED = -25,
    CODE_DELAYED = -26
};
enum papi_domain { DOMAIN_USER = 1, DOMAIN_ALL = 1 | 2 | 4 | 8 };
enum { NO_SET = -1 };

/* The beginning of PAPI_component_info_t, up to the reason; the same in versions 5 to 7. */
struct component_front {
    char name[128], short_name[64], description[128], version[64], support_version[64], kernel_version[64];
    char reason[128];
};

/* Every function in use: result, name, arguments. */
#define PAPI_FUNCTIONS(FUNCTION)                                                                                       \
    FUNCTION(int, library_init, (int))                                                                                 \
    FUNCTION(int, thread_init, (unsigned long (*)(void)))                                                              \
    FUNCTION(int, set_domain, (int))                                                                                   \
    FUNCTION(int, num_components, (void))                                                                              \
    FUNCTION(const struct component_front *, get_component_info, (int))                                                \
    FUNCTION(int, create_eventset, (int *))                                                                            \
    FUNCTION(int, event_name_to_code, (const char *, int *))                                                           \
    FUNCTION(int, add_event, (int, int))                                                                               \
    FUNCTION(int, start, (int))                                                                                        \
    FUNCTION(int, stop, (int, long long *))                                                                            \
    FUNCTION(int, cleanup_eventset, (int))                                                                             \
    FUNCTION(int, destroy_eventset, (int *))                                                                           \
    FUNCTION(int, unregister_thread, (void))                                                                           \
    FUNCTION(char *, strerror, (int))

#define DECLARE(result, name, arguments) result(*name) arguments;
static struct {
    void *library;
    PAPI_FUNCTIONS(DECLARE)
} papi;

static unsigned long this_thread(void) { return (unsigned long)pthread_self(); }

static bool find_functions(char *why) {
    void *found;
#define FIND(result, name, arguments)                                                                                  \
    found = dlsym(papi.library, "PAPI_" #name);                                                                        \
    if (!found) {                                                                                                      \
        snprintf(why, MESSAGE_SIZE, "this libpapi has no PAPI_" #name);                                                \
        return false;                                                                                                  \
    }                                                                                                                  \
    memcpy(&papi.name, &found, sizeof found);
    PAPI_FUNCTIONS(FIND)
    return true;
}

static void *open_library(char *why) {
    static const char *const names[] = {"libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.7",
                                        "libpapi.so.6.0", "libpapi.so.6",   "libpapi.so"};
    const char *asked = getenv(PAPI_LIBRARY_VARIABLE);
    if (asked && *asked) {
        void *library = dlopen(asked, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            snprintf(why, MESSAGE_SIZE, PAPI_LIBRARY_VARIABLE ": %s", dlerror());
        return library;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    snprintf(why, MESSAGE_SIZE, "libpapi is not installed (Debian: apt-get install libpapi-dev)");
    return NULL;
}

/* PAPI asks for the version it was compiled for. A program without its header has to guess. */
static int initialise(char *why) {
    static const unsigned char versions[][2] = {{7, 0}, {7, 1}, {7, 2}, {7, 3}, {6, 0}, {5, 7}, {5, 6}, {5, 5}};
    int result = 0;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        int version = versions[i][0] << 24 | versions[i][1] << 16;
        result = papi.library_init(version);
        if (result == version)
            return 0;
        if (result < 0 && result != CODE_INVALID)
            break;
    }
    snprintf(why, MESSAGE_SIZE, "libpapi does not start: %s",
             result < 0 ? papi.strerror(result) : "its version is none of 5.5 to 7.3");
    return result < 0 ? result : PAPI_NOT_THERE;
}

int papi_load(char *why) {
    if (papi.library)
        return 0;
    papi.library = open_library(why);
    if (!papi.library)
        return PAPI_NOT_THERE;
    int result = find_functions(why) ? initialise(why) : PAPI_NOT_THERE;
    if (result == 0) {
        result = papi.thread_init(this_thread);
        if (result != 0)
            snprintf(why, MESSAGE_SIZE, "libpapi cannot count threads: %s", papi.strerror(result));
    }
    if (result == 0)
        return 0;
    dlclose(papi.library);
    papi.library = NULL;
    return result;
}

/* Component 0 is the processor's own on every system that PAPI supports. */
const char *papi_disabled(void) {
    static char words[MESSAGE_SIZE];
    const struct component_front *front = papi.library && papi.num_components() > 0 ? papi.get_component_info(0) : NULL;
    if (!front || !*front->reason)
        return NULL;
    snprintf(words, sizeof words, "PAPI's component %.60s is disabled: %.120s", front->name, front->reason);
    return words;
}

/* If this process may not count within the kernel, perf and PAPI count only in user mode and say nothing: a context
 * switch then reads 0. So this asks the kernel itself. */
static bool kernel_may_be_counted(void) {
    struct perf_event_attr event = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
    long file = syscall(SYS_perf_event_open, &event, 0, -1, -1, 0ul);
    if (file >= 0)
        close((int)file);
    return file >= 0 || (errno != EACCES && errno != EPERM);
}

int papi_count_kernel(bool kernel) {
    if (kernel && !kernel_may_be_counted())
        return CODE_PERMISSION;
    return papi.set_domain(kernel ? DOMAIN_ALL : DOMAIN_USER);
}

/* PAPI 7 initialises a component when its first event is named; that call then returns this code. */
static int code_of(const char *name, int *code) {
    const int result = papi.event_name_to_code(name, code);
    return result == CODE_DELAYED ? papi.event_name_to_code(name, code) : result;
}

bool papi_knows(const char *name) {
    int code;
    return papi.library && code_of(name, &code) == 0;
}

int papi_set_make(const char *const *names, size_t count, int *set) {
    *set = NO_SET;
    if (!papi.library)
        return PAPI_NOT_THERE;
    int code, result = papi.create_eventset(set);
    for (size_t i = 0; i < count && result == 0; i++) {
        result = code_of(names[i], &code);
        if (result == 0)
            result = papi.add_event(*set, code);
    }
    if (result != 0)
        papi_set_free(*set);
    return result;
}

int papi_set_start(int set) { return papi.start(set); }

int papi_set_stop(int set, long long *values) { return papi.stop(set, values); }

void papi_set_free(int set) {
    if (set == NO_SET)
        return;
    papi.cleanup_eventset(set);
    papi.destroy_eventset(&set);
}

void papi_thread_ends(void) {
    if (papi.library)
        papi.unregister_thread();
}

const char *papi_words(int code) {
    if (code == PAPI_READ_ZERO)
        return "it read 0 where instructions ran: this processor, or what is virtual of it, does not count";
    if (code == PAPI_NOT_THERE || !papi.library)
        return "there is no libpapi";
    const char *words = papi.strerror(code);
    return words ? words : "an error that PAPI has no words for";
}
