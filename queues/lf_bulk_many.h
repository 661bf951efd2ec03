/* lf_bulk_many.h: lf_bulk for several thieves, which the bulk paper leaves to future work.
 *
 * The words that a steal writes have one writer: the cut, `stolen`, `cut` and `epoch`. So thieves take turns at a
 * victim. The turn needs no word of its own: `epoch` is odd while a steal is under way, and the thief that makes it odd
 * by a CAS has the turn. A thief that finds it odd, or loses the CAS, is told LOST and goes elsewhere. Push and pop are
 * lf_bulk's, to the instruction.
 *
 * The price: one more read-modify-write a steal, whatever its size, on the thieves' line alone; and a thief that stops
 * during its turn keeps all others out, though never the owner: stealing blocks. That is why lf_bulk itself stays for
 * one thief. Lock-freedom would take more than one word: two thieves that cut one behind the other have to agree on
 * what each gets (the second's cut lies in the list that the first has taken, or above it, where `stolen` is by then
 * another), so that the count, the cut and the tail of the last cut would have to change in one step. Where a word has
 * to stand for several, others help whoever announced the change: a thief would put a record of its cut (K, B, the new
 * count and tail) where `epoch` is, and whoever finds one there would carry it out. That takes the record's memory
 * and the links it names out of use until the last helper has gone, who may be as late as it likes and must not cut a
 * link that was popped, pushed again and has the same B behind it: a hazard for each thief in place of one epoch, which
 * every pop that gives a link back would have to look through. We know no such algorithm that keeps a bulk steal cheap.
 * So this one blocks, but only thieves, and only for the time of one steal.
 */
#ifndef STEALBENCH_LF_BULK_MANY_H
#define STEALBENCH_LF_BULK_MANY_H

#define LF_BULK_MANY_THIEVES
#include "lf_bulk.h"

#endif
