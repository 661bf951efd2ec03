/* no_deque.c: what main reads of a program that runs on another runtime: no deque of ours. */
#include "harness/measuring/deque_under_test.h"
