# stealbench. The targets a person calls; how what is built is built: setup/build.mk.

.DEFAULT_GOAL := all
help:
	@sed -n 's/^# \{0,1\}//; 2,/^$$/d; /^$$/q; p' Makefile

# make all            everything that measures: build/stealbench and, of each deque, executables of the same name below
#                     build/deques (its operations), build/pool (work on the pool), build/checks, build/pool_checks, build/lab
# make build/...      any one of these: build/stealbench, build/deques/chase_lev; several deques: deques DEQUE_IDS="abp weir"
# make check          what ./run.sh check runs, after the set-up: lint, gate, tests; ends on "N passed, N failed"
# make gate_builds    what the correctness gate runs: every deque's checks plain, and under address and thread sanitizers
# make check-aarch64  every deque under qemu's user mode, where it and the cross compiler are installed
# make check-numa     threads and memory on two sockets, in a guest under qemu, where that is installed
# make check-model    the model checker's clients, where genmc is installed
# make lint format    clang-format, shellcheck; format rewrites
# make tests          the tests' executables
# make build/{address,thread}_workloads/DEQUE   every workload and what measures it, under sanitizers
# make items4         build/items4/DEQUE: the workload contention with items of 4 bytes (cells that say item=4)
# make upstream       other people's deques, where they are installed; runtimes: other people's runtimes
# make mutants        does the gate catch mistakes? every mutant of every deque, or of DEQUE_IDS=...
# make catalogue      queues/CATALOGUE.md, the deques in tables
# make lab            build/lab/DEQUE, the lab's executables; make lab-test, its tests; make callgrind, what ci counts
# make trust          the suite's measurement of itself
# make install        stealbench below PREFIX (/usr/local), with its man page and bash's completion (DESTDIR too)
# make help           this
# make clean
#
# Variables: CC, CXX, OPTIMISE="-O3 -march=native", CPPFLAGS, LDFLAGS, PREFIX=FOLDER, BUILD=build. Each set of them has a
# build of its own: going back to one compiles nothing.

BUILD ?= build
# What compilers and other programs say is read by scripts.
export LC_ALL := C

# Those that build nothing themselves ask no compiler.
WITHOUT_BUILD := help check check-aarch64 check-numa check-model lint format lab-test mutants install clean
.PHONY: $(WITHOUT_BUILD)
ifneq ($(filter-out $(WITHOUT_BUILD),$(or $(MAKECMDGOALS),all)),)
include setup/build.mk
endif

check:
	tests/run.sh
check-aarch64:
	tests/aarch64.sh
check-numa:
	tests/numa.sh
check-model:
	proof/model/run.sh
	proof/planted_faults/run.py "model "
lint:
	tests/run.sh lint
format:
	tests/lint.sh --format
lab-test:
	tests/lab/run.sh
MUTANTS_OPTIONS ?=
mutants:
	@status=0; for one in $(if $(DEQUE_IDS),,proof/mutants/python.py proof/mutants/shell.py) \
		"proof/mutants/run.py $(DEQUE_IDS) $(MUTANTS_OPTIONS)"; do $$one || status=1; done; exit $$status
install:
	setup/install.sh
clean:
	rm -rf $(BUILD)
