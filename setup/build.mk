# build.mk: how everything is built. Included by the Makefile.
#
# One rule compiles (the first below). Each kind of executable has one rule that lists what it is linked from. An object's path
# says how it is compiled:
#
#   build/obj/FLAVOUR/WHOSE/+VARIANT/SOURCE.o     WHOSE: the deque it is compiled for, or "once"
#   build/obj/timed/chase_lev/+3/workloads/latency/variants/loops.o
#
# Nothing lists the deques: each header queues/*.h (except the contract), as_published/*.h and as_shipped/*.h becomes executables of its
# own. Sources are found by folder. A file below deque_independent/ or workloads/applications/ is compiled once, below variants/
# for each deque in several variants of code, elsewhere once for each deque.
#
# Why not Meson with Ninja: with 43 deques of 20 targets each, `meson setup` took 2.7 s of a processor, again for each added
# deque and for each set of flags. This file takes 0.2 s for one deque and 0.5 s for all.

ifeq ($(origin CC),default)
CC := gcc
endif
# The C++ compiler of the same make as CC, if it is installed: one links what the other instruments.
ifeq ($(origin CXX),default)
CXX := $(shell like='$(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)),$(subst gcc,g++,$(CC)))'; \
	command -v "$$like" >/dev/null && echo "$$like" || echo g++)
endif
OPTIMISE ?= -O3 -march=native
# setup/flags.sh asks the compiler, and moves a build with other flags aside.
# $(1): a command, which gets these variables in its environment, whatever they hold
QUOTE := '
with_flags = $(foreach name,CC CXX OPTIMISE CPPFLAGS LDFLAGS PREFIX BUILD UPSTREAM_FROM,$(name)='$(subst $(QUOTE),'\'',$($(name)))') $(1)
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

SOURCES := $(sort $(shell find -L harness proof queues tests workloads $(wildcard extras) -name '*.c' -o -name '*.cc' 2>/dev/null))
ONCE := $(foreach source,$(SOURCES),$(if $(findstring /deque_independent/,$(source)),$(source))) $(filter workloads/applications/%,$(SOURCES))
VARIED := $(foreach source,$(SOURCES),$(if $(findstring /variants/,$(source)),$(source)))
below = $(filter $(1:%=%/%),$(SOURCES))
DEQUE_HEADERS := $(filter-out queues/deque.h,$(wildcard queues/*.h)) $(wildcard queues/as_published/*.h queues/as_shipped/*.h)
DEQUE_IDS := $(patsubst queues/%.h,%,$(DEQUE_HEADERS))
# DEQUE_IDS=... on the command line may name other people's deques, which queues/upstream/upstream.mk builds.
DEQUES_NAMED := $(if $(filter command,$(origin DEQUE_IDS)),$(DEQUE_IDS))
override DEQUE_IDS := $(filter-out upstream/%,$(DEQUE_IDS))

# --- an object. $(1): flavour, $(2): whose, $(3): variant, $(4): source
# A warning stops no build, because the next compiler has new ones; tests/run.sh fails on each.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion
COMMON := -D_GNU_SOURCE -I. -pthread $(WARNINGS) -MP
FLAGS_harness := -O2 -g1
FLAGS_driver := -O1 -g1
FLAGS_timed := $(OPTIMISE) -g1
FLAGS_items4 := $(FLAGS_timed) -DDEQUE_ITEM=uint32_t -DDEQUE_VARIANT='"item=4"'
FLAGS_address := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DWATCH_GAP=10000000 $(QUIET)
FLAGS_thread := -O1 -g1 -fno-omit-frame-pointer -fsanitize=thread -DWATCH_GAP=10000000 $(QUIET)
FLAGS_described := -O0
FLAGS_tests := -O1 -g1
# Functions that do not depend on the deque begin a cache line, so no edit of a deque moves an application's loop within its line.
placed = $(if $(filter timed/once,$(1)/$(2)),$(PLACED))
# The checks take as long to compile as everything else. So only stress is optimised as the timed deque is; -O1 takes half the
# time, and -O0 under a sanitizer, which checks each access of the source anyway, a third.
check_level = $(if $(filter proof/checks/%,$(4)),$(if $(filter address thread,$(1)),-O0,$(if $(filter-out proof/checks/stress.c,$(4)),-O1)))
# The measured loops exist in several variants of code; 0 is the plain one. For a deque that is optimised at link time by
# another compiler (Rust), variants differ only in where the code lies.
VARIANT_NUMBERS := $(shell seq 0 $$(($(words $(VARIANTS)) - 1)))
# Layouts with higher numbers start over with the first variant.
AGAIN := $(VARIANTS) $(VARIANTS) $(VARIANTS) $(VARIANTS)
variant = $(word $(words one $(wordlist 1,$(3),$(AGAIN))),$(AGAIN))
variant_flags = $(if $(filter $(VARIED),$(4))$(filter layout,$(1)),$(if $(upstream_rust),,$(filter-out plain,$(subst +, ,$(variant)))) -DCODE_VARIANT=$(3))
# A deque is the header of its name below queues/, or HEADER_FLAVOUR, with which harness/trust/ and tests/ build their own.
for_deque = $(if $(filter-out once,$(2)),-DDEQUE_HEADER='"$(or $(HEADER_$(1)),queues/$(2).h)"' -DDEQUE_ID='"$(2)"')
# Our warnings do not apply to other people's headers.
others = $(if $(filter %.cc,$(4)),$(patsubst -I%,-isystem %,$(CPPFLAGS)),$(CPPFLAGS))
compiler = $(if $(filter %.cc,$(4)),$(CXX) -std=c++20,$(if $(upstream_rust),$(UPSTREAM_CLANG),$(CC)) -std=gnu11)
compile = $(compiler) $(COMMON) $(or $(upstream_from),-MMD) $(others) $(FLAGS_$(1)) $(placed) $(upstream_flags) $(trust_flags) \
	$(check_level) $(variant_flags) $(for_deque)

# with: splits the path $(2), FLAVOUR/WHOSE/+VARIANT/SOURCE, and calls the function $(1) with the parts.
flavour_in = $(firstword $(subst /, ,$(1)))
whose_in = $(patsubst $(flavour_in)/%,%,$(firstword $(subst /+, ,$(1))))
variant_in = $(firstword $(subst /, ,$(lastword $(subst /+, ,$(1)))))
source_in = $(filter $(patsubst $(variant_in)/%,%.c,$(lastword $(subst /+, ,$(1)))) $(patsubst $(variant_in)/%,%.cc,$(lastword $(subst /+, ,$(1)))),$(SOURCES))
with = $(call $(1),$(call flavour_in,$(2)),$(call whose_in,$(2)),$(call variant_in,$(2)),$(call source_in,$(2)))
# The headers that an object was compiled with, as the compiler wrote them into its .d file. Only .d files of wanted objects are
# read. A header with a blank in its path is ignored.
included_by = $(call headers_in,$(subst \ ,\\,$(file <$(1:.o=.d))))
headers_in = $(foreach word,$(sort $(filter %.h %.hpp,$(1))),$(if $(findstring \,$(word)),,$(word)))
# A header that is gone is no error, but a reason to compile.
%.h %.hpp: ;

$(BUILD)/obj/%.o: $$(call source_in,$$*) $$(call included_by,$$@) $$(if $$(findstring /upstream/,$$*),$$(call with,upstream_depends,$$*))
	@mkdir -p $(@D)
	$(call with,compile,$*) -c $< -o $@

# --- what is linked. $(1): flavour, $(2): whose, $(3): sources
# -ldl: for dlsym before glibc 2.34
DRIVER_LIBS := -ljansson -lhwloc -lpthread -lm -ldl
DEQUE_LIBS := -lbenchmark -lhwloc -lpthread -lm -ldl
APPLICATION_LIBS := $(if $(filter liburing.h,$(FOUND)),-luring) $(if $(filter openssl/sha.h,$(FOUND)),-lcrypto)
objects = $(patsubst %,$(BUILD)/obj/$(1)/$(2)/+$(3)/%.o,$(basename $(4)))
objects_once = $(call objects,$(or $(ONCE_OF_$(1)),$(1)),once,0,$(filter $(ONCE),$(2)))
# The driver does not link Google Benchmark, which only the published method uses.
MEASURING_LIBRARY = $(BUILD)/libmeasuring.a $(call objects,harness,once,0,$(filter %.cc,$(MEASURING)))
# Where nothing is timed, the measured loops are built in the plain variant only.
ONCE_OF_items4 := timed
NUMBERS_address := 0
NUMBERS_thread := 0
# Objects that do not depend on the deque come first, so they stay in place when the deque changes.
made_of = $(call objects_once,$(1),$(3)) \
	$(foreach number,$(or $(NUMBERS_$(1)),$(VARIANT_NUMBERS)),$(call objects,$(1),$(2),$(number),$(filter $(VARIED),$(3)))) \
	$(call objects,$(1),$(2),0,harness/deque_main.c $(each)) $(upstream_objects) $(MEASURING_LIBRARY)
each = $(filter-out $(ONCE) $(VARIED) $(call upstream_without,$(2)),$(3))
linker = $(if $(upstream_rust),$(subst clang,clang++,$(UPSTREAM_CLANG)),$(CXX))
link = @mkdir -p $(@D)
link += && $(linker) $(FLAGS_$(1)) $(upstream_flags) -o $@ $^ \
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

# --- a deque's executables. Each holds only what its cells depend on, because its bytes are part of their identity: editing an
# application voids no cell of push, and editing a check voids no cell. The pool's checks are apart because they need the pool,
# and a deque is timed without them. Under sanitizers one executable has all checks.
OPERATIONS := $(call below,workloads/latency workloads/contention)
POOLED := $(call below,workloads/forks workloads/pool workloads/applications)
POOL_CHECKS := $(filter proof/checks/pool% proof/checks/deque_independent/pool%,$(SOURCES))
CHECKS := $(filter-out $(POOL_CHECKS),$(call below,proof/checks))
POOL_CHECKS += $(filter proof/checks/deque_independent/verdict.c,$(CHECKS)) $(call below,workloads/pool)
CHECKED := $(sort $(CHECKS) $(POOL_CHECKS))
WORKLOADS := $(call below,workloads)
CONTENTION := $(call below,workloads/contention)
# A timed executable is never built without its checks.
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
$(BUILD)/address/%: $$(call made_of,address,$$*,$(CHECKED))
	$(call link,address,$*)
$(BUILD)/thread/%: $$(call made_of,thread,$$*,$(CHECKED))
	$(call link,thread,$*)
# The pool's executable in other layouts (docs/measuring.md), NUMBER/ID, built when a plan asks for it. Code that depends on the
# deque is compiled with that variant's flags, and all functions stand in another order at other offsets.
FLAGS_layout := $(FLAGS_timed) $(firstword $(PLACED))
ONCE_OF_layout := timed
layout_number = $(firstword $(subst /, ,$(1)))
layout_whose = $(patsubst $(layout_number)/%,%,$(1))
layout_objects = $(call objects_once,timed,$(POOLED)) $(call layout_own,layout,$(layout_whose),$(layout_number))
layout_own = $(call objects,$(1),$(2),$(3),harness/deque_main.c $(filter-out $(ONCE),$(POOLED))) $(upstream_objects)
layout_link = $(linker) $(FLAGS_layout) $(upstream_flags)
$(BUILD)/pool_layouts/%: $$(call layout_objects,$$*) $(MEASURING_LIBRARY) setup/layout.sh $$(BUILD)/pool/$$(call layout_whose,$$*)
	@mkdir -p $(@D) $(BUILD)/obj/layout/scripts/$(@D)
	setup/layout.sh $(call layout_number,$*) $(call layout_objects,$*) > $(BUILD)/obj/layout/scripts/$@.ld
	$(call layout_link,layout,$(call layout_whose,$*)) -o $@ -Wl,-T,$(BUILD)/obj/layout/scripts/$@.ld $(call layout_objects,$*) \
		$(MEASURING_LIBRARY) $(LDFLAGS) $(APPLICATION_LIBS) $(DEQUE_LIBS)
# Every workload and what measures it, under sanitizers.
measured = $(call objects,$(1),once,0,$(filter %.c,$(MEASURING)))
$(BUILD)/address_workloads/%: $(call measured,address) $$(call made_of,address,$$*,$(WORKLOADS))
	$(call link,address,$*)
$(BUILD)/thread_workloads/%: $(call measured,thread) $$(call made_of,thread,$$*,$(WORKLOADS))
	$(call link,thread,$*)

# --- descriptions: what the executables would answer to --describe, without building them. A description is a deque's traits
# and the workloads' tables, which are the same for all deques. The driver lists and plans with it.
DESCRIBE := $(call objects,harness,once,0,harness/measuring/cell/describe.c harness/measuring/cell/parameters.c)
# $(1): sources; only those that register a workload or have a table are used
tables_of = $(call tables_among,$(shell grep -lE 'REGISTER_WORKLOAD|PARAMETERS_END' $(1)))
tables_among = $(call objects,described,once,0,$(filter $(ONCE),$(1))) $(call objects,described,empty,0,$(filter-out $(ONCE),$(1)))
# $(1): whose, $(2): the program
# Functions that would run a workload are left unresolved; nothing calls them.
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
		$$(call included_by,$(BUILD)/obj/described/$$*.program.o) $$(call upstream_depends,described,$$*)
	@mkdir -p $(patsubst %,$(BUILD)/%/$(*D),obj/described described/deques described/pool)
	$(call link_described,$*,$(BUILD)/obj/described/$*.program)
	@for part in deques pool; do \
		{ $(BUILD)/obj/described/$*.program && cat $(BUILD)/obj/described/workloads_$$part; } > $(BUILD)/described/$$part/$* || exit; done

# --- other people's deques, where they are installed
include queues/upstream/upstream.mk

# --- targets with short names
PARTS := deques pool checks pool_checks
parts_of = $(foreach part,$(PARTS),$(1:%=$(BUILD)/$(part)/%))
GATE_BUILDS := $(DEQUE_IDS:%=$(BUILD)/address/%) $(DEQUE_IDS:%=$(BUILD)/thread/%)
.PHONY: all deques described upstream plain_checks gate_builds items4
all: $(BUILD)/stealbench deques described lab
deques: $(call parts_of,$(DEQUE_IDS)) upstream
described: $(patsubst %,$(BUILD)/described/deques/%,$(DEQUE_IDS)) $$(patsubst %,$(BUILD)/described/deques/%,$$(UPSTREAM_HERE))
upstream: $$(call parts_of,$$(if $$(UPSTREAM_CRATE),$$(filter-out upstream/crossbeam_%,$$(UPSTREAM_HERE)),$$(UPSTREAM_HERE)))
plain_checks: $(foreach part,checks pool_checks,$(DEQUE_IDS:%=$(BUILD)/$(part)/%) $$(patsubst %,$(BUILD)/$(part)/%,$$(UPSTREAM_HERE)))
gate_builds: plain_checks $(GATE_BUILDS) lab \
	$$(patsubst %,$(BUILD)/address/%,$$(UPSTREAM_HERE)) $$(patsubst %,$(BUILD)/thread/%,$$(filter-out $$(UPSTREAM_RUST),$$(UPSTREAM_HERE)))
$(BUILD)/build.json: ;

# The deques that can carry items of 4 bytes. Intrusive ones cannot, and their cells with item=4 are unsupported. They are built
# on demand; `all` keeps those that exist up to date, because the driver finds them by looking.
INTRUSIVE := $(shell grep -l '^.define DEQUE_NATIVE.*DEQUE_LISTS' $(DEQUE_HEADERS))
INTRUSIVE += $(if $(INTRUSIVE),$(shell grep -l $(foreach header,$(INTRUSIVE),-e '^.include "$(notdir $(header))"') $(DEQUE_HEADERS)))
ITEMS4_IDS := $(filter-out $(patsubst queues/%.h,%,$(INTRUSIVE)),$(DEQUE_IDS))
all: $(wildcard $(ITEMS4_IDS:%=$(BUILD)/items4/%))
items4:
	@$(MAKE) --no-print-directory -k $(ITEMS4_IDS:%=$(BUILD)/items4/%) || true
	@for id in $(ITEMS4_IDS); do [ -x $(BUILD)/items4/$$id ] || \
		echo "$$id: cannot be built with items of 4 bytes, see above; its cells with item=4 are unsupported"; done

include harness/trust/trust.mk
include proof/lab/lab.mk
# These may be missing.
-include tests/tests.mk $(sort $(wildcard extras/*/*.mk))
