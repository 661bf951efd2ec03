// openmp_llvm.cc: openmp.cc compiled as it is, linked with LLVM's libomp, which answers to libgomp's names too. Not
// compiled by clang: then the partition of quicksort would differ, and it is the runtimes that are compared.
#include "runtimes/openmp.cc"
