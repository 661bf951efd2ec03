#include "workloads/contention/accounting.h"
#include "harness/measuring/parameters.h"
#include <inttypes.h>
#include <stdio.h>

uint64_t items_doubled(const struct items_account *account) {
    uint64_t taken = account->popped + account->stolen + account->left;
    return taken > account->pushed ? taken - account->pushed : 0;
}

bool items_add_up(const struct items_account *account, char *message) {
    uint64_t taken = account->popped + account->stolen + account->left;
    const char *wrong = NULL;
    if (account->stays > 0)
        wrong = "its size is not 0 after the owner found it empty";
    else if (taken < account->pushed)
        wrong = "items are missing";
    else if (account->at_least_once && account->popped + account->left > account->pushed)
        wrong = "the owner got more than it pushed";
    else if (!account->at_least_once && taken > account->pushed)
        wrong = "items came out twice";
    else if (!account->at_least_once && account->pushed_sum != account->taken_sum)
        wrong = "their number is right, but some are missing and others came out twice";
    if (wrong)
        snprintf(message, MESSAGE_SIZE,
                 "%s: pushed %" PRIu64 ", popped %" PRIu64 ", stolen %" PRIu64 ", left %" PRIu64 ", size %" PRIu64,
                 wrong, account->pushed, account->popped, account->stolen, account->left, account->stays);
    return !wrong;
}
