# simulate.mk: build/predicted/ID, the workloads over one deque in virtual time. Included by setup/build.mk.

SIMULATE_NAMES := -include proof/simulate/names.h -DWATCH_GAP=1000000000 -DTRIES_SECONDS=0.02
# What the engine sees, instrumented: the same on every machine with this compiler.
FLAGS_predicted = -O2 -g1 -fsanitize=thread $(LAB_GCC_ONLY) -U_FORTIFY_SOURCE $(SIMULATE_NAMES) \
	-DDEQUE_SIMULATED='"$(or $(SIMULATED_HEADER),queues/$(2).h)"' -fno-pie -fno-stack-protector
HEADER_predicted := proof/simulate/marked.h
FLAGS_predicted4 = $(FLAGS_predicted) -DDEQUE_ITEM=uint32_t -DDEQUE_VARIANT='"item=4"'
HEADER_predicted4 := $(HEADER_predicted)
# The harness around it, with windows for a time in which nothing disturbs; and the engine itself.
FLAGS_virtual := -O2 -g1 -U_FORTIFY_SOURCE $(SIMULATE_NAMES) -DSIMULATE_HARNESS -DWINDOW_SHORTEST=1000 -DWINDOWS_MAX=1 \
	-DOPENS_AFTER=10000 -DTAIL=1000 -fno-pie
FLAGS_simulator := -O2 -g -fno-pie

SIMULATED := $(call below,workloads/contention workloads/forks workloads/pool workloads/applications/uts \
	workloads/applications/quicksort workloads/applications/dag) workloads/applications/answer.c
SIMULATED_HARNESS := workloads/applications/task_cost.c harness/measuring/random.c \
	$(call below,harness/measuring/cell) $(patsubst %,harness/measuring/threads/%.c,team watch pacing) \
	$(patsubst %,harness/measuring/measure/%.c,histogram latency)
SIMULATOR := $(filter-out proof/simulate/measure/%,$(call below,proof/simulate)) proof/lab/engine/coroutine.c

# $(1): flavour, $(2): whose, $(3): sources. The simulator comes last: where its own variables lie must not decide which of the
# workloads' share a line.
predicted_of = $(call objects,$(1),$(2),0,harness/deque_main.c $(filter-out $(ONCE),$(3))) $(call objects,predicted,once,0,$(filter $(ONCE),$(3))) \
	$(call objects,virtual,once,0,$(SIMULATED_HARNESS)) $(call objects,simulator,once,0,$(SIMULATOR))
link_predicted = @mkdir -p $(@D) && $(CC) -no-pie -o $@ $^ $(LDFLAGS) $(APPLICATION_LIBS) -lhwloc -lm
$(BUILD)/predicted/%: $$(call predicted_of,predicted,$$*,$(SIMULATED))
	$(link_predicted)
# Items of 4 bytes.
$(BUILD)/predicted4/%: $$(call predicted_of,predicted4,$$*,$(CONTENTION))
	$(link_predicted)

.PHONY: predicted
predicted: $(DEQUE_IDS:%=$(BUILD)/predicted/%) $(ITEMS4_IDS:%=$(BUILD)/predicted4/%)

# What --validate measures: contention as it is timed, in one variant of its code.
FLAGS_validated = $(FLAGS_timed)
ONCE_OF_validated := timed
NUMBERS_validated := 0
$(BUILD)/validated/%: $$(call made_of,validated,$$*,$(CONTENTION))
	$(call link,validated,$*)

$(BUILD)/simulate/measure: $(call objects,harness,once,0,proof/simulate/measure/measure.c) $(BUILD)/libmeasuring.a
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS) -lhwloc -lpthread -lm
