/* chosen.c: which of the mutants in one executable runs (mutate.py, all_in_one): the environment says it; 0: none. */
#include <stdlib.h>

int chosen_mutant;

__attribute__((constructor)) static void choose(void) {
    const char *number = getenv("CHOSEN_MUTANT");
    chosen_mutant = number ? atoi(number) : 0;
}
