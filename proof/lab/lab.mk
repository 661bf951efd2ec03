# lab.mk: the lab. Included by setup/build.mk, which defines DEQUE_IDS (those of queues/upstream are left out here) and CC.
#
#   make lab            build/lab/ID for every deque in C
#   make callgrind      build/callgrind/ID, whose instructions harness/judging/counts/counts.sh counts
#   make lab-test       the lab's own tests, with gcc and clang where both are there

LAB_DIR ?= $(or $(BUILD),build)/lab
CALLGRIND_DIR ?= $(or $(BUILD),build)/callgrind
LAB_STANDARD := -std=gnu11 -D_GNU_SOURCE -I.
LAB_WARNINGS := -Wall -Wextra -Wshadow -Wconversion
LAB_PLACE := -fno-pie -fno-stack-protector
LAB_CFLAGS ?= -O2 -g
# The engine is timed by nobody.
LAB_ENGINE_CFLAGS ?= -O1
# The engine knows nothing of deques; the clients do. operations.c is compiled for each deque, instrumented.
LAB_ENGINE := $(patsubst %.c,%,$(wildcard proof/lab/engine/*.c))
# It describes itself as the timed executables do.
LAB_OBJECTS := $(patsubst %,$(LAB_DIR)/runtime/%.o,$(LAB_ENGINE) harness/measuring/random \
	harness/measuring/cell/describe harness/measuring/cell/parameters \
	$(patsubst %.c,%,$(filter-out proof/lab/clients/operations.c,$(wildcard proof/lab/clients/*.c proof/lab/verbs/*.c))))
LAB_IDS := $(filter-out upstream/%,$(DEQUE_IDS))
LAB_EXECUTABLES := $(LAB_IDS:%=$(LAB_DIR)/%)
LAB_INSTRUMENT := proof/lab/clients/instrument.sh proof/lab/engine/libc_symbols.txt proof/lab/clients/operations.c proof/lab/clients/operations.h \
                  harness/measuring/deque_under_test.h queues/deque.h $(wildcard queues/parts/*.h)
# gcc would expand known copies in place, where the lab does not see them: they stay calls.
LAB_SEEN := -fsanitize=thread -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset
# gcc warns of each fence that ThreadSanitizer does not support it; the lab does.
LAB_GCC_ONLY = $(if $(shell $(CC) --version 2>/dev/null | grep -i clang),,-Wno-tsan)

.PHONY: lab callgrind
lab: $(LAB_EXECUTABLES) $$(patsubst %,$(LAB_DIR)/%,$$(filter-out upstream/crossbeam_% upstream/toomanycooks,$$(UPSTREAM_HERE)))

$(LAB_DIR)/runtime/%.o: %.c $(wildcard proof/lab/*/*.h) proof/scenarios.h harness/measuring/random.h $(wildcard harness/measuring/cell/*.h) \
                        queues/deque.h $(wildcard queues/parts/*.h)
	@mkdir -p $(@D)
	$(CC) $(LAB_STANDARD) $(LAB_WARNINGS) $(LAB_ENGINE_CFLAGS) $(LAB_PLACE) -c $< -o $@

$(LAB_IDS:%=$(LAB_DIR)/deques/%.o): $(LAB_DIR)/deques/%.o: queues/%.h $(LAB_INSTRUMENT)
	@mkdir -p $(@D)
	proof/lab/clients/instrument.sh $* queues/$*.h $@ $(CC) $(LAB_STANDARD) $(LAB_CFLAGS) $(LAB_PLACE) $(LAB_SEEN) $(LAB_GCC_ONLY)

# Headers that differ from another deque in one function include that one.
$(LAB_DIR)/deques/as_shipped/tokio_queue.o: queues/tokio.h
$(LAB_DIR)/deques/as_shipped/julia_ws_queue.o $(LAB_DIR)/deques/as_shipped/libfork_deque.o: queues/phanes.h
$(LAB_DIR)/deques/as_shipped/domainslib_ws_deque.o: queues/saturn.h

$(LAB_EXECUTABLES): $(LAB_DIR)/%: $(LAB_DIR)/deques/%.o $(LAB_OBJECTS)
	@mkdir -p $(@D)
	$(CC) -no-pie -o $@ $^

# Other people's deques, where they are installed; those in C++ with their shims.
LAB_SHIM = $(CXX) -std=c++20 -D_GNU_SOURCE -I. -DNDEBUG -DUPSTREAM_FIXED_CAPACITY=128 $(file <$(UPSTREAM_PLACE)) $(others) \
	$(LAB_CFLAGS) $(LAB_PLACE) $(LAB_SEEN) $(LAB_GCC_ONLY)
$(LAB_DIR)/deques/upstream/%.o: queues/upstream/%.h $(LAB_INSTRUMENT) $$(UPSTREAM_PLACE) $$(call included_by,$$@)
	@mkdir -p $(@D)
	SHIM_COMPILER='$(LAB_SHIM)' proof/lab/clients/instrument.sh upstream/$* queues/upstream/$*.h $@ $(CC) $(LAB_STANDARD) $(LAB_CFLAGS) \
		$(LAB_PLACE) $(LAB_SEEN) $(LAB_GCC_ONLY) -DUPSTREAM_FIXED_CAPACITY=128 $(file <$(UPSTREAM_PLACE)) $(CPPFLAGS)
$(LAB_DIR)/upstream/%: $(LAB_DIR)/deques/upstream/%.o $(LAB_OBJECTS)
	@mkdir -p $(@D)
	$(CXX) -no-pie -o $@ $^

# callgrind takes a jump into a part that gcc has split off (NAME.cold) for a call, and the part for a recursion.
LAB_WHOLE = $(shell $(CC) -Werror -fno-reorder-blocks-and-partition -x c -c /dev/null -o /dev/null 2>/dev/null && \
	echo -fno-reorder-blocks-and-partition)
# Neither instrumented nor native: the same instructions on every machine that has this compiler. A thief that waits until
# the last heavy fence is long enough ago counts how slow the machine is, so here it does not wait.
callgrind: $(LAB_IDS:%=$(CALLGRIND_DIR)/%)
$(LAB_IDS:%=$(CALLGRIND_DIR)/%): $(CALLGRIND_DIR)/%: queues/%.h harness/judging/counts/instructions.c queues/deque.h $(wildcard queues/parts/*.h) \
                                 harness/measuring/deque_under_test.h proof/lab/lab.mk
	@mkdir -p $(@D)
	$(CC) $(LAB_STANDARD) $(LAB_WARNINGS) -O3 -march=x86-64-v3 $(LAB_WHOLE) -g -pthread -DDEQUE_FENCE_REST=0 -DDEQUE_HEADER='"queues/$*.h"' \
		harness/judging/counts/instructions.c -o $@

# The machine's tests: litmus programs are instrumented like a deque, what judges them is not.
$(LAB_DIR)/tests/litmus.o: tests/lab/litmus.c $(wildcard tests/lab/*.h) proof/lab/engine/libc_symbols.txt
	@mkdir -p $(@D)
	$(CC) $(LAB_STANDARD) $(LAB_CFLAGS) $(LAB_PLACE) $(LAB_SEEN) $(LAB_GCC_ONLY) -c $< -o $@.raw
	objcopy --redefine-syms=proof/lab/engine/libc_symbols.txt $@.raw $@

$(LAB_DIR)/tests/runtime_test.o: tests/lab/runtime_test.c $(wildcard tests/lab/*.h) $(wildcard proof/lab/*/*.h)
	@mkdir -p $(@D)
	$(CC) $(LAB_STANDARD) $(LAB_WARNINGS) $(LAB_CFLAGS) $(LAB_PLACE) -c $< -o $@

$(LAB_DIR)/tests/runtime_test: $(LAB_DIR)/tests/runtime_test.o $(LAB_DIR)/tests/litmus.o \
                               $(LAB_DIR)/runtime/harness/measuring/random.o $(LAB_ENGINE:%=$(LAB_DIR)/runtime/%.o)
	$(CC) -no-pie -o $@ $^

# What a deque's header includes besides the contract.
-include $(wildcard $(LAB_IDS:%=$(LAB_DIR)/deques/%.d))
# Where the file was before: a build of then names it, and is made anew.
lab/clients/operations.c: ;
