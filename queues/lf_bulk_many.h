/* lf_bulk_many.h: lf_bulk for several thieves, which the bulk paper leaves to future work.
 *
 * The words that a steal writes have one writer: the cut, `stolen`, `cut` and `epoch`. So thieves take turns at a
 * victim. The turn needs no word of its own: `epoch` is odd while a steal is under way, and the thief that makes it odd
 * by a CAS has the turn. A thief that finds it odd, or loses the CAS, is told LOST and goes elsewhere. Push and pop are
 * lf_bulk's, to the instruction.
 *
 * The price: one more read-modify-write a steal, whatever its size, on the thieves' line alone; and a thief that stops
 * during its turn keeps all others out, though never the owner: stealing blocks. That is why lf_bulk itself stays for
 * one thief.
 *
 * Lock-freedom would need the count, the cut and the tail of the last cut changed in one step: a thief would publish a
 * record of its cut, which any thread that finds it carries out. Then a late helper must not cut a link that was
 * popped, pushed again and has the same B behind it. That takes a hazard pointer for each thief instead of one epoch,
 * and every pop that gives a link back would have to read them all. We know no such algorithm that keeps a bulk steal
 * cheap.
 */
#define LF_BULK_MANY_THIEVES
#include "lf_bulk.h"
