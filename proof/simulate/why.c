#include "proof/simulate/why.h"

void why_waited(uintptr_t address, uintptr_t where, int64_t picoseconds) { (void)address, (void)where, (void)picoseconds; }
