# stealbench: the targets that people call. setup/configure.py says how everything is built, by ninja.

.DEFAULT_GOAL := all
help:
	@sed -n 's/^# \{0,1\}//; 2,/^$$/d; /^$$/q; p' Makefile

# make all            everything that measures: build/stealbench, and for each deque executables of its name below
#                     build/deques/FAMILY (latency, contention, or one workload on the pool), build/checks, build/stress, build/lab
# make build/...      one of these, such as build/deques/latency/chase_lev, or variant 3 of its code, build/deques/latency.3/chase_lev
# make deques         these of every deque; deques/NAME: of one
# make check          all tests, as ./run.sh check; ends on "N passed, N failed"
# make check_builds   every deque's checks, plain and under address and thread sanitizers; check_builds/NAME: one deque's
# make check-aarch64  every deque under qemu's user mode; needs qemu and a cross compiler
# make check-numa     threads and memory on two sockets, in a guest under qemu; needs qemu
# make check-model    the model checker's clients; needs genmc
# make lint format    clang-format and shellcheck; format rewrites the sources
# make tests          builds the tests' executables
# make build/{address,thread}_workloads/DEQUE   every workload under sanitizers
# make items4         build/deques/items4/DEQUE: contention with items of 4 bytes, for cells with item=4
# make upstream       other people's deques that are installed
# make mutants        do the checks catch mistakes? every mutant of every deque, or of those that proof/mutants/run.py is called with
# make lab            build/lab/DEQUE; make lab-test: the lab's tests; make callgrind: what ci counts
# make trust          what the suite measures itself with; make google: build/gbench.so, for method=google and published
# make help           this
# make clean
#
# Variables: CC, CXX, OPTIMISE="-O3 -march=native", CPPFLAGS, LDFLAGS, PREFIX=FOLDER, BUILD=build. Each set of flags keeps its
# build: returning to earlier flags compiles nothing.

OWN := help check check-aarch64 check-numa check-model lint format lab-test mutants clean
BUILT := $(filter-out $(OWN),$(or $(MAKECMDGOALS),all))
.PHONY: $(OWN) $(BUILT) built
$(BUILT): built
	@:
# All targets at once: ninja shares its processors among them. make's -k and -s mean what they do for make.
built:
	@setup/configure.py $(if $(findstring k,$(firstword -$(MAKEFLAGS))),-k0) $(if $(findstring s,$(firstword -$(MAKEFLAGS))),--quiet) $(BUILT)

check:
	tests/run.sh
check-aarch64:
	tests/aarch64.sh
check-numa:
	tests/numa.sh
check-model:
	proof/model/run.py
	proof/planted_faults/run.py "model "
lint:
	tests/run.sh lint
format:
	tests/lint.sh --format
lab-test:
	tests/lab/run.sh
mutants:
	proof/mutants/run.py
clean:
	rm -rf $(or $(BUILD),build)
