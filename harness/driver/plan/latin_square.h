/* latin_square.h: in which order things are measured, so that neither place nor predecessor favours one of them.
 *
 * Williams' design: every thing comes at every place equally often, and every thing follows every other equally often;
 * n rows when n is even, 2n when n is odd.
 */
#ifndef STEALBENCH_LATIN_SQUARE_H
#define STEALBENCH_LATIN_SQUARE_H

#include <stddef.h>

/* How many rows until the design begins again. */
size_t latin_square_rows(size_t n);

/* Row number row (any; it wraps) of the design for n things into order[0..n-1]. */
void latin_square_row(size_t n, size_t row, size_t *order);

#endif
