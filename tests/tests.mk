# tests.mk: what the tests need built. Included by setup/build.mk.

# --- unit tests: one executable for each file of tests/harness, linked with the library and the driver without its main
.PHONY: tests
UNITS := $(filter tests/harness/%_test.c,$(SOURCES))
test_objects = $(call objects,tests,once,0,$(1))
tests: $(UNITS:tests/harness/%.c=$(BUILD)/tests/%)
$(BUILD)/tests/%: $$(call test_objects,tests/harness/$$*.c) $(DRIVER_OBJECTS) $(call objects_once,timed,$(CONTENTION)) \
		$(MEASURING_LIBRARY)
	@mkdir -p $(@D)
	$(CXX) $(LDFLAGS) -o $@ $^ -lcmocka -ljansson $(DEQUE_LIBS)
# A processor of our making, for the real libpapi.
$(BUILD)/tests/counters_test: | $(BUILD)/tests/pmu.so
$(BUILD)/tests/pmu.so: tests/harness/pmu.c
	@mkdir -p $(@D)
	$(call compile,tests,once,0,$<) -fPIC -shared $< -o $@

# Unit tests of applications: one executable for each file of tests/workloads, with the objects that it needs.
APPLICATION_UNITS := $(filter tests/workloads/%_test.c,$(SOURCES))
APPLICATION_TESTS := $(APPLICATION_UNITS:tests/workloads/%.c=$(BUILD)/tests/%)
tests: $(APPLICATION_TESTS)
$(BUILD)/libapplications.a: $(call objects_once,timed,$(call below,workloads/applications workloads/serve))
	$(archive)
$(APPLICATION_TESTS): $(BUILD)/tests/%: $$(call test_objects,tests/workloads/$$*.c) $(BUILD)/libapplications.a $(MEASURING_LIBRARY)
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ $(LDFLAGS) -lcmocka $(APPLICATION_LIBS) $(DEQUE_LIBS)

# --- a scripted deque in virtual time, with all workloads. Its answers and times are known, and tests/scripted/due_test.py says
# what every metric has to be.
FLAGS_scripted := -O1 -g1 -Itests/scripted $(patsubst %,-Wl$(comma)--wrap=%,clock_gettime getrusage sched_yield syscall pthread_join nanosleep \
	pread interrupts_read pthread_mutex_lock pthread_mutex_unlock task_cost_work task_cost_calibrate)
ONCE_OF_scripted := timed
NUMBERS_scripted := 0
$(BUILD)/scripted/%: $$(call made_of,scripted,$$*,$(WORKLOADS) tests/scripted/machine.c)
	$(call link,scripted,$*)
tests: $(BUILD)/scripted/scripted

# --- placed runs in a guest with two sockets (tests/numa.sh) and asks the kernel where threads and memory are: the pool over one
# deque, opened as the pool's checks do
$(BUILD)/placed: $(call objects,tests,chase_lev,0,tests/numa/placed.c) $(call objects,timed,chase_lev,0,$(filter-out $(ONCE),$(POOL_CHECKS))) \
		$(call objects_once,timed,$(POOL_CHECKS)) $(MEASURING_LIBRARY)
	$(CXX) -o $@ $^ $(LDFLAGS) $(DEQUE_LIBS)

# --- objects that tests/compilers.sh compiles, without linking, with every installed compiler. objects: the workloads of the
# deques. objects_few: two files, with all operations of a deque and with the pool over it. objects_besides: the deques' checks,
# and everything that does not depend on the deque.
.PHONY: objects objects_few objects_besides
of_each_deque = $(foreach id,$(DEQUE_IDS),$(call objects,timed,$(id),0,$(filter-out $(ONCE) $(VARIED),$(1))))
objects: $(call of_each_deque,harness/deque_main.c $(WORKLOADS)) $(call objects_once,timed,$(WORKLOADS) $(CHECKED))
objects_few: $(call of_each_deque,proof/checks/conformance.c workloads/pool/pool.c)
objects_besides: $(call of_each_deque,$(CHECKS)) $(call objects,harness,once,0,$(filter %.c,$(MEASURING))) $(DRIVER_OBJECTS) \
	$(call test_objects,$(UNITS) $(APPLICATION_UNITS)) $(LAB_OBJECTS)

# --- every mutant of every sound deque runs through the checks until one kills it; an interrupted run continues.
.PHONY: mutants_runtime
mutants_runtime: $(LAB_OBJECTS)
