# stealbench. The targets a person calls:
#
#   make              everything that measures: build/stealbench and, of each deque, executables of the same name below
#                     build/deques (its operations), build/pool (work on the pool), build/checks and build/pool_checks
#   make check        what ./run.sh check runs, after the set-up: lint, gate, tests; ends on "N passed, N failed"
#   make gate_builds  what the correctness gate runs: every deque's checks plain, and under address and thread sanitizers
#   make check-aarch64  every deque under qemu's user mode, where it and the cross compiler are installed
#   make check-numa   threads and memory on two sockets, in a guest under qemu, where that is installed
#   make check-model  the model checker's clients, where genmc is installed
#   make lint format  clang-format, shellcheck; format rewrites
#   make build/{address,thread}_workloads/DEQUE   every workload and what measures it, under sanitizers
#   make items4       build/items4/DEQUE: the workload contention with items of 4 bytes (cells that say item=4)
#   make catalogue    queues/CATALOGUE.md, the deques in tables
#   make lab          build/lab/DEQUE, the lab's executables; make lab-test, its tests; make callgrind, what ci counts
#   make install      stealbench below PREFIX (/usr/local), with its man page and bash's completion (DESTDIR too)
#   make help         this
#   make clean
#
# A deque is found by looking: queues/*.h (but the contract) and queues/as_published/*.h each become executables of
# their own. Nothing lists them.

comma := ,
ifeq ($(origin CC),default)
CC := gcc
endif
# With another C compiler the C++ compiler of the same make, where it is there: what one of them instruments, the other links.
ifeq ($(origin CXX),default)
CXX := $(shell like='$(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)),$(subst gcc,g++,$(CC)))'; \
	command -v "$$like" >/dev/null && echo "$$like" || echo g++)
endif
BUILD ?= build
OPTIMISE ?= -O3 -march=native
CPPFLAGS ?=
# Libraries that are not where the compiler looks by itself: below PREFIX, or where pkg-config knows them (modules, Spack).
LIBRARIES := hwloc benchmark cmocka liburing libcrypto libxxhash
pkg = $(sort $(foreach library,$(LIBRARIES),$(shell pkg-config $(1) $(library) 2>/dev/null)))
found_flags = $(strip $(2) $(filter-out $(2),$(1)))
override CPPFLAGS := $(call found_flags,$(PREFIX:%=-I%/include) $(call pkg,--cflags-only-I),$(CPPFLAGS))
override LDFLAGS := $(call found_flags,$(foreach folder,$(PREFIX:%=-L%/lib) $(call pkg,--libs-only-L),\
	$(folder) $(folder:-L%=-Wl$(comma)-rpath$(comma)%)),$(LDFLAGS))
# What compilers and other programs say is read by scripts.
export LC_ALL := C

DEQUE_HEADERS := $(filter-out queues/deque.h,$(wildcard queues/*.h)) $(wildcard queues/as_published/*.h)
DEQUE_IDS := $(patsubst queues/%.h,%,$(DEQUE_HEADERS))
# Those named on the command line (DEQUE_IDS=...) may be other people's, which queues/upstream/upstream.mk builds.
DEQUES_NAMED := $(if $(filter command,$(origin DEQUE_IDS)),$(DEQUE_IDS))
override DEQUE_IDS := $(filter-out upstream/%,$(DEQUE_IDS))
# Sources are found by folder. One rule: below once/ a file is compiled once, below variants/ for each deque in several
# variants of code, elsewhere for each deque.
sources = $(sort $(shell find $(1) -name '*.c' $(2)))
each = $(call sources,$(1),! -path '*/once/*' ! -path '*/variants/*')
once = $(call sources,$(1),-path '*/once/*')
varied = $(call sources,$(1),-path '*/variants/*')
# What a deque's executables hold. Each has only what its cells depend on, for its bytes are their identity: an edit of an
# application leaves the cells of push as they were, and one of a check those of both. The checks of the pool need the
# pool, and no deque is timed by them. Under sanitizers one executable has all checks.
OPERATIONS := workloads/latency workloads/contention
POOLED := workloads/forks workloads/pool workloads/applications
CHECKED := checks workloads/pool
# How the checks are compiled, which takes as long as all else: stress as the deque is timed, others in half the time, and
# under a sanitizer, which looks at each access of the source, in a third.
check_level = $(if $(filter checks/%,$(2)),$(if $(filter address thread,$(1)),-O0,$(if $(filter-out checks/stress,$(2)),-O1)))

# The variants of the measured loops: flags, joined by +, that must not matter and may each make other code of the same
# source; the plain one, of no flags, comes first. What a compiler does not know it does without: its variant is then the
# plain code at another place.
VARIANTS_GCC := plain -falign-loops=64+-DOPERATION_GAP -fno-tree-pre -fno-gcse+-DOPERATION_GAP \
	-fno-schedule-insns2+-DOPERATION_GAP \
	-fno-ivopts+-DOPERATION_GAP -funroll-loops -fno-reorder-blocks+-fno-tree-loop-im+-DOPERATION_GAP
VARIANTS_CLANG := plain -falign-loops=64+-DOPERATION_GAP -mllvm+-enable-pre=false \
	-mllvm+-enable-load-pre=false+-DOPERATION_GAP -mllvm+-disable-post-ra+-DOPERATION_GAP -mllvm+-disable-lsr+-DOPERATION_GAP -funroll-loops \
	-mllvm+-regalloc=basic+-DOPERATION_GAP
VARIANTS := $(if $(shell $(CC) --version 2>/dev/null | grep clang),$(VARIANTS_CLANG),$(VARIANTS_GCC))
variant_words = $(filter-out plain,$(subst +, ,$(1)))
VARIANTS := $(foreach variant,$(VARIANTS),$(if $(call variant_words,$(variant)),$(or $(shell \
	$(CC) -Werror $(call variant_words,$(variant)) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(variant)),plain),plain))
VARIANT_NUMBERS := $(shell seq 0 $$(($(words $(VARIANTS)) - 1)))
# What is optimised when it is linked, by another compiler than this, has no variants but the place of its code.
VARIANTS_CC := $(CC)
varied_by = $(if $(filter $(VARIANTS_CC),$(CC)),$(VARIANT_FLAGS_$(1)),-DCODE_VARIANT=$(1))
# $(1): from 0
variant_flags = $(call variant_words,$(word $(shell expr $(1) + 1),$(VARIANTS))) -DCODE_VARIANT=$(1)

# No warning stops a build, for the next compiler has new ones; tests/run.sh fails on each.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion
COMMON := -std=gnu11 -D_GNU_SOURCE -I. -pthread -g1 $(WARNINGS) -MMD -MP $(CPPFLAGS)
# Under its ThreadSanitizer gcc warns of every fence, where no happens-before here comes from a fence alone; under either
# sanitizer it takes what is set behind an instrumented access for perhaps not set.
GCC_QUIET := -Wno-tsan -Wno-maybe-uninitialized
QUIET := $(shell $(CC) -Werror $(GCC_QUIET) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(GCC_QUIET))
ADDRESS := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DWATCH_GAP=10000000 $(QUIET)
THREAD := -O1 -fno-omit-frame-pointer -fsanitize=thread -DWATCH_GAP=10000000 $(QUIET)
# -ldl: dlsym is there before glibc 2.34
DRIVER_LIBS := -lhwloc -lpthread -lm -ldl
DEQUE_LIBS := -lbenchmark -lhwloc -lpthread -lm -ldl
# $(call found,HEADERS): those of them that the compiler finds.
HASH := \#
found = $(shell for header in $(1); do printf '%s\n' "$(HASH)if __has_include(<$$header>)" "\"$$header\"" '$(HASH)endif'; done | \
	$(CC) -E -P $(CPPFLAGS) - 2>/dev/null | tr -d '"')
# What one file each can do without (__has_include), and the library that belongs to it.
FOUND := $(strip $(call found,valgrind/callgrind.h liburing.h openssl/sha.h xxhash.h))
APPLICATION_LIBS := $(if $(filter liburing.h,$(FOUND)),-luring) $(if $(filter openssl/sha.h,$(FOUND)),-lcrypto)

MEASURING := $(call sources,harness/measuring)
DRIVER := $(filter-out harness/driver/stealbench.c,$(call sources,harness/driver))

# A source that moved still stands in what the compiler wrote of an older tree: no error, but a reason to compile.
%.c: ;
%.cc: ;

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all deques gate_builds tests check check-model lint format clean FORCE

PARTS := deques pool checks pool_checks
parts_of = $(foreach part,$(PARTS),$(1:%=$(BUILD)/$(part)/%))
DEQUES := $(call parts_of,$(DEQUE_IDS))
GATE_BUILDS := $(DEQUE_IDS:%=$(BUILD)/address/%) $(DEQUE_IDS:%=$(BUILD)/thread/%)
all: $(BUILD)/stealbench deques lab $(BUILD)/build.json
deques: $(DEQUES)
gate_builds: $(DEQUE_IDS:%=$(BUILD)/checks/%) $(DEQUE_IDS:%=$(BUILD)/pool_checks/%) $(GATE_BUILDS) lab

# What a processor has to know that runs the executables, by Linux's names; the driver asks before it starts one.
KNOWN_INSTRUCTIONS := SSE4_1:sse4_1 SSE4_2:sse4_2 POPCNT:popcnt LZCNT:abm MOVBE:movbe BMI:bmi1 BMI2:bmi2 FMA:fma AVX:avx \
	AVX2:avx2 AVX512F:avx512f AVX512DQ:avx512dq AVX512BW:avx512bw AVX512VL:avx512vl AVX512CD:avx512cd \
	ARM_FEATURE_ATOMICS:atomics ARM_FEATURE_SVE:sve
USED_INSTRUCTIONS := $(shell $(CC) $(OPTIMISE) -dM -E -x c /dev/null 2>/dev/null | cut -d' ' -f2)
INSTRUCTIONS := $(strip $(foreach pair,$(KNOWN_INSTRUCTIONS),$(if \
	$(filter __$(firstword $(subst :, ,$(pair)))__ __$(firstword $(subst :, ,$(pair))),$(USED_INSTRUCTIONS)),$(lastword $(subst :, ,$(pair))))))

# Functions that do not depend on the deque begin a cache line: no edit of a deque moves an application's loop within its line.
PLACED := -ffunction-sections -falign-functions=64

# What everything was built with: a change of it builds everything anew, and the manifest quotes it.
define BUILD_JSON
{"compiler": "$(CC)", "version": "$(shell $(CC) --version | head -n 1)", "flags": "$(OPTIMISE)", "cppflags": "$(CPPFLAGS)", "cxx": "$(CXX)", "headers": "$(FOUND)", "variants": "$(VARIANTS)", "placed": "$(PLACED)", "instructions": "$(INSTRUCTIONS)"}
endef
$(BUILD)/build.json: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(BUILD_JSON)' | cmp -s - $@ || printf '%s\n' '$(BUILD_JSON)' > $@

# --- what is compiled once. $(1): flavour, $(2): flags
define ONCE
$(BUILD)/obj/$(1)/once/%.o: %.c $(BUILD)/build.json
	@mkdir -p $$(@D)
	$(CC) $(COMMON) $(2) -c $$< -o $$@
endef
objects_once = $(patsubst %.c,$(BUILD)/obj/$(1)/once/%.o,$(2))
# For valgrind 3.19, which knows nothing beyond AVX2; made where a suite has counters=callgrind (--needs of the driver).
SIMULATED := -O3 $(if $(filter x86_64,$(shell uname -m)),-march=x86-64-v3)
$(eval $(call ONCE,harness,-O2))
$(eval $(call ONCE,deques,$(OPTIMISE) $(PLACED)))
$(eval $(call ONCE,simulated,$(SIMULATED)))
$(eval $(call ONCE,address,$(ADDRESS)))
$(eval $(call ONCE,thread,$(THREAD)))

# --- the measuring library and the driver
GBENCH := $(BUILD)/obj/harness/gbench.o
$(GBENCH): harness/measuring/measure/gbench.cc $(BUILD)/build.json
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -I. -O2 -g -Wall -Wextra -MMD -MP $(CPPFLAGS) -c $< -o $@
$(BUILD)/libmeasuring.a: $(call objects_once,harness,$(MEASURING)) $(GBENCH)
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/stealbench: $(call objects_once,harness,harness/driver/stealbench.c $(DRIVER)) $(BUILD)/libmeasuring.a
	$(CC) -o $@ $^ $(LDFLAGS) $(DRIVER_LIBS)

# --- a deque's executables. $(1): the deque's id, $(2): folder of the objects, $(3): flags
define COMPILED
$(BUILD)/obj/$(2)/$(1)/%.o: %.c $(BUILD)/build.json
	@mkdir -p $$(@D)
	$(CC) $(COMMON) $(3) $$(call check_level,$(2),$$*) -DDEQUE_HEADER='"queues/$(1).h"' -DDEQUE_ID='"$(1)"' -c $$< -o $$@
endef
# One variant of the measured loops. $(4): its number, $(5): its flags
define VARIED
$(BUILD)/obj/$(2)/$(1)/variant_$(4)/%.o: %.c $(BUILD)/build.json
	@mkdir -p $$(@D)
	$(CC) $(COMMON) $(3) $(5) -DDEQUE_HEADER='"queues/$(1).h"' -DDEQUE_ID='"$(1)"' -c $$< -o $$@
endef
# $(4): sources compiled for the deque, $(5): objects besides, which come first and so stay where they are when the deque
# changes, $(6): folder of the executable, $(7): what is made before it
define LINKED
$(BUILD)/$(6)/$(1): $(5) $(patsubst %.c,$(BUILD)/obj/$(2)/$(1)/%.o,harness/deque_main.c $(4)) $(BUILD)/libmeasuring.a $(if $(7),| $(7))
	@mkdir -p $$(@D)
	$(CXX) $(3) -o $$@ $$^ $(LDFLAGS) $(APPLICATION_LIBS) $(DEQUE_LIBS)
endef
# One that holds all there is, and the four that are timed and checked. $(4): of all checks that it can be put through, the
# sources, $(5): objects besides. What is timed is never newer than its checks.
define DEQUE
$(call COMPILED,$(1),$(2),$(3))
$(call LINKED,$(1),$(2),$(3),$(4),$(5),$(2))
endef
define TIMED
$(call COMPILED,$(1),deques,$(2))
$(foreach number,$(VARIANT_NUMBERS),$(call VARIED,$(1),deques,$(2),$(number),$(call varied_by,$(number)))
)
$(call LINKED,$(1),deques,$(2),$(OPERATIONS_EACH),$(call variants_of,$(1)) $(OPERATIONS_ONCE) $(4),deques,$(BUILD)/checks/$(1))
$(call LINKED,$(1),deques,$(2),$(POOLED_EACH),$(POOLED_ONCE) $(4),pool,$(BUILD)/checks/$(1))
$(call LINKED,$(1),deques,$(2),$(filter checks/%,$(3)),$(CHECKS_ONCE) $(4),checks)
$(call LINKED,$(1),deques,$(2),$(filter-out checks/%,$(3)),$(POOL_CHECKS_ONCE) $(4),pool_checks)
endef
$(foreach number,$(VARIANT_NUMBERS),$(eval VARIANT_FLAGS_$(number) := $(call variant_flags,$(number))))
OPERATIONS_VARIED := $(call varied,$(OPERATIONS))
variants_of = $(foreach number,$(VARIANT_NUMBERS),$(OPERATIONS_VARIED:%.c=$(BUILD)/obj/deques/$(1)/variant_$(number)/%.o))
OPERATIONS_EACH := $(call each,$(OPERATIONS))
OPERATIONS_ONCE := $(call objects_once,deques,$(call once,$(OPERATIONS)))
POOLED_EACH := $(call each,$(POOLED))
POOLED_ONCE := $(call objects_once,deques,$(call once,$(POOLED)))
CHECKS_ONCE := $(call objects_once,deques,$(filter-out checks/once/pool%,$(call once,checks)))
POOL_CHECKS_ONCE := $(call objects_once,deques,$(call once,$(CHECKED)))
# What is counted has one code of its loops.
WORKLOADS_VARIED := $(call varied,workloads)
SIMULATED_EACH := $(call each,workloads) $(WORKLOADS_VARIED)
SIMULATED_ONCE := $(call once,workloads)
CHECKED_EACH := $(call each,$(CHECKED))
CHECKED_ONCE := $(call once,$(CHECKED))
define DEQUE_FLAVOURS
$(call TIMED,$(1),$(OPTIMISE),$(CHECKED_EACH))
$(call DEQUE,$(1),simulated,$(SIMULATED),$(SIMULATED_EACH),$(call objects_once,simulated,$(SIMULATED_ONCE)))
$(call DEQUE,$(1),address,$(ADDRESS),$(CHECKED_EACH),$(call objects_once,address,$(CHECKED_ONCE)))
$(call DEQUE,$(1),thread,$(THREAD),$(CHECKED_EACH),$(call objects_once,thread,$(CHECKED_ONCE)))
$(call LINKED,$(1),address,$(ADDRESS),$(SIMULATED_EACH),$(call objects_once,address,$(SIMULATED_ONCE) $(MEASURING)),address_workloads)
$(call LINKED,$(1),thread,$(THREAD),$(SIMULATED_EACH),$(call objects_once,thread,$(SIMULATED_ONCE) $(MEASURING)),thread_workloads)
endef
$(foreach id,$(DEQUE_IDS),$(eval $(call DEQUE_FLAVOURS,$(id))))
# The pool's executable in other layouts (docs/measuring.md), made where a plan asks for them (--needs of the driver): what
# depends on the deque by the flags of that variant, and all functions in another order and at other offsets.
# $(1): the deque's id, $(2): number, from 1; beyond the variants they begin again
define LAYOUT
$(call COMPILED,$(1),layout_$(2),$(OPTIMISE) $(firstword $(PLACED)) $(call varied_by,$(shell expr $(2) % $(words $(VARIANTS)))))
$(BUILD)/pool_layouts/$(2)/$(1): $(POOLED_ONCE) $(patsubst %.c,$(BUILD)/obj/layout_$(2)/$(1)/%.o,harness/deque_main.c $(POOLED_EACH)) \
		$(BUILD)/libmeasuring.a setup/layout.sh $(BUILD)/pool/$(1)
	@mkdir -p $$(@D) $(BUILD)/obj/layout_$(2)/$(1)
	setup/layout.sh $(2) $$(filter %.o,$$^) > $(BUILD)/obj/layout_$(2)/$(1)/layout.ld
	$(CXX) $(OPTIMISE) -o $$@ -Wl,-T,$(BUILD)/obj/layout_$(2)/$(1)/layout.ld $$(filter %.o %.a,$$^) $(LDFLAGS) $(APPLICATION_LIBS) $(DEQUE_LIBS)
endef
LAYOUTS_ASKED := $(patsubst $(BUILD)/pool_layouts/%,%,$(filter $(BUILD)/pool_layouts/%,$(MAKECMDGOALS)))
$(foreach asked,$(LAYOUTS_ASKED),$(eval $(call LAYOUT,$(shell echo $(asked) | cut -d/ -f2-),$(shell echo $(asked) | cut -d/ -f1))))

# --- other people's deques, where they are installed
include queues/upstream/upstream.mk

# --- the workload contention with items of 4 bytes, of the deques that can carry them: the others are intrusive, or do
# not compile so, and their cells with item=4 are unsupported
INTRUSIVE := $(shell grep -l '^.define DEQUE_NATIVE.*DEQUE_LISTS' $(DEQUE_HEADERS))
INTRUSIVE += $(if $(INTRUSIVE),$(shell grep -l $(foreach header,$(INTRUSIVE),-e '^.include "$(notdir $(header))"') $(DEQUE_HEADERS)))
ITEMS4_IDS := $(filter-out $(patsubst queues/%.h,%,$(INTRUSIVE)),$(DEQUE_IDS))
ITEMS4_FLAGS := -DDEQUE_ITEM=uint32_t -DDEQUE_VARIANT='"item=4"'
define ITEMS4
$(foreach number,$(VARIANT_NUMBERS),$(call VARIED,$(1),items4,$(OPTIMISE) $(ITEMS4_FLAGS),$(number),$(call varied_by,$(number)))
)
$(call DEQUE,$(1),items4,$(OPTIMISE) $(ITEMS4_FLAGS),$(call each,workloads/contention),$(call objects_once,deques,$(call once,\
	workloads/contention)) $(foreach number,$(VARIANT_NUMBERS),$(patsubst %.c,$(BUILD)/obj/items4/$(1)/variant_$(number)/%.o,\
	$(call varied,workloads/contention))))
endef
$(foreach id,$(ITEMS4_IDS),$(eval $(call ITEMS4,$(id))))
# Built on demand, but found by the driver as the others are: those that are there are kept as new as these.
all: $(wildcard $(ITEMS4_IDS:%=$(BUILD)/items4/%))
.PHONY: items4
items4:
	@$(MAKE) --no-print-directory -k $(ITEMS4_IDS:%=$(BUILD)/items4/%) || true
	@for id in $(ITEMS4_IDS); do [ -x $(BUILD)/items4/$$id ] || \
		echo "$$id: not with items of 4 bytes, see above; its cells with item=4 are unsupported"; done

# --- the suite measures itself (harness/trust/): deques with a planted delay, Chase-Lev at eight places in a cache line, and
# loops written by hand that answer to the same names. $(1): name, $(2): header, $(3): flags, $(4): sources; where these are
# the suite's, its measured loops with them in all variants, so that what is planted is in each.
TRUST_SHIFTS := 0 8 16 24 32 40 48 56
TRUST_STEPS := 5 20 100 1000
TRUST := empty chase_lev $(TRUST_STEPS:%=planted_%) $(TRUST_STEPS:%=by_hand_%) \
	$(TRUST_SHIFTS:%=chase_lev_shift_%) $(TRUST_SHIFTS:%=by_hand_chase_lev_shift_%)
TRUST_ONCE := $(call objects_once,deques,$(call once,workloads/contention) checks/once/verdict.c)
define TRUST_EXECUTABLE
$(BUILD)/trust/$(1): harness/deque_main.c $(4) $(call varied_beside,$(4)) $(wildcard harness/trust/*.h) $(TRUST_ONCE) $(BUILD)/libmeasuring.a $(BUILD)/build.json
	@mkdir -p $$(@D) $(BUILD)/obj/trust
	for source in harness/deque_main.c $(4); do $(CC) $(COMMON) $(OPTIMISE) $(3) -DDEQUE_HEADER='"$(2)"' \
		-DDEQUE_ID='"$(1)"' -c $$$$source -o $(BUILD)/obj/trust/$(1)-$$$$(basename $$$$source .c).o || exit 1; done
	$(foreach source,$(call varied_beside,$(4)),$(foreach number,$(VARIANT_NUMBERS),$(CC) $(COMMON) $(OPTIMISE) $(3) \
		$(VARIANT_FLAGS_$(number)) -DDEQUE_HEADER='"$(2)"' -c $(source) -o $(call loops_of,trust/$(1),$(source),$(number)) &&)) true
	$(CXX) -o $$@ $(addprefix $(BUILD)/obj/trust/$(1)-,$(patsubst %.c,%.o,$(notdir harness/deque_main.c $(4)))) \
		$(call loops_of,trust/$(1),$(call varied_beside,$(4)),$(VARIANT_NUMBERS)) \
		$(TRUST_ONCE) $(BUILD)/libmeasuring.a $(LDFLAGS) $(DEQUE_LIBS)
endef
SUITE_SOURCES := workloads/latency/push.c workloads/latency/pop.c
# The measured loops that belong to these sources, and their objects. $(1): folder and name, $(2): sources, $(3): numbers
varied_beside = $(filter $(addsuffix variants/%,$(sort $(dir $(filter workloads/%,$(1))))),$(WORKLOADS_VARIED))
loops_of = $(foreach source,$(2),$(foreach number,$(3),$(BUILD)/obj/$(1)-$(basename $(notdir $(source)))_$(number).o))
STAMPED_SOURCES := $(SUITE_SOURCES) $(call each,checks)
$(eval $(call TRUST_EXECUTABLE,empty,queues/empty.h,,$(SUITE_SOURCES) workloads/contention/contention.c))
$(eval $(call TRUST_EXECUTABLE,chase_lev,queues/chase_lev.h,,$(STAMPED_SOURCES) workloads/contention/contention.c))
$(foreach steps,$(TRUST_STEPS),\
	$(eval $(call TRUST_EXECUTABLE,planted_$(steps),harness/trust/planted.h,-DPLANTED_STEPS=$(steps),$(SUITE_SOURCES))) \
	$(eval $(call TRUST_EXECUTABLE,by_hand_$(steps),harness/trust/planted.h,-DPLANTED_STEPS=$(steps),harness/trust/handwritten_chain.c)))
$(foreach shift,$(TRUST_SHIFTS),\
	$(eval $(call TRUST_EXECUTABLE,chase_lev_shift_$(shift),queues/chase_lev.h,-DMEASURED_SHIFT=$(shift),$(STAMPED_SOURCES))) \
	$(eval $(call TRUST_EXECUTABLE,by_hand_chase_lev_shift_$(shift),queues/empty.h,-DMEASURED_SHIFT=$(shift),\
		harness/trust/handwritten_chase_lev.c)))
.PHONY: trust trust_kinds
trust: $(TRUST:%=$(BUILD)/trust/%) $(BUILD)/stealbench
# One of each kind, for the tests.
trust_kinds: $(patsubst %,$(BUILD)/trust/%,empty planted_20 by_hand_20 chase_lev_shift_0 by_hand_chase_lev_shift_0)

# --- other runtimes on the same work: one executable each below build/runtimes, built where what it needs is found
RUNTIMES := $(patsubst runtimes/%,%,$(wildcard runtimes/*.cc runtimes/*.c))
# What they work on is made by the same code as for ours.
RUNTIME_INPUTS = $(call objects_once,deques,runtimes/walk/walking.c) $(BUILD)/libapplications.a
RUNTIME_COMES_WITH_onetbb := Debian: libtbb-dev
RUNTIME_NEEDS_onetbb := oneapi/tbb/task_group.h
RUNTIME_LIBS_onetbb := -ltbb
RUNTIME_COMES_WITH_openmp := the OpenMP of the C++ compiler
RUNTIME_NEEDS_openmp := omp.h
RUNTIME_LIBS_openmp := -fopenmp
RUNTIME_FLAGS_openmp := -fopenmp
# LLVM's runtime under the same compiler's code, where it is installed.
LIBOMP = $(firstword $(wildcard $(shell $(CXX) -print-file-name=libomp.so) /usr/lib/llvm-*/lib/libomp.so))
RUNTIME_COMES_WITH_openmp_llvm := Debian: libomp-dev
RUNTIME_NEEDS_openmp_llvm = $(if $(LIBOMP),omp.h,libomp.so)
RUNTIME_LIBS_openmp_llvm = $(LIBOMP) -Wl,-rpath,$(dir $(LIBOMP))
RUNTIME_FLAGS_openmp_llvm := -fopenmp
RUNTIME_COMES_WITH_taskflow := its headers, CPPFLAGS=-I...
RUNTIME_NEEDS_taskflow := taskflow/taskflow.hpp
RUNTIME_COMES_WITH_programs := a C library with posix_spawn
RUNTIME_NEEDS_programs := spawn.h
RUNTIME_COMES_WITH_lace_runtime := its header and library, CPPFLAGS=-I... LDFLAGS=-L...
RUNTIME_NEEDS_lace_runtime := lace.h
RUNTIME_LIBS_lace_runtime := -llace
# Where it was installed, a file beside the header tells what no header does.
LACE_VERSION = $(shell sed -n 's/^Version: *//p' \
	$(wildcard $(patsubst -I%,%/../lib/pkgconfig/lace.pc,$(filter -I%,$(CPPFLAGS)))) /dev/null)
RUNTIME_FLAGS_lace_runtime = $(if $(LACE_VERSION),-DLACE_VERSION='"$(LACE_VERSION)"')
# Where the other half is of another language, RUNTIME_HALF_... is what its compiler makes of it, an archive for C or classes,
# and RUNTIME_HERE_... says that what it needs is here. All of it is offline.
# Rayon, by the cargo and rustc that belong to its sources: Debian's, or what `cargo vendor` put into RAYON_REGISTRY.
RAYON_REGISTRY ?= /usr/share/cargo/registry
CARGO ?= $(firstword $(wildcard /usr/bin/cargo) $(shell command -v cargo 2>/dev/null))
RAYON_FOLDER = $(firstword $(wildcard $(RAYON_REGISTRY)/rayon-[0-9]*/Cargo.toml $(RAYON_REGISTRY)/rayon/Cargo.toml))
RUNTIME_COMES_WITH_rayon := Debian: librust-rayon-dev cargo rustc
RUNTIME_HERE_rayon = $(and $(CARGO),$(wildcard $(dir $(CARGO))rustc),$(RAYON_FOLDER))
RUNTIME_HALF_rayon := $(BUILD)/obj/runtimes/rayon/libforeign_rayon.a
RUNTIME_LIBS_rayon := $(RUNTIME_HALF_rayon) -ldl
RUNTIME_FLAGS_rayon = -DRAYON_VERSION='"$(shell sed -n 's/^version = "\(.*\)"/\1/p' $(RAYON_FOLDER) | head -n 1)"'
$(RUNTIME_HALF_rayon): $(wildcard runtimes/rayon/Cargo.toml runtimes/rayon/src/*.rs) $(BUILD)/build.json
	@mkdir -p $(@D)
	@cp -r runtimes/rayon/. $(@D)
	cd $(@D) && RUSTC=$(dir $(CARGO))rustc RUSTFLAGS='$(patsubst -march=%,-C target-cpu=%,$(filter -march=%,$(OPTIMISE)))' \
		$(CARGO) build --quiet --release --offline --target-dir target --config 'source.crates-io.replace-with="here"' \
		--config 'source.here.directory="$(RAYON_REGISTRY)"'
	@cp $(@D)/target/release/libforeign_rayon.a $@
# Go, by its own library alone.
GO ?= $(shell command -v go 2>/dev/null)
RUNTIME_COMES_WITH_goroutines := Debian: golang-go
RUNTIME_HERE_goroutines = $(GO)
RUNTIME_HALF_goroutines := $(BUILD)/obj/runtimes/goroutines.a
RUNTIME_LIBS_goroutines := $(RUNTIME_HALF_goroutines)
RUNTIME_FLAGS_goroutines = -DGO_VERSION='"$(patsubst go%,%,$(shell $(GO) env GOVERSION))"'
$(RUNTIME_HALF_goroutines): $(wildcard runtimes/goroutines/*) $(BUILD)/build.json
	@mkdir -p $(@D)
	cd runtimes/goroutines && CC='$(CC)' CGO_ENABLED=1 GO111MODULE=on GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local \
		GOCACHE='$(abspath $(BUILD))/obj/runtimes/go_cache' $(GO) build -buildmode=c-archive -o '$(abspath $@)' .
# Java: the folder of a JDK, with its compiler, jni.h and the virtual machine as a library.
JAVA_FOLDER = $(or $(JAVA_HOME),$(patsubst %/bin/javac,%,$(realpath $(shell command -v javac 2>/dev/null))))
RUNTIME_COMES_WITH_forkjoinpool := Debian: default-jdk-headless
RUNTIME_HERE_forkjoinpool = $(and $(wildcard $(JAVA_FOLDER)/bin/javac),$(wildcard $(JAVA_FOLDER)/include/jni.h),\
	$(wildcard $(JAVA_FOLDER)/lib/server/libjvm.so))
RUNTIME_HALF_forkjoinpool := $(BUILD)/java/ForkJoin.class
RUNTIME_LIBS_forkjoinpool = -L$(JAVA_FOLDER)/lib/server -ljvm -Wl,-rpath,$(JAVA_FOLDER)/lib/server
RUNTIME_FLAGS_forkjoinpool = -isystem $(JAVA_FOLDER)/include -isystem $(JAVA_FOLDER)/include/linux -DJAVA_FOLDER='"$(JAVA_FOLDER)"'
$(RUNTIME_HALF_forkjoinpool): $(wildcard runtimes/forkjoinpool/*.java) $(BUILD)/build.json
	@mkdir -p $(@D)
	$(JAVA_FOLDER)/bin/javac -Xlint:all -d $(@D) $(filter %.java,$^)
	@touch $@
# Headers of others are not held to our warnings.
define RUNTIME_EXECUTABLE
$(BUILD)/runtimes/$(basename $(1)): runtimes/$(1) $(wildcard runtimes/*.h runtimes/walk/*.h runtimes/openmp.cc) $(RUNTIME_HALF_$(basename $(1))) harness/deque_main.c $(RUNTIME_INPUTS) $(BUILD)/libmeasuring.a $(BUILD)/build.json
	@mkdir -p $$(@D) $(BUILD)/obj/runtimes
	$(CC) $(COMMON) $(OPTIMISE) -DDEQUE_HEADER='"queues/empty.h"' -DDEQUE_ID='"$(basename $(1))"' \
		-include runtimes/title.h -DDEQUE_TITLE='runtime_title()' -c harness/deque_main.c \
		-o $(BUILD)/obj/runtimes/$(basename $(1))-main.o
	$(if $(filter %.cc,$(1)),$(CXX) -std=c++20,$(CC) -std=gnu11) -D_GNU_SOURCE -I. -pthread -g1 $(OPTIMISE) \
		$(WARNINGS) $$(RUNTIME_FLAGS_$(basename $(1))) $(patsubst -I%,-isystem %,$(CPPFLAGS)) -c $$< \
		-o $(BUILD)/obj/runtimes/$(basename $(1)).o
	$(CXX) -o $$@ $(BUILD)/obj/runtimes/$(basename $(1))-main.o $(BUILD)/obj/runtimes/$(basename $(1)).o \
		$(RUNTIME_INPUTS) $(BUILD)/libmeasuring.a $(LDFLAGS) $$(RUNTIME_LIBS_$(basename $(1))) $(APPLICATION_LIBS) $(DEQUE_LIBS)
endef
$(foreach runtime,$(RUNTIMES),$(eval $(call RUNTIME_EXECUTABLE,$(runtime))))
# Looked for only when asked for: one executable for each whose needs are there, a line for each of the others.
.PHONY: runtimes
ifneq ($(filter runtimes,$(MAKECMDGOALS)),)
runtime_is_here = $(if $(RUNTIME_NEEDS_$(1)),$(call found,$(RUNTIME_NEEDS_$(1))),$(RUNTIME_HERE_$(1)))
RUNTIMES_HERE := $(foreach runtime,$(RUNTIMES),$(if $(strip $(call runtime_is_here,$(basename $(runtime)))),$(runtime)))
endif
runtimes: $(patsubst %,$(BUILD)/runtimes/%,$(basename $(RUNTIMES_HERE))) $(BUILD)/stealbench
	@$(foreach absent,$(filter-out $(RUNTIMES_HERE),$(RUNTIMES)),rm -f $(BUILD)/runtimes/$(basename $(absent)); \
		echo "runtimes/$(absent): left out, what it needs is not found: $(RUNTIME_COMES_WITH_$(basename $(absent))) (runtimes/README.md)";) true

# --- the lab: a deque under our own scheduler
include lab/lab.mk

# --- unit tests: one executable a file of tests/harness, linked with the library and the driver without its main
UNITS := $(patsubst tests/harness/%.c,$(BUILD)/tests/%,$(wildcard tests/harness/*_test.c))
tests: $(UNITS)
# A scripted libpapi, which counters_test loads; counters_papi_test corrects the real one by a function of its own.
$(BUILD)/tests/counters_test: | $(BUILD)/tests/papi_stand_in.so
$(BUILD)/tests/papi_stand_in.so: tests/harness/papi_stand_in.c tests/harness/papi_stand_in.h $(BUILD)/build.json
	@mkdir -p $(@D)
	$(CC) $(COMMON) -O1 -fPIC -shared $< -o $@
$(BUILD)/tests/counters_papi_test: LDFLAGS += -rdynamic
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(call objects_once,harness,$(DRIVER) $(call once,workloads/contention)) \
		$(BUILD)/libmeasuring.a
	@mkdir -p $(@D)
	$(CXX) $(LDFLAGS) -o $@ $^ -lcmocka $(DEQUE_LIBS)
$(BUILD)/obj/tests/%.o: tests/harness/%.c $(BUILD)/build.json
	@mkdir -p $(@D)
	$(CC) $(COMMON) -O1 -c $< -o $@
# The same for what applications are made of: a file of tests/workloads, and the objects that it asks for.
APPLICATION_UNITS := $(patsubst tests/workloads/%.c,$(BUILD)/tests/%,$(wildcard tests/workloads/*_test.c))
tests: $(APPLICATION_UNITS)
$(BUILD)/libapplications.a: $(call objects_once,deques,$(call once,workloads/applications))
	@rm -f $@
	ar rcs $@ $^
$(APPLICATION_UNITS): $(BUILD)/tests/%: $(BUILD)/obj/tests/workloads/%.o $(BUILD)/libapplications.a $(BUILD)/libmeasuring.a
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ $(LDFLAGS) -lcmocka $(APPLICATION_LIBS) $(DEQUE_LIBS)
$(BUILD)/obj/tests/workloads/%.o: tests/workloads/%.c $(BUILD)/build.json
	@mkdir -p $(@D)
	$(CC) $(COMMON) -O1 -c $< -o $@

# --- a deque whose answers and times are known beforehand, in virtual time, with all workloads: what every metric has to
# say of it stands in tests/scripted/due_test.py
SCRIPTED_WRAPPED := clock_gettime getrusage sched_yield syscall pthread_join
$(eval $(call DEQUE,scripted,scripted,-O1 -Itests/scripted -DCODE_VARIANT=0 $(SCRIPTED_WRAPPED:%=-Wl$(comma)--wrap=%),$(SIMULATED_EACH) tests/scripted/machine.c,\
	$(call objects_once,deques,$(SIMULATED_ONCE))))
tests: $(BUILD)/scripted/scripted

# --- what looks in a guest with two sockets whether threads and memory are where they were asked to be (tests/numa.sh): the
# pool over one deque, with the check's way of opening it
$(BUILD)/obj/placed.o: tests/numa/placed.c $(BUILD)/build.json
	@mkdir -p $(@D)
	$(CC) $(COMMON) -O1 -DDEQUE_HEADER='"queues/chase_lev.h"' -c $< -o $@
$(BUILD)/placed: $(BUILD)/obj/placed.o $(BUILD)/obj/deques/chase_lev/workloads/pool/pool.o $(POOL_CHECKS_ONCE) $(BUILD)/libmeasuring.a
	$(CXX) -o $@ $^ $(LDFLAGS) $(DEQUE_LIBS)

# --- what is compiled, without linking: tests/compilers.sh tries it with every compiler that is there. The first is the
# deques' with what they are linked with, the second where all operations of a deque are and the pool over it, the third their
# checks and what does not know them.
.PHONY: objects objects_few objects_besides
deque_objects = $(foreach id,$(DEQUE_IDS),$(patsubst %.c,$(BUILD)/obj/deques/$(id)/%.o,$(1)))
objects: $(call deque_objects,harness/deque_main.c $(call each,workloads)) $(call objects_once,deques,$(call once,workloads checks))
objects_few: $(call deque_objects,checks/conformance.c workloads/pool/pool.c)
objects_besides: $(call deque_objects,$(call each,checks)) $(call objects_once,harness,$(MEASURING) $(DRIVER)) \
	$(patsubst $(BUILD)/tests/%,$(BUILD)/obj/tests/%.o,$(UNITS)) \
	$(patsubst tests/%.c,$(BUILD)/obj/tests/%.o,$(wildcard tests/workloads/*_test.c)) $(LAB_OBJECTS)

# --- does the gate catch mistakes? Every mutant of every sound deque through all checks until one kills it; goes on where it was.
.PHONY: mutants mutants_runtime
MUTANTS_OPTIONS ?=
mutants_runtime: $(LAB_OBJECTS)
mutants:
	tests/mutants/run.py $(DEQUES_NAMED) $(MUTANTS_OPTIONS)

.PHONY: catalogue
catalogue: lab
	tests/catalogue_test.py --rewrite

check:
	tests/run.sh
.PHONY: check-aarch64
check-aarch64:
	tests/aarch64.sh
.PHONY: check-numa
check-numa:
	tests/numa.sh
check-model:
	tests/model/run.sh
	tests/planted_faults/run.py "model "
lint:
	tests/run.sh lint
format:
	tests/lint.sh --format

clean:
	rm -rf $(BUILD)
.PHONY: install help
install:
	setup/install.sh
help:
	@sed -n '/^#   make/,/^#$$/s/^# \{0,3\}//p' Makefile

# Objects are kept, so that a second make has nothing to do.
.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
