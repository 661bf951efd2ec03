/* planted.h: the deque `empty` with a known delay planted in each push, pop and steal.
 *
 * A chain of PLANTED_STEPS dependent steps, about a nanosecond each; each operation starts from what the one before
 * left, so that operations cannot overlap. What the suite measures of it must be what the same chain takes in a loop
 * written by hand (handwritten_chain.c).
 */
#pragma once

#include "harness/trust/planted_chain.h"

#define EMPTY_OPERATION(deque) ((void)((deque)->planted = planted_chain((deque)->planted)))
#include "queues/empty.h"
