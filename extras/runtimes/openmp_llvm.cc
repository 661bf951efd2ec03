// openmp_llvm.cc: openmp.cc, linked with LLVM's libomp, which answers to libgomp's names too. Not compiled by clang:
// then the partition of quicksort would differ, and it is the runtimes that are compared. libomp sorts a tenth faster
// when the halves are joined; for trees it is as often the other way round.
#define QUICKSORT_JOINED 1
#include "extras/runtimes/openmp.cc"
