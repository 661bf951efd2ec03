# peers.mk: other people's implementations, built where they are installed. Included by the Makefile.
#
#   make peers                                            those that are found
#   make peers CPPFLAGS="-I/somewhere/taskflow -I..."     with headers that the system does not have
#
# found.sh looks for them; README.md says what they are and where to get them.

PEERS_FOUND := $(shell CXX='$(CXX)' CPPFLAGS='$(CPPFLAGS)' BUILD='$(BUILD)' queues/peers/found.sh)
PEERS_HERE := $(filter $(or $(DEQUES_NAMED),peers/%),$(filter peers/%,$(PEERS_FOUND)))
peer_tool = $(patsubst $(1)=%,%,$(filter $(1)=%,$(PEERS_FOUND)))
PEERS_RUST := $(filter peers/crossbeam_%,$(PEERS_HERE))
PEERS_CXX := $(filter-out $(PEERS_RUST),$(filter $(patsubst queues/%.cc,%,$(wildcard queues/peers/*.cc)),$(PEERS_HERE)))
PEERS_C := $(filter-out $(PEERS_CXX) $(PEERS_RUST),$(PEERS_HERE))

# preempt and stopped do something at each access by <stdatomic.h>; a peer has none.
PEER_GATE := $(filter-out preempt stopped,$(GATE))
PEER_TIMED_OBJECTS := deque_main $(WORKLOADS) $(PEER_GATE)
PEER_GATE_OBJECTS := deque_main pool $(PEER_GATE)
PEER_TIMED_ONCE := $(call once,deques,$(POOL) $(APPLICATIONS))
PEER_SIMULATED_OBJECTS := deque_main $(WORKLOADS)
PEER_SIMULATED_ONCE := $(call once,simulated,$(filter-out tests/%,$(POOL)) $(APPLICATIONS))
PEER_SMALL := -DPEER_FIXED_CAPACITY=128
PEER_CLANG_CC := $(shell $(CC) --version | grep clang)
# gcc wonders at an array that is filled as far as it is used and goes to a function it cannot see into.
PEER_QUIET := $(if $(PEER_CLANG_CC),,-Wno-maybe-uninitialized)

# A shim and the workloads become one at link time, so that operations are inlined into the loops that time them. What
# may throw is inlined only into C that was compiled with exceptions.
PEER_LTO := -fexceptions $(if $(PEER_CLANG_CC),-flto=thin -fuse-ld=lld -Qunused-arguments,-flto=auto)
# Other people's headers are not held to our warnings.
PEER_CXXFLAGS = -std=c++20 -DNDEBUG -I. -pthread -g -Wall -Wextra -Wshadow -Wconversion -MMD -MP \
	$(patsubst -I%,-isystem %,$(CPPFLAGS))

# --- in C: as a deque of our own, but for preempt
define PEER_IN_C
$(call DEQUE_FLAVOUR,$(1),deques,$(OPTIMISE),$(PEER_TIMED_OBJECTS),$(PEER_TIMED_ONCE))
$(call DEQUE_FLAVOUR,$(1),simulated,$(SIMULATED),$(PEER_SIMULATED_OBJECTS),$(PEER_SIMULATED_ONCE))
$(call DEQUE_FLAVOUR,$(1),address,$(ADDRESS),$(PEER_GATE_OBJECTS),$(call once,address,$(POOL)))
$(call DEQUE_FLAVOUR,$(1),thread,$(THREAD),$(PEER_GATE_OBJECTS),$(call once,thread,$(POOL)))
endef
$(foreach id,$(PEERS_C),$(eval $(call PEER_IN_C,$(id))))

# --- in C++: a shim besides. $(1): id, $(2): folder, $(3): flags
define PEER_SHIM
$(BUILD)/obj/$(2)/$(1)/shim.o: queues/$(1).cc $(BUILD)/build.json
	@mkdir -p $$(@D)
	$(CXX) $(PEER_CXXFLAGS) $(3) -c $$< -o $$@
endef
define PEER_IN_CXX
$(call DEQUE_FLAVOUR,$(1),deques,$(OPTIMISE) $(PEER_LTO) $(PEER_QUIET),$(PEER_TIMED_OBJECTS) shim,$(PEER_TIMED_ONCE))
$(call DEQUE_FLAVOUR,$(1),simulated,$(SIMULATED) $(PEER_LTO) $(PEER_QUIET),$(PEER_SIMULATED_OBJECTS) shim,$(PEER_SIMULATED_ONCE))
$(call DEQUE_FLAVOUR,$(1),address,$(ADDRESS) $(PEER_SMALL) $(PEER_QUIET),$(PEER_GATE_OBJECTS) shim,$(call once,address,$(POOL)))
$(call DEQUE_FLAVOUR,$(1),thread,$(THREAD) $(PEER_SMALL) $(PEER_QUIET),$(PEER_GATE_OBJECTS) shim,$(call once,thread,$(POOL)))
$(call PEER_SHIM,$(1),deques,$(OPTIMISE) $(PEER_LTO))
$(call PEER_SHIM,$(1),simulated,$(SIMULATED) $(PEER_LTO))
$(call PEER_SHIM,$(1),address,$(ADDRESS) $(PEER_SMALL))
$(call PEER_SHIM,$(1),thread,$(THREAD) $(PEER_SMALL))
endef
$(foreach id,$(PEERS_CXX),$(eval $(call PEER_IN_CXX,$(id))))

# --- in Rust: a static library, as bitcode, which clang's linker inlines into what clang compiled of ours, and as machine
# code for the address sanitizer's flavour (its C side is instrumented, the Rust is not)
ifneq ($(PEERS_RUST),)
PEER_TARGET := $(shell $(call peer_tool,rustc) -vV | sed -n 's/^host: //p')
PEER_CLANG := $(call peer_tool,clang)
PEER_CLANG_FLAGS := -flto=thin --target=$(PEER_TARGET) -fuse-ld=$(call peer_tool,lld) -Qunused-arguments -gdwarf-4
peer_cpu = $(patsubst -march=%,-C target-cpu=%,$(filter -march=%,$(1)))

# $(1): folder, $(2): flags of rustc
define PEER_CRATE
$(BUILD)/peers/crossbeam/$(1)/libpeer.a: queues/peers/crossbeam/Cargo.toml queues/peers/crossbeam/src/lib.rs $(BUILD)/build.json
	@mkdir -p $$(@D)
	@cp -r queues/peers/crossbeam/. $$(@D)
	cd $$(@D) && RUSTC=$(call peer_tool,rustc) RUSTFLAGS='$(2)' $(call peer_tool,cargo) build --quiet --release --offline \
		--target $(PEER_TARGET) --target-dir target --config 'source.crates-io.replace-with="debian"' \
		--config 'source.debian.directory="/usr/share/cargo/registry"'
	@cp $$(@D)/target/$(PEER_TARGET)/release/libpeer.a $$@
endef
$(eval $(call PEER_CRATE,deques,-C linker-plugin-lto $(call peer_cpu,$(OPTIMISE))))
$(eval $(call PEER_CRATE,simulated,-C linker-plugin-lto $(call peer_cpu,$(SIMULATED))))
$(eval $(call PEER_CRATE,address,))

# The recipes take CC and CXX as they are here, where they are clang's.
define PEER_IN_RUST
$(call DEQUE_FLAVOUR,$(1),deques,$(OPTIMISE) $(PEER_CLANG_FLAGS),$(PEER_TIMED_OBJECTS),$(PEER_TIMED_ONCE) $(BUILD)/peers/crossbeam/deques/libpeer.a)
$(call DEQUE_FLAVOUR,$(1),simulated,$(SIMULATED) $(PEER_CLANG_FLAGS),$(PEER_SIMULATED_OBJECTS),$(PEER_SIMULATED_ONCE) $(BUILD)/peers/crossbeam/simulated/libpeer.a)
endef
$(foreach CC,$(PEER_CLANG),$(foreach CXX,$(subst clang,clang++,$(PEER_CLANG)),\
	$(foreach id,$(PEERS_RUST),$(eval $(call PEER_IN_RUST,$(id))))))
$(foreach id,$(PEERS_RUST),$(eval $(call DEQUE_FLAVOUR,$(id),address,$(ADDRESS),$(PEER_GATE_OBJECTS),\
	$(call once,address,$(POOL)) $(BUILD)/peers/crossbeam/address/libpeer.a)))
endif

.PHONY: peers
peers: $(PEERS_HERE:%=$(BUILD)/deques/%)
deques: peers
gate_builds: $(PEERS_HERE:%=$(BUILD)/address/%) $(patsubst %,$(BUILD)/thread/%,$(filter-out $(PEERS_RUST),$(PEERS_HERE)))
