# tests.mk: what the tests need built. Included by setup/build.mk.

# --- unit tests: one executable a file of tests/harness, linked with the library and the driver without its main
.PHONY: tests
UNITS := $(filter tests/harness/%_test.c,$(SOURCES))
test_objects = $(call objects,tests,once,0,$(1))
tests: $(UNITS:tests/harness/%.c=$(BUILD)/tests/%)
$(BUILD)/tests/%: $$(call test_objects,tests/harness/$$*.c) $(DRIVER_OBJECTS) $(call objects_once,timed,$(CONTENTION)) \
		$(MEASURING_LIBRARY)
	@mkdir -p $(@D)
	$(CXX) $(LDFLAGS) -o $@ $^ -lcmocka -ljansson $(DEQUE_LIBS)
# A scripted libpapi, which counters_test loads; counters_papi_test corrects the real one by a function of its own.
$(BUILD)/tests/counters_test: | $(BUILD)/tests/papi_stand_in.so
$(BUILD)/tests/papi_stand_in.so: tests/harness/papi_stand_in.c tests/harness/papi_stand_in.h
	@mkdir -p $(@D)
	$(call compile,tests,once,0,$<) -fPIC -shared $< -o $@
$(BUILD)/tests/counters_papi_test: LDFLAGS += -rdynamic

# The same for what applications are made of: a file of tests/workloads, and the objects that it asks for.
APPLICATION_UNITS := $(filter tests/workloads/%_test.c,$(SOURCES))
APPLICATION_TESTS := $(APPLICATION_UNITS:tests/workloads/%.c=$(BUILD)/tests/%)
tests: $(APPLICATION_TESTS)
$(BUILD)/libapplications.a: $(call objects_once,timed,$(call below,workloads/applications))
	$(archive)
$(APPLICATION_TESTS): $(BUILD)/tests/%: $$(call test_objects,tests/workloads/$$*.c) $(BUILD)/libapplications.a $(MEASURING_LIBRARY)
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ $(LDFLAGS) -lcmocka $(APPLICATION_LIBS) $(DEQUE_LIBS)

# --- a deque whose answers and times are known beforehand, in virtual time, with all workloads: what every metric has to
# say of it stands in tests/scripted/due_test.py
FLAGS_scripted := -O1 -g1 -Itests/scripted $(patsubst %,-Wl$(comma)--wrap=%,clock_gettime getrusage sched_yield syscall pthread_join)
ONCE_OF_scripted := timed
NUMBERS_scripted := 0
$(BUILD)/scripted/%: $$(call made_of,scripted,$$*,$(WORKLOADS) tests/scripted/machine.c)
	$(call link,scripted,$*)
tests: $(BUILD)/scripted/scripted

# --- what looks in a guest with two sockets whether threads and memory are where they were asked to be (tests/numa.sh): the
# pool over one deque, with the check's way of opening it
$(BUILD)/placed: $(call objects,tests,chase_lev,0,tests/numa/placed.c) $(call objects,timed,chase_lev,0,workloads/pool/pool.c) \
		$(call objects_once,timed,$(POOL_CHECKS)) $(MEASURING_LIBRARY)
	$(CXX) -o $@ $^ $(LDFLAGS) $(DEQUE_LIBS)

# --- what is compiled, without linking: tests/compilers.sh tries it with every compiler that is there. The first is the
# deques' with what they are linked with, the second where all operations of a deque are and the pool over it, the third their
# checks and what does not know them.
.PHONY: objects objects_few objects_besides
of_each_deque = $(foreach id,$(DEQUE_IDS),$(call objects,timed,$(id),0,$(filter-out $(ONCE) $(VARIED),$(1))))
objects: $(call of_each_deque,harness/deque_main.c $(WORKLOADS)) $(call objects_once,timed,$(WORKLOADS) $(CHECKED))
objects_few: $(call of_each_deque,proof/checks/conformance.c workloads/pool/pool.c)
objects_besides: $(call of_each_deque,$(CHECKS)) $(call objects,harness,once,0,$(filter %.c,$(MEASURING))) $(DRIVER_OBJECTS) \
	$(call test_objects,$(UNITS) $(APPLICATION_UNITS)) $(LAB_OBJECTS)

# --- does the gate catch mistakes? Every mutant of every sound deque through all checks until one kills it; goes on where it was.
.PHONY: mutants_runtime catalogue
mutants_runtime: $(LAB_OBJECTS)
catalogue: lab
	proof/catalogue.py
