/* lf_bulk_many.h: lf_bulk for several thieves, which the bulk paper leaves to future work.
 *
 * What a steal writes has one writer: the cut, `stolen`, `cut` and `epoch`. So thieves take turns at a victim, and the
 * turn needs no word of its own: `epoch` is odd while a steal is under way, and whoever makes it odd by a CAS has the
 * turn. A thief that finds it odd, or loses the CAS, is told LOST and goes elsewhere. Push and pop are lf_bulk's, to
 * the instruction.
 *
 * The price: one more read-modify-write a steal, whatever its size, on the thieves' line alone; and a thief that stops
 * during its turn keeps all others out, though never the owner: stealing blocks. That is why lf_bulk itself stays for
 * one thief. Lock-freedom would take more than one word: two thieves that cut one behind the other have to agree on
 * what each gets (the second's cut lies in the list that the first has taken, or above it, where `stolen` is by then
 * another), so that the count, the cut and the tail of the last cut would have to change in one step.
 */
#ifndef STEALBENCH_LF_BULK_MANY_H
#define STEALBENCH_LF_BULK_MANY_H

#define LF_BULK_MANY_THIEVES
#include "lf_bulk.h"

#endif
