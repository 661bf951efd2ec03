# transplants.mk: a runtime whose headers were copied and given another deque: HOST/DEQUE, from build/hosts/HOST/DEQUE/include,
# which prepare.py made. libomp is a library there.
host_library = $(if $(filter openmp_llvm/%,$(1)),$(BUILD)/extras/hosts/$(1)/make/runtime/src/libomp.so)
FLAGS_transplants = $(FLAGS_runtimes) -isystem $(BUILD)/extras/hosts/$(2)/include
HEADER_transplants := queues/empty.h
$(BUILD)/extras/transplants/%: $$(call objects,transplants,$$*,0,harness/deque_main.c extras/runtimes/$$(firstword $$(subst /, ,$$*)).cc) \
		extras/runtimes/$$(firstword $$(subst /, ,$$*)).cc \
		$(RUNTIME_INPUTS) $(MEASURING_LIBRARY) $$(call host_library,$$*)
	@mkdir -p $(@D)
	$(CXX) -o $@ $(filter-out %.cc,$^) $(LDFLAGS) \
		$(if $(call host_library,$*),-Wl$(comma)-rpath$(comma)$(abspath $(dir $(call host_library,$*)))) $(APPLICATION_LIBS) $(DEQUE_LIBS)
# Rayon, whose other half cargo made with its own deque or for any of ours (crates.py), and this one of ours.
$(BUILD)/extras/hosts/rayon/%/libforeign_half.a: $$(shell find $(BUILD)/extras/hosts/rayon/$$* -name target -prune -o -name '*.rs' -print -o -name '*.toml' -print)
	cd $(@D)/half && $(CARGO_BUILD)
	@[ $* = own ] || grep -q transplant_glue_push $(@D)/half/target/release/libforeign_rayon.a # or the patch was not taken
	@cp $(@D)/half/target/release/libforeign_rayon.a $@
$(BUILD)/extras/hosts/rayon/%/glue.o: $(BUILD)/extras/hosts/rayon/%/glue.cc $(BUILD)/extras/hosts/rayon/%/transplant_deque.h
	$(CXX) -std=c++17 $(OPTIMISE) -I$(@D) -c $< -o $@
$(BUILD)/obj/transplants/rayon/%: RAYON_FOLDER = $(BUILD)/extras/hosts/rayon/own/source/Cargo.toml
$(BUILD)/extras/transplants/rayon/%: $$(call objects,transplants,rayon/$$*,0,harness/deque_main.c extras/runtimes/rayon.c) $(RUNTIME_INPUTS) \
		$(MEASURING_LIBRARY) $$(if $$(filter own,$$*),,$(BUILD)/extras/hosts/rayon/$$*/glue.o) \
		$(BUILD)/extras/hosts/rayon/$$(if $$(filter own,$$*),own,ours)/libforeign_half.a
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ $(LDFLAGS) -ldl $(APPLICATION_LIBS) $(DEQUE_LIBS)
