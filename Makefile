# stealbench. The targets a person calls:
#
#   make              everything that measures: build/stealbench and one executable a deque below build/deques/
#   make check        what ./run.sh check runs, after the set-up: lint, gate, tests; ends on "N passed, N failed"
#   make gate         the correctness gate of every deque, in the plain, address and thread builds
#   make check-model  the model checker's clients, where genmc is installed
#   make lint format  clang-format, shellcheck; format rewrites
#   make clean
#
# A deque is found by looking: queues/*.h (but the contract) and queues/as_published/*.h each become an executable of
# their own. Nothing lists them.

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
BUILD ?= build
OPTIMISE ?= -O3 -march=native
CPPFLAGS ?=

DEQUE_HEADERS := $(filter-out queues/deque.h,$(wildcard queues/*.h)) $(wildcard queues/as_published/*.h)
DEQUE_IDS := $(patsubst queues/%.h,%,$(DEQUE_HEADERS))
WORKLOADS := $(patsubst workloads/%.c,%,$(wildcard workloads/*.c))
GATE := $(patsubst tests/gate/%.c,%,$(wildcard tests/gate/*.c))

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
COMMON := -std=gnu11 -D_GNU_SOURCE -I. -pthread -g $(WARNINGS) -MMD -MP $(CPPFLAGS)
# gcc 12's ThreadSanitizer warns of every fence; no happens-before here comes from a fence alone.
NO_TSAN_WARNING := $(shell $(CC) -Werror -Wno-tsan -x c -c /dev/null -o /dev/null 2>/dev/null && echo -Wno-tsan)
ADDRESS := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
THREAD := -O1 -fno-omit-frame-pointer -fsanitize=thread $(NO_TSAN_WARNING)
DRIVER_LIBS := -lhwloc -lpthread -lm
DEQUE_LIBS := -lbenchmark -lhwloc -lpthread -lm

# Linked into every deque's executable; the rest of harness/ is the driver, and deque_main is compiled per deque.
LIBRARY := cell clock describe items measure parameters places
DRIVER := $(filter-out $(LIBRARY) deque_main,$(patsubst harness/%.c,%,$(wildcard harness/*.c))) parameters

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all deques gate_builds check gate check-model lint format clean FORCE

DEQUES := $(DEQUE_IDS:%=$(BUILD)/deques/%)
GATE_BUILDS := $(DEQUE_IDS:%=$(BUILD)/address/%) $(DEQUE_IDS:%=$(BUILD)/thread/%)
all: $(BUILD)/stealbench deques $(BUILD)/build.json
deques: $(DEQUES)
gate_builds: $(DEQUES) $(GATE_BUILDS)

# What everything was built with: a change of it builds everything anew, and the manifest quotes it.
define BUILD_JSON
{"compiler": "$(CC)", "version": "$(shell $(CC) --version | head -n 1)", "flags": "$(OPTIMISE)", "cppflags": "$(CPPFLAGS)", "cxx": "$(CXX)"}
endef
$(BUILD)/build.json: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(BUILD_JSON)' | cmp -s - $@ || printf '%s\n' '$(BUILD_JSON)' > $@

# --- the library and the driver
$(BUILD)/obj/harness/%.o: harness/%.c $(BUILD)/build.json
	@mkdir -p $(@D)
	$(CC) $(COMMON) -O2 -c $< -o $@
$(BUILD)/obj/harness/gbench.o: harness/gbench.cc $(BUILD)/build.json
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -I. -O2 -g -Wall -Wextra -Werror -MMD -MP $(CPPFLAGS) -c $< -o $@
$(BUILD)/libharness.a: $(LIBRARY:%=$(BUILD)/obj/harness/%.o) $(BUILD)/obj/harness/gbench.o
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/stealbench: $(DRIVER:%=$(BUILD)/obj/harness/%.o)
	$(CC) -o $@ $^ $(DRIVER_LIBS)

# --- one executable a deque, and its sanitizer flavours. $(1): the deque's id, $(2): folder, $(3): flags, $(4): objects
define DEQUE_FLAVOUR
$(BUILD)/obj/$(2)/$(1)/%.o: harness/%.c $(BUILD)/build.json
	@mkdir -p $$(@D)
	$(CC) $(COMMON) $(3) -DDEQUE_HEADER='"queues/$(1).h"' -DDEQUE_ID='"$(1)"' -c $$< -o $$@
$(BUILD)/obj/$(2)/$(1)/%.o: workloads/%.c $(BUILD)/build.json
	@mkdir -p $$(@D)
	$(CC) $(COMMON) $(3) -DDEQUE_HEADER='"queues/$(1).h"' -DDEQUE_ID='"$(1)"' -c $$< -o $$@
$(BUILD)/obj/$(2)/$(1)/%.o: tests/gate/%.c $(BUILD)/build.json
	@mkdir -p $$(@D)
	$(CC) $(COMMON) $(3) -DDEQUE_HEADER='"queues/$(1).h"' -DDEQUE_ID='"$(1)"' -c $$< -o $$@
$(BUILD)/$(2)/$(1): $(4:%=$(BUILD)/obj/$(2)/$(1)/%.o) $(BUILD)/libharness.a
	@mkdir -p $$(@D)
	$(CXX) $(3) -o $$@ $$^ $(DEQUE_LIBS)
endef
TIMED_OBJECTS := deque_main $(WORKLOADS) $(GATE)
GATE_OBJECTS := deque_main $(GATE)
$(foreach id,$(DEQUE_IDS),$(eval $(call DEQUE_FLAVOUR,$(id),deques,$(OPTIMISE),$(TIMED_OBJECTS))))
$(foreach id,$(DEQUE_IDS),$(eval $(call DEQUE_FLAVOUR,$(id),address,$(ADDRESS),$(GATE_OBJECTS))))
$(foreach id,$(DEQUE_IDS),$(eval $(call DEQUE_FLAVOUR,$(id),thread,$(THREAD),$(GATE_OBJECTS))))

clean:
	rm -rf $(BUILD)

# Objects are kept, so that a second make has nothing to do.
.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
