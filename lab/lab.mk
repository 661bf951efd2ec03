# lab.mk: the lab. Included by the Makefile, which defines DEQUE_IDS (peers among them are left out here) and CC.
#
#   make lab            build/lab/ID for every deque in C
#   make callgrind      build/callgrind/ID, what lab/ci.sh counts the instructions of
#   make lab-test       the lab's own tests, with gcc and clang where both are there

LAB_DIR ?= $(or $(BUILD),build)/lab
CALLGRIND_DIR ?= $(or $(BUILD),build)/callgrind
LAB_STANDARD := -std=gnu11 -D_GNU_SOURCE -I.
LAB_WARNINGS := -Wall -Wextra -Wshadow -Wconversion
LAB_PLACE := -fno-pie -fno-stack-protector
LAB_CFLAGS ?= -O2 -g
# The machine knows nothing of deques; the clients do.
LAB_MACHINE := coroutine memory races store_buffer weak_memory slot_reads machine entry libc_shim schedule source trace
LAB_CLIENTS := scene clients run shrink explore count stop standstill main
# What it says of itself it says as the timed executables do.
LAB_OBJECTS := $(patsubst %,$(LAB_DIR)/runtime/%.o,$(LAB_MACHINE) $(LAB_CLIENTS) describe)
LAB_IDS := $(filter-out peers/%,$(DEQUE_IDS))
LAB_EXECUTABLES := $(LAB_IDS:%=$(LAB_DIR)/%)
LAB_INSTRUMENT := lab/instrument.sh lab/libc_symbols.txt lab/operations.c lab/operations.h \
                  harness/deque_under_test.h queues/deque.h
# gcc expands the copies it knows in place, where nobody sees them: they stay calls.
LAB_SEEN := -fsanitize=thread -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset
# gcc says of each fence that ThreadSanitizer does not know it; the lab does.
LAB_GCC_ONLY = $(if $(shell $(CC) --version 2>/dev/null | grep -i clang),,-Wno-tsan)

# What the Makefile builds everything anew for: another compiler, other flags.
LAB_STAMP := $(if $(BUILD),$(BUILD)/build.json)

.PHONY: lab lab-test callgrind
lab: $(LAB_EXECUTABLES)

$(LAB_DIR)/runtime/%.o: lab/%.c $(wildcard lab/*.h) queues/deque.h $(LAB_STAMP)
	@mkdir -p $(@D)
	$(CC) $(LAB_STANDARD) $(LAB_WARNINGS) $(LAB_CFLAGS) $(LAB_PLACE) -c $< -o $@

$(LAB_DIR)/runtime/describe.o: harness/describe.c harness/describe.h harness/cell.h queues/deque.h $(LAB_STAMP)
	@mkdir -p $(@D)
	$(CC) $(LAB_STANDARD) $(LAB_WARNINGS) $(LAB_CFLAGS) $(LAB_PLACE) -c $< -o $@

$(LAB_IDS:%=$(LAB_DIR)/deques/%.o): $(LAB_DIR)/deques/%.o: queues/%.h $(LAB_INSTRUMENT) $(LAB_STAMP)
	@mkdir -p $(@D)
	lab/instrument.sh $* queues/$*.h $@ $(CC) $(LAB_STANDARD) $(LAB_CFLAGS) $(LAB_PLACE) $(LAB_SEEN) $(LAB_GCC_ONLY)

$(LAB_EXECUTABLES): $(LAB_DIR)/%: $(LAB_DIR)/deques/%.o $(LAB_OBJECTS)
	@mkdir -p $(@D)
	$(CC) -no-pie -o $@ $^

# callgrind takes a jump to a part that gcc set aside (NAME.cold) for a call, and such a part for a recursion.
LAB_WHOLE = $(shell $(CC) -Werror -fno-reorder-blocks-and-partition -x c -c /dev/null -o /dev/null 2>/dev/null && \
	echo -fno-reorder-blocks-and-partition)
# Neither instrumented nor native: the same instructions on every machine that has this compiler.
callgrind: $(LAB_IDS:%=$(CALLGRIND_DIR)/%)
$(LAB_IDS:%=$(CALLGRIND_DIR)/%): $(CALLGRIND_DIR)/%: queues/%.h lab/instructions.c queues/deque.h \
                                 harness/deque_under_test.h lab/lab.mk $(LAB_STAMP)
	@mkdir -p $(@D)
	$(CC) $(LAB_STANDARD) $(LAB_WARNINGS) -O3 -march=x86-64-v3 $(LAB_WHOLE) -g -pthread -DDEQUE_HEADER='"queues/$*.h"' \
		lab/instructions.c -o $@

# The machine's tests: litmus programs are instrumented like a deque, what judges them is not.
$(LAB_DIR)/tests/litmus.o: tests/lab/litmus.c tests/lab/litmus.h lab/libc_symbols.txt
	@mkdir -p $(@D)
	$(CC) $(LAB_STANDARD) $(LAB_CFLAGS) $(LAB_PLACE) $(LAB_SEEN) $(LAB_GCC_ONLY) -c $< -o $@.raw
	objcopy --redefine-syms=lab/libc_symbols.txt $@.raw $@

$(LAB_DIR)/tests/runtime_test.o: tests/lab/runtime_test.c tests/lab/litmus.h $(wildcard lab/*.h)
	@mkdir -p $(@D)
	$(CC) $(LAB_STANDARD) $(LAB_WARNINGS) $(LAB_CFLAGS) $(LAB_PLACE) -c $< -o $@

$(LAB_DIR)/tests/runtime_test: $(LAB_DIR)/tests/runtime_test.o $(LAB_DIR)/tests/litmus.o \
                               $(LAB_MACHINE:%=$(LAB_DIR)/runtime/%.o)
	$(CC) -no-pie -o $@ $^

lab-test:
	tests/lab/run.sh

# What a deque's header includes besides the contract.
-include $(wildcard $(LAB_IDS:%=$(LAB_DIR)/deques/%.d))
