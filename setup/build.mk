# build.mk: how what is built is built. Included by the Makefile.
#
# One rule compiles (the first below), and each kind of executable is one rule that lists what it is linked of. An object's
# path says how it is compiled:
#
#   build/obj/FLAVOUR/WHOSE/+VARIANT/SOURCE.o     WHOSE: the deque that it is compiled for, or once
#   build/obj/timed/chase_lev/+3/workloads/latency/variants/loops.o
#
# A deque is found by looking: queues/*.h (but the contract) and queues/as_published/*.h each become executables of their
# own. Nothing lists them. Sources are found by folder, and one rule holds: below
# deque_independent/ and workloads/applications/ a file is compiled once, below variants/ for each deque in several variants of
# code, elsewhere for each deque.
#
# Why make and not Meson with Ninja: tried with 43 deques of 20 targets each, `meson setup` takes 2.7 s of the processor, again
# for each deque that is added (it has no way to look for sources) and for each set of flags; this file is read in 0.2 s when
# one deque is asked for and in 0.5 s for all. There a target has no folder in its name either, and ids do.

ifeq ($(origin CC),default)
CC := gcc
endif
# With another C compiler the C++ compiler of the same make, where it is there: what one of them instruments, the other links.
ifeq ($(origin CXX),default)
CXX := $(shell like='$(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)),$(subst gcc,g++,$(CC)))'; \
	command -v "$$like" >/dev/null && echo "$$like" || echo g++)
endif
OPTIMISE ?= -O3 -march=native
# What the compiler knows and which libraries there are; other flags than before put aside what was made with those.
# $(1): a command, which gets these variables, whatever they hold, in its environment
QUOTE := '
with_flags = $(foreach name,CC CXX OPTIMISE CPPFLAGS LDFLAGS PREFIX BUILD,$(name)='$(subst $(QUOTE),'\'',$($(name)))') $(1)
FLAGS_FILE := $(shell $(call with_flags,setup/flags.sh $(BUILD)))
$(if $(FLAGS_FILE),,$(error setup/flags.sh failed))
include $(FLAGS_FILE)

comma := ,
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:
# Objects are kept, so that a second make has nothing to do.
.SECONDARY:
.SECONDEXPANSION:

SOURCES := $(sort $(shell find -L harness proof queues tests trust workloads -name '*.c' -o -name '*.cc' 2>/dev/null))
ONCE := $(foreach source,$(SOURCES),$(if $(findstring /deque_independent/,$(source)),$(source))) $(filter workloads/applications/%,$(SOURCES))
VARIED := $(foreach source,$(SOURCES),$(if $(findstring /variants/,$(source)),$(source)))
below = $(filter $(1:%=%/%),$(SOURCES))
DEQUE_HEADERS := $(filter-out queues/deque.h,$(wildcard queues/*.h)) $(wildcard queues/as_published/*.h)
DEQUE_IDS := $(patsubst queues/%.h,%,$(DEQUE_HEADERS))
# Those named on the command line (DEQUE_IDS=...) may be other people's, which queues/upstream/upstream.mk builds.
DEQUES_NAMED := $(if $(filter command,$(origin DEQUE_IDS)),$(DEQUE_IDS))
override DEQUE_IDS := $(filter-out upstream/%,$(DEQUE_IDS))

# --- an object. $(1): flavour, $(2): whose, $(3): variant, $(4): source
# No warning stops a build, for the next compiler has new ones; tests/run.sh fails on each.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion
COMMON := -D_GNU_SOURCE -I. -pthread $(WARNINGS) -MMD -MP
FLAGS_harness := -O2 -g1
FLAGS_driver := -O1 -g1
FLAGS_timed := $(OPTIMISE) -g1
FLAGS_items4 := $(FLAGS_timed) -DDEQUE_ITEM=uint32_t -DDEQUE_VARIANT='"item=4"'
# For valgrind 3.19, which knows nothing beyond AVX2; made where a suite has counters=callgrind.
FLAGS_simulated := -O3 $(if $(filter x86_64,$(shell uname -m)),-march=x86-64-v3) -g1
FLAGS_address := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DWATCH_GAP=10000000 $(QUIET)
FLAGS_thread := -O1 -g1 -fno-omit-frame-pointer -fsanitize=thread -DWATCH_GAP=10000000 $(QUIET)
FLAGS_described := -O0
FLAGS_tests := -O1 -g1
# Functions that do not depend on the deque begin a cache line: no edit of a deque moves an application's loop within its line.
placed = $(if $(filter timed/once,$(1)/$(2)),$(PLACED))
# The checks take as long to compile as all else: stress as the deque is timed, others in half the time, and under a
# sanitizer, which looks at each access of the source, in a third.
check_level = $(if $(filter proof/checks/%,$(4)),$(if $(filter address thread,$(1)),-O0,$(if $(filter-out proof/checks/stress.c,$(4)),-O1)))
# The measured loops exist in several variants of code, numbered from 0, the plain one. What is optimised when it is linked,
# by another compiler than this, has none but the place of its code.
VARIANT_NUMBERS := $(shell seq 0 $$(($(words $(VARIANTS)) - 1)))
# Layouts of more numbers than there are variants begin again.
AGAIN := $(VARIANTS) $(VARIANTS) $(VARIANTS) $(VARIANTS)
variant = $(word $(words one $(wordlist 1,$(3),$(AGAIN))),$(AGAIN))
variant_flags = $(if $(filter $(VARIED),$(4))$(filter layout,$(1)),$(if $(upstream_rust),,$(filter-out plain,$(subst +, ,$(variant)))) -DCODE_VARIANT=$(3))
# A deque is a header of its name below queues/; what the suite tries itself with says which, and its flags.
for_deque = $(if $(filter-out once,$(2)),-DDEQUE_HEADER='"$(or $(HEADER_$(1)),queues/$(2).h)"' -DDEQUE_ID='"$(2)"')
# Other people's headers are not held to our warnings.
others = $(if $(filter %.cc,$(4))$(filter runtimes,$(1)),$(patsubst -I%,-isystem %,$(CPPFLAGS)),$(CPPFLAGS))
compiler = $(if $(filter %.cc,$(4)),$(CXX) -std=c++20,$(if $(upstream_rust),$(UPSTREAM_CLANG),$(CC)) -std=gnu11)
compile = $(compiler) $(COMMON) $(others) $(FLAGS_$(1)) $(placed) $(upstream_flags) $(trust_flags) $(runtime_flags) \
	$(check_level) $(variant_flags) $(for_deque)

# What a path says, and the function $(1) called with it. $(2): FLAVOUR/WHOSE/+VARIANT/SOURCE
flavour_in = $(firstword $(subst /, ,$(1)))
whose_in = $(patsubst $(flavour_in)/%,%,$(firstword $(subst /+, ,$(1))))
variant_in = $(firstword $(subst /, ,$(lastword $(subst /+, ,$(1)))))
source_in = $(filter $(patsubst $(variant_in)/%,%.c,$(lastword $(subst /+, ,$(1)))) $(patsubst $(variant_in)/%,%.cc,$(lastword $(subst /+, ,$(1)))),$(SOURCES))
with = $(call $(1),$(call flavour_in,$(2)),$(call whose_in,$(2)),$(call variant_in,$(2)),$(call source_in,$(2)))
# The headers that an object was compiled with, as its compiler wrote them: read only of those that this make looks at. One
# whose path has a blank is not looked at.
included_by = $(call headers_in,$(subst \ ,\\,$(file <$(1:.o=.d))))
headers_in = $(foreach word,$(sort $(filter %.h,$(1))),$(if $(findstring \,$(word)),,$(word)))
# One that is gone is no error, but a reason to compile.
%.h: ;

$(BUILD)/obj/%.o: $$(call source_in,$$*) $$(call included_by,$$@)
	@mkdir -p $(@D)
	$(call with,compile,$*) -c $< -o $@

# --- what is linked. $(1): flavour, $(2): whose, $(3): sources
# -ldl: dlsym is there before glibc 2.34
DRIVER_LIBS := -lhwloc -lpthread -lm -ldl
DEQUE_LIBS := -lbenchmark -lhwloc -lpthread -lm -ldl
APPLICATION_LIBS := $(if $(filter liburing.h,$(FOUND)),-luring) $(if $(filter openssl/sha.h,$(FOUND)),-lcrypto)
objects = $(patsubst %,$(BUILD)/obj/$(1)/$(2)/+$(3)/%.o,$(basename $(4)))
objects_once = $(call objects,$(or $(ONCE_OF_$(1)),$(1)),once,0,$(filter $(ONCE),$(2)))
# Google Benchmark, for the published method, is no part of the driver.
MEASURING_LIBRARY = $(BUILD)/libmeasuring.a $(call objects,harness,once,0,$(filter %.cc,$(MEASURING)))
# Sources as each folder says; of the measured loops all variants, but where nothing is timed.
ONCE_OF_items4 := timed
NUMBERS_simulated := 0
NUMBERS_address := 0
NUMBERS_thread := 0
# What does not depend on the deque comes first and so stays where it is when the deque changes.
made_of = $(call objects_once,$(1),$(3)) \
	$(foreach number,$(or $(NUMBERS_$(1)),$(VARIANT_NUMBERS)),$(call objects,$(1),$(2),$(number),$(filter $(VARIED),$(3)))) \
	$(call objects,$(1),$(2),0,harness/deque_main.c $(each)) $(upstream_objects) $(MEASURING_LIBRARY)
each = $(filter-out $(ONCE) $(VARIED) $(call upstream_without,$(2)),$(3))
link = @mkdir -p $(@D)
link += && $(if $(upstream_rust),$(subst clang,clang++,$(UPSTREAM_CLANG)),$(CXX)) $(FLAGS_$(1)) $(upstream_flags) -o $@ $^ \
	$(LDFLAGS) $(APPLICATION_LIBS) $(DEQUE_LIBS)
archive = @rm -f $@
archive += && ar rcs $@ $^

MEASURING := $(call below,harness/measuring)
DRIVER := $(filter-out harness/driver/stealbench.c,$(call below,harness/driver))
DRIVER_OBJECTS := $(call objects,driver,once,0,$(DRIVER))
$(BUILD)/libmeasuring.a: $(call objects,harness,once,0,$(filter %.c,$(MEASURING)))
	$(archive)
$(BUILD)/stealbench: $(call objects,driver,once,0,harness/driver/stealbench.c) $(DRIVER_OBJECTS) $(BUILD)/libmeasuring.a
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS) $(DRIVER_LIBS)

# --- a deque's executables. Each holds only what its cells depend on, for its bytes are their identity: an edit of an
# application leaves the cells of push as they were, and one of a check those of both. The checks of the pool need the
# pool, and no deque is timed by them. Under sanitizers one executable has all checks.
OPERATIONS := $(call below,workloads/latency workloads/contention)
POOLED := $(call below,workloads/forks workloads/pool workloads/applications)
POOL_CHECKS := $(filter proof/checks/deque_independent/pool%,$(SOURCES))
CHECKS := $(filter-out $(POOL_CHECKS),$(call below,proof/checks))
POOL_CHECKS += $(filter proof/checks/deque_independent/verdict.c,$(CHECKS)) $(call below,workloads/pool)
CHECKED := $(sort $(CHECKS) $(POOL_CHECKS))
WORKLOADS := $(filter-out workloads/runtimes/%,$(call below,workloads))
CONTENTION := $(call below,workloads/contention)
# What is timed is never newer than its checks.
$(BUILD)/deques/%: $$(call made_of,timed,$$*,$(OPERATIONS)) | $(BUILD)/checks/%
	$(call link,timed,$*)
$(BUILD)/pool/%: $$(call made_of,timed,$$*,$(POOLED)) | $(BUILD)/checks/%
	$(call link,timed,$*)
$(BUILD)/checks/%: $$(call made_of,timed,$$*,$(CHECKS))
	$(call link,timed,$*)
$(BUILD)/pool_checks/%: $$(call made_of,timed,$$*,$(POOL_CHECKS))
	$(call link,timed,$*)
$(BUILD)/items4/%: $$(call made_of,items4,$$*,$(CONTENTION))
	$(call link,items4,$*)
$(BUILD)/simulated/%: $$(call made_of,simulated,$$*,$(WORKLOADS))
	$(call link,simulated,$*)
$(BUILD)/address/%: $$(call made_of,address,$$*,$(CHECKED))
	$(call link,address,$*)
$(BUILD)/thread/%: $$(call made_of,thread,$$*,$(CHECKED))
	$(call link,thread,$*)
# The pool's executable in other layouts (docs/measuring.md), NUMBER/ID, made where a plan asks for them: what depends on the
# deque by the flags of that variant, and all functions in another order and at other offsets.
FLAGS_layout := $(FLAGS_timed) $(firstword $(PLACED))
ONCE_OF_layout := timed
layout_number = $(firstword $(subst /, ,$(1)))
layout_whose = $(patsubst $(layout_number)/%,%,$(1))
layout_objects = $(call objects_once,timed,$(POOLED)) $(call objects,layout,$(layout_whose),$(layout_number),\
	harness/deque_main.c $(filter-out $(ONCE),$(POOLED)))
$(BUILD)/pool_layouts/%: $$(call layout_objects,$$*) $(MEASURING_LIBRARY) setup/layout.sh $$(BUILD)/pool/$$(call layout_whose,$$*)
	@mkdir -p $(@D) $(BUILD)/obj/layout/scripts/$(@D)
	setup/layout.sh $(call layout_number,$*) $(call layout_objects,$*) > $(BUILD)/obj/layout/scripts/$@.ld
	$(CXX) $(FLAGS_layout) -o $@ -Wl,-T,$(BUILD)/obj/layout/scripts/$@.ld $(call layout_objects,$*) $(MEASURING_LIBRARY) \
		$(LDFLAGS) $(APPLICATION_LIBS) $(DEQUE_LIBS)
# Every workload and what measures it, under sanitizers.
measured = $(call objects,$(1),once,0,$(filter %.c,$(MEASURING)))
$(BUILD)/address_workloads/%: $(call measured,address) $$(call made_of,address,$$*,$(WORKLOADS))
	$(call link,address,$*)
$(BUILD)/thread_workloads/%: $(call measured,thread) $$(call made_of,thread,$$*,$(WORKLOADS))
	$(call link,thread,$*)

# --- what these will say of themselves (--describe), without building them: each deque's traits, and the tables of the
# workloads, which are the same for all. The driver lists and plans by it.
DESCRIBE := $(call objects,harness,once,0,harness/measuring/cell/describe.c harness/measuring/cell/parameters.c)
# $(1): sources, of which those count that register a workload or have a table
tables_of = $(call tables_among,$(shell grep -lE 'REGISTER_WORKLOAD|PARAMETERS_END' $(1)))
tables_among = $(call objects,described,once,0,$(filter $(ONCE),$(1))) $(call objects,described,empty,0,$(filter-out $(ONCE),$(1)))
# $(1): whose, $(2): the program
# What would run a workload is not linked: nothing is run.
link_described = $(call compile,described,$(1),0,harness/describe_main.c) -MF $(2).d -no-pie \
	-Wl,--unresolved-symbols=ignore-all -Wl,-z,lazy harness/describe_main.c $(filter %.o,$^) $(LDFLAGS) -o $(2)
WORKLOADS_DESCRIBED := $(BUILD)/obj/described/workloads_deques $(BUILD)/obj/described/workloads_pool
$(BUILD)/obj/described/workloads_deques: $$(call tables_of,$$(OPERATIONS)) $(DESCRIBE)
$(BUILD)/obj/described/workloads_pool: $$(call tables_of,$$(POOLED)) $(DESCRIBE)
$(WORKLOADS_DESCRIBED): harness/describe_main.c
	@mkdir -p $(@D)
	$(call link_described,empty,$@.program)
	@$@.program --describe | grep -E '^(workload|presets|parameter	[^*])' > $@
$(BUILD)/described/deques/% $(BUILD)/described/pool/%: queues/%.h harness/describe_main.c $(DESCRIBE) $(WORKLOADS_DESCRIBED) \
		$$(call included_by,$(BUILD)/obj/described/$$*.program.o)
	@mkdir -p $(patsubst %,$(BUILD)/%/$(*D),obj/described described/deques described/pool)
	$(call link_described,$*,$(BUILD)/obj/described/$*.program)
	@for part in deques pool; do \
		{ $(BUILD)/obj/described/$*.program && cat $(BUILD)/obj/described/workloads_$$part; } > $(BUILD)/described/$$part/$* || exit; done

# --- other people's deques, where they are installed
include queues/upstream/upstream.mk

# --- what is asked for in one word
PARTS := deques pool checks pool_checks
parts_of = $(foreach part,$(PARTS),$(1:%=$(BUILD)/$(part)/%))
GATE_BUILDS := $(DEQUE_IDS:%=$(BUILD)/address/%) $(DEQUE_IDS:%=$(BUILD)/thread/%)
.PHONY: all deques described upstream gate_builds items4
all: $(BUILD)/stealbench deques described lab
deques: $(call parts_of,$(DEQUE_IDS)) upstream
described: $(patsubst %,$(BUILD)/described/deques/%,$(DEQUE_IDS)) $$(patsubst %,$(BUILD)/described/deques/%,$$(UPSTREAM_HERE))
upstream: $$(call parts_of,$$(UPSTREAM_HERE))
gate_builds: $(DEQUE_IDS:%=$(BUILD)/checks/%) $(DEQUE_IDS:%=$(BUILD)/pool_checks/%) $(GATE_BUILDS) lab \
	$$(patsubst %,$(BUILD)/address/%,$$(UPSTREAM_HERE)) $$(patsubst %,$(BUILD)/thread/%,$$(filter-out $$(UPSTREAM_RUST),$$(UPSTREAM_HERE)))
$(BUILD)/build.json: ;

# The deques that can carry items of 4 bytes: the others are intrusive, or do not compile so, and their cells with item=4 are
# unsupported. Built on demand, but found by the driver as the others are: those that are there are kept as new as these.
INTRUSIVE := $(shell grep -l '^.define DEQUE_NATIVE.*DEQUE_LISTS' $(DEQUE_HEADERS))
INTRUSIVE += $(if $(INTRUSIVE),$(shell grep -l $(foreach header,$(INTRUSIVE),-e '^.include "$(notdir $(header))"') $(DEQUE_HEADERS)))
ITEMS4_IDS := $(filter-out $(patsubst queues/%.h,%,$(INTRUSIVE)),$(DEQUE_IDS))
all: $(wildcard $(ITEMS4_IDS:%=$(BUILD)/items4/%))
items4:
	@$(MAKE) --no-print-directory -k $(ITEMS4_IDS:%=$(BUILD)/items4/%) || true
	@for id in $(ITEMS4_IDS); do [ -x $(BUILD)/items4/$$id ] || \
		echo "$$id: not with items of 4 bytes, see above; its cells with item=4 are unsupported"; done

include trust/trust.mk
include workloads/runtimes/runtimes.mk
include proof/lab/lab.mk
# A tree without its tests builds as well.
-include tests/tests.mk
