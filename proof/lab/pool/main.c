/* main.c: build/lab/pool: the pool's own path over one deque, in the lab.
 *
 * usage: build/lab/pool count --csv                           what its steps do to memory
 *        build/lab/pool explore [--seed=S] [--schedules=N]    is a wake-up lost?
 */
#include "proof/lab/pool/stage.h"
#include <stdio.h>
#include <string.h>

static int usage(const char *program) {
    fprintf(stderr, "usage: %s count --csv\n       %s explore [--seed=S] [--schedules=N]\n", program, program);
    return 2;
}

static int explore(int words, char **word) {
    unsigned long long seed = 1, schedules = 20000;
    char end;
    for (int i = 2; i < words; i++) {
        if (sscanf(word[i], "--seed=%llu%c", &seed, &end) != 1 &&
            sscanf(word[i], "--schedules=%llu%c", &schedules, &end) != 1)
            return usage(word[0]);
    }
    return pool_explore(seed, schedules);
}

int main(int words, char **word) {
    if (words == 3 && strcmp(word[1], "count") == 0 && strcmp(word[2], "--csv") == 0)
        return pool_count();
    if (words > 1 && strcmp(word[1], "explore") == 0)
        return explore(words, word);
    return usage(word[0]);
}
