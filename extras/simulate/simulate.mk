# simulate.mk: build/predicted/ID, the workloads over one deque in virtual time. Included by setup/build.mk.

SIMULATE_NAMES := -include extras/simulate/names.h -DWATCH_GAP=1000000000 -DTRIES_SECONDS=0.02
# What the engine sees, instrumented: the same on every machine with this compiler.
FLAGS_predicted = -O2 -g1 -fsanitize=thread $(LAB_GCC_ONLY) -U_FORTIFY_SOURCE $(SIMULATE_NAMES) \
	-DDEQUE_SIMULATED='"$(or $(SIMULATED_HEADER),queues/$(2).h)"' -fno-pie -fno-stack-protector
HEADER_predicted := extras/simulate/marked.h
# The harness around it, with windows for a time in which nothing disturbs; and the engine itself.
FLAGS_virtual := -O2 -g1 -U_FORTIFY_SOURCE $(SIMULATE_NAMES) -DSIMULATE_HARNESS -DWINDOW_SHORTEST=1000 -DWINDOWS_MAX=1 \
	-DOPENS_AFTER=10000 -DTAIL=1000 -fno-pie
FLAGS_simulator := -O2 -g -fno-pie

SIMULATED := $(call below,workloads/contention workloads/forks workloads/pool workloads/applications/uts \
	workloads/applications/quicksort workloads/applications/dag) workloads/applications/answer.c
SIMULATED_HARNESS := workloads/applications/task_cost.c harness/measuring/random.c \
	$(call below,harness/measuring/cell) $(patsubst %,harness/measuring/threads/%.c,team watch pacing) \
	$(patsubst %,harness/measuring/measure/%.c,histogram latency)
SIMULATOR := $(wildcard extras/simulate/*.c) proof/lab/engine/coroutine.c

# The simulator comes last: where its own variables lie must not decide which of the workloads' share a line.
predicted_of = $(call objects,predicted,$(1),0,harness/deque_main.c $(filter-out $(ONCE),$(SIMULATED))) \
	$(call objects,predicted,once,0,$(filter $(ONCE),$(SIMULATED))) \
	$(call objects,virtual,once,0,$(SIMULATED_HARNESS)) $(call objects,simulator,once,0,$(SIMULATOR))
$(BUILD)/predicted/%: $$(call predicted_of,$$*)
	@mkdir -p $(@D)
	$(CC) -no-pie -o $@ $^ $(LDFLAGS) $(APPLICATION_LIBS) -lhwloc -lm
