/* counters_papi.h: the few calls of PAPI that the suite needs. libpapi is loaded at the first call. It is neither
 * linked nor included, so building and running need no PAPI; without it every call fails. Results below 0 are PAPI's
 * own codes (PAPI_ENOEVNT is -7).
 */
#ifndef STEALBENCH_COUNTERS_PAPI_H
#define STEALBENCH_COUNTERS_PAPI_H

#include <stdbool.h>
#include <stddef.h>

#define PAPI_LIBRARY_VARIABLE "STEALBENCH_PAPI" /* environment variable: another file to load as libpapi */

/* Our own codes, beyond PAPI's: there is no usable libpapi; an event of a set has no room beside the others, or the set
 * makes no sense; instructions or cycles read 0 (PAPI says so of processors that are halfway virtual, or of two kinds).
 */
enum { PAPI_NOT_THERE = -1000, PAPI_NO_FIT, PAPI_READ_ZERO };

/* Main thread, first: loads and initialises. Returns 0, or a code that why (512 bytes) explains. The library stays
 * loaded. */
int papi_load(char *why);

/* Why PAPI disabled the processor's component, in words, or NULL. PAPI 7 may know only when the first event is named.
 */
const char *papi_disabled(void);

/* Main thread, before any set is made. kernel: also count events in the kernel; else only in user mode. Returns 0 or a
 * code: no permission if /proc/sys/kernel/perf_event_paranoid keeps users out of the kernel. */
int papi_count_kernel(bool kernel);

/* Does PAPI have an event of that name? A preset always counts as known. */
bool papi_knows(const char *name);

/* Any thread, for itself: a set of events by name. Returns 0 with *set, or a code. papi_set_free also takes a set that
 * was never started. */
int papi_set_make(const char *const *names, size_t count, int *set);
int papi_set_start(int set);
int papi_set_stop(int set, long long *values);
void papi_set_free(int set);

/* Any thread that made sets. Call before the thread ends. */
void papi_thread_ends(void);

/* The code in words; valid as long as the process. */
const char *papi_words(int code);

#endif
