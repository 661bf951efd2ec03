# upstream.mk: other people's implementations, built where they are installed. Included by the Makefile.
#
#   make upstream                                            those that are found
#   make upstream CPPFLAGS="-I/somewhere/taskflow -I..."     with headers that the system does not have
#
# found.sh looks for them; README.md says what they are and where to get them.

UPSTREAM_FOUND := $(shell CXX='$(CXX)' CPPFLAGS='$(CPPFLAGS)' BUILD='$(BUILD)' queues/upstream/found.sh)
UPSTREAM_HERE := $(filter $(or $(DEQUES_NAMED),upstream/%),$(filter upstream/%,$(UPSTREAM_FOUND)))
upstream_tool = $(patsubst $(1)=%,%,$(filter $(1)=%,$(UPSTREAM_FOUND)))
UPSTREAM_RUST := $(filter upstream/crossbeam_%,$(UPSTREAM_HERE))
UPSTREAM_CXX := $(filter-out $(UPSTREAM_RUST),$(filter $(patsubst queues/%.cc,%,$(wildcard queues/upstream/*.cc)),$(UPSTREAM_HERE)))
UPSTREAM_C := $(filter-out $(UPSTREAM_CXX) $(UPSTREAM_RUST),$(UPSTREAM_HERE))

# preempt and stopped do something at each access by <stdatomic.h>; an original has none.
UPSTREAM_CHECKED_EACH := $(filter-out checks/preempt.c checks/stopped.c,$(CHECKED_EACH))
UPSTREAM_SIMULATED_ONCE := $(call objects_once,simulated,$(SIMULATED_ONCE))
UPSTREAM_ADDRESS_ONCE := $(call objects_once,address,$(CHECKED_ONCE))
UPSTREAM_THREAD_ONCE := $(call objects_once,thread,$(CHECKED_ONCE))
# $(1): folder, $(2): id
upstream_shim = $(BUILD)/obj/$(1)/$(2)/shim.o
UPSTREAM_SMALL := -DUPSTREAM_FIXED_CAPACITY=128
UPSTREAM_CLANG_CC := $(shell $(CC) --version | grep clang)
# gcc wonders at an array that is filled as far as it is used and goes to a function it cannot see into.
UPSTREAM_QUIET := $(if $(UPSTREAM_CLANG_CC),,-Wno-maybe-uninitialized)

# A shim and the workloads become one at link time, so that operations are inlined into the loops that time them. What
# may throw is inlined only into C that was compiled with exceptions.
UPSTREAM_LTO := -fexceptions $(if $(UPSTREAM_CLANG_CC),-flto=thin -fuse-ld=lld -Qunused-arguments,-flto=auto)
# Other people's headers are not held to our warnings.
UPSTREAM_CXXFLAGS = -std=c++20 -DNDEBUG -I. -pthread -g -Wall -Wextra -Wshadow -Wconversion -MMD -MP \
	$(patsubst -I%,-isystem %,$(CPPFLAGS))

# --- in C: as a deque of our own, but for preempt
define UPSTREAM_IN_C
$(call TIMED,$(1),$(OPTIMISE),$(UPSTREAM_CHECKED_EACH))
$(call DEQUE,$(1),simulated,$(SIMULATED),$(SIMULATED_EACH),$(UPSTREAM_SIMULATED_ONCE))
$(call DEQUE,$(1),address,$(ADDRESS),$(UPSTREAM_CHECKED_EACH),$(UPSTREAM_ADDRESS_ONCE))
$(call DEQUE,$(1),thread,$(THREAD),$(UPSTREAM_CHECKED_EACH),$(UPSTREAM_THREAD_ONCE))
endef
$(foreach id,$(UPSTREAM_C),$(eval $(call UPSTREAM_IN_C,$(id))))

# --- in C++: a shim besides. $(1): id, $(2): folder, $(3): flags
define UPSTREAM_SHIM
$(BUILD)/obj/$(2)/$(1)/shim.o: queues/$(1).cc $(BUILD)/build.json
	@mkdir -p $$(@D)
	$(CXX) $(UPSTREAM_CXXFLAGS) $(3) -c $$< -o $$@
endef
define UPSTREAM_IN_CXX
$(call TIMED,$(1),$(OPTIMISE) $(UPSTREAM_LTO) $(UPSTREAM_QUIET),$(UPSTREAM_CHECKED_EACH),$(call upstream_shim,deques,$(1)))
$(call DEQUE,$(1),simulated,$(SIMULATED) $(UPSTREAM_LTO) $(UPSTREAM_QUIET),$(SIMULATED_EACH),$(UPSTREAM_SIMULATED_ONCE) $(call upstream_shim,simulated,$(1)))
$(call DEQUE,$(1),address,$(ADDRESS) $(UPSTREAM_SMALL) $(UPSTREAM_QUIET),$(UPSTREAM_CHECKED_EACH),$(UPSTREAM_ADDRESS_ONCE) $(call upstream_shim,address,$(1)))
$(call DEQUE,$(1),thread,$(THREAD) $(UPSTREAM_SMALL) $(UPSTREAM_QUIET),$(UPSTREAM_CHECKED_EACH),$(UPSTREAM_THREAD_ONCE) $(call upstream_shim,thread,$(1)))
$(call UPSTREAM_SHIM,$(1),deques,$(OPTIMISE) $(UPSTREAM_LTO))
$(call UPSTREAM_SHIM,$(1),simulated,$(SIMULATED) $(UPSTREAM_LTO))
$(call UPSTREAM_SHIM,$(1),address,$(ADDRESS) $(UPSTREAM_SMALL))
$(call UPSTREAM_SHIM,$(1),thread,$(THREAD) $(UPSTREAM_SMALL))
endef
$(foreach id,$(UPSTREAM_CXX),$(eval $(call UPSTREAM_IN_CXX,$(id))))

# --- in Rust: a static library, as bitcode, which clang's linker inlines into what clang compiled of ours, and as machine
# code for the address sanitizer's flavour (its C side is instrumented, the Rust is not)
ifneq ($(UPSTREAM_RUST),)
UPSTREAM_TARGET := $(shell $(call upstream_tool,rustc) -vV | sed -n 's/^host: //p')
UPSTREAM_CLANG := $(call upstream_tool,clang)
UPSTREAM_CLANG_FLAGS := -flto=thin --target=$(UPSTREAM_TARGET) -fuse-ld=$(call upstream_tool,lld) -Qunused-arguments -gdwarf-4
upstream_cpu = $(patsubst -march=%,-C target-cpu=%,$(filter -march=%,$(1)))

# $(1): folder, $(2): flags of rustc
define UPSTREAM_CRATE
$(BUILD)/upstream/crossbeam/$(1)/libupstream.a: queues/upstream/crossbeam/Cargo.toml queues/upstream/crossbeam/src/lib.rs $(BUILD)/build.json
	@mkdir -p $$(@D)
	@cp -r queues/upstream/crossbeam/. $$(@D)
	cd $$(@D) && RUSTC=$(call upstream_tool,rustc) RUSTFLAGS='$(2)' $(call upstream_tool,cargo) build --quiet --release --offline \
		--target $(UPSTREAM_TARGET) --target-dir target --config 'source.crates-io.replace-with="debian"' \
		--config 'source.debian.directory="/usr/share/cargo/registry"'
	@cp $$(@D)/target/$(UPSTREAM_TARGET)/release/libupstream.a $$@
endef
$(eval $(call UPSTREAM_CRATE,deques,-C linker-plugin-lto $(call upstream_cpu,$(OPTIMISE))))
$(eval $(call UPSTREAM_CRATE,simulated,-C linker-plugin-lto $(call upstream_cpu,$(SIMULATED))))
$(eval $(call UPSTREAM_CRATE,address,))

# The recipes take CC and CXX as they are here, where they are clang's.
define UPSTREAM_IN_RUST
$(call TIMED,$(1),$(OPTIMISE) $(UPSTREAM_CLANG_FLAGS),$(UPSTREAM_CHECKED_EACH),$(BUILD)/upstream/crossbeam/deques/libupstream.a)
$(call DEQUE,$(1),simulated,$(SIMULATED) $(UPSTREAM_CLANG_FLAGS),$(SIMULATED_EACH),$(UPSTREAM_SIMULATED_ONCE) $(BUILD)/upstream/crossbeam/simulated/libupstream.a)
endef
$(foreach CC,$(UPSTREAM_CLANG),$(foreach CXX,$(subst clang,clang++,$(UPSTREAM_CLANG)),\
	$(foreach id,$(UPSTREAM_RUST),$(eval $(call UPSTREAM_IN_RUST,$(id))))))
$(foreach id,$(UPSTREAM_RUST),$(eval $(call DEQUE,$(id),address,$(ADDRESS),$(UPSTREAM_CHECKED_EACH),\
	$(UPSTREAM_ADDRESS_ONCE) $(BUILD)/upstream/crossbeam/address/libupstream.a)))
endif

.PHONY: upstream
upstream: $(call parts_of,$(UPSTREAM_HERE))
deques: upstream
gate_builds: $(UPSTREAM_HERE:%=$(BUILD)/address/%) $(patsubst %,$(BUILD)/thread/%,$(filter-out $(UPSTREAM_RUST),$(UPSTREAM_HERE)))
