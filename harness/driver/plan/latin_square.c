#include "harness/driver/plan/plan.h"

size_t latin_square_rows(size_t n) { return n % 2 == 0 ? n : 2 * n; }

/* Place number place of the first row: 0, 1, n-1, 2, n-2, ... Its neighbours differ by every distance once. */
static size_t first_row(size_t n, size_t place) {
    if (place == 0)
        return 0;
    return place % 2 == 1 ? (place + 1) / 2 : n - place / 2;
}

void latin_square_row(size_t n, size_t row, size_t *order) {
    if (n == 0)
        return;
    row %= latin_square_rows(n);
    /* With an odd n the distances come twice in one direction; the same rows backwards give the other. */
    for (size_t place = 0; place < n; place++)
        order[row < n ? place : n - 1 - place] = (first_row(n, place) + row) % n;
}
