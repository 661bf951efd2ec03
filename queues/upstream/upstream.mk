# upstream.mk: other people's implementations, built where they are installed. Included by setup/build.mk.
#
#   make upstream                                            those that are found
#   make upstream UPSTREAM_FROM=/somewhere/taskflow:...      with headers that the system does not have
#
# found.sh looks for them; README.md says what they are and where to get them.

# Looked for once, and only by a make that one of them matters to.
UPSTREAM_FOUND = $(eval UPSTREAM_FOUND := $(shell $(call with_flags,queues/upstream/found.sh)))$(UPSTREAM_FOUND)
UPSTREAM_HERE = $(filter $(or $(DEQUES_NAMED),upstream/%),$(filter upstream/%,$(UPSTREAM_FOUND)))
UPSTREAM_RUST = $(filter upstream/crossbeam_%,$(UPSTREAM_HERE))
upstream_tool = $(patsubst $(1)=%,%,$(filter $(1)=%,$(UPSTREAM_FOUND)))

# preempt and stopped do something at each access by <stdatomic.h>; an original has none.
upstream_without = $(if $(filter upstream/%,$(1)),proof/checks/preempt.c proof/checks/stopped.c)

# A shim and the workloads become one at link time, so that operations are inlined into the loops that time them. What
# may throw is inlined only into C that was compiled with exceptions. Under a sanitizer nothing is timed.
# $(1): flavour, $(2): whose
UPSTREAM_SHIMS := $(filter queues/upstream/%.cc,$(SOURCES))
UPSTREAM_LTO := -fexceptions $(if $(filter clang,$(MAKER)),-flto=thin -fuse-ld=lld -Qunused-arguments,-flto=auto)
# gcc wonders at an array that is filled as far as it is used and goes to a function it cannot see into.
UPSTREAM_QUIET := $(if $(filter gcc,$(MAKER)),-Wno-maybe-uninitialized)
# What includes an original is compiled with UPSTREAM_FROM's folders, and anew when they or a header in them change
# (-MD: with system headers). Nothing else knows of them. $(1): flavour, $(2): whose, $(4): source
UPSTREAM_PLACE := $(BUILD)/upstream/from/flags
upstream_includes = $(if $(filter upstream/%,$(2)),$(if $(upstream_shim),$(filter %.cc,$(4)),yes))
upstream_from = $(if $(upstream_includes),-MD $(file <$(UPSTREAM_PLACE)))
upstream_depends = $(if $(upstream_includes),$(if $(UPSTREAM_FOUND),)$(UPSTREAM_PLACE))
$(UPSTREAM_PLACE): $$(if $$(UPSTREAM_FOUND),) ;
upstream_shim = $(filter queues/$(2).cc,$(UPSTREAM_SHIMS))
upstream_flags = $(if $(upstream_shim),-DNDEBUG $(UPSTREAM_QUIET) $(if $(filter address thread,$(1)),-DUPSTREAM_FIXED_CAPACITY=128,\
	$(if $(filter-out described,$(1)),$(UPSTREAM_LTO))))$(if $(upstream_rust),$(UPSTREAM_CLANG_FLAGS))
upstream_objects = $(if $(upstream_shim),$(call objects,$(1),$(2),0,$(upstream_shim)))$(if \
	$(filter upstream/crossbeam_%,$(2)),$(BUILD)/upstream/crossbeam/$(1)/libupstream.a)

# In Rust: a static library, as bitcode, which clang's linker inlines into what clang compiled of ours, and as machine
# code for the address sanitizer's flavour (its C side is instrumented, the Rust is not).
# A crate of UPSTREAM_FROM is built for the checks alone, by whatever rustc there is, as machine code.
upstream_rust = $(if $(filter upstream/crossbeam_%,$(2)),$(if $(UPSTREAM_CRATE),,$(filter timed layout items4,$(1))))
UPSTREAM_CRATE = $(call upstream_tool,crate)
UPSTREAM_TARGET = $(shell $(call upstream_tool,rustc) -vV | sed -n 's/^host: //p')
UPSTREAM_CLANG = $(call upstream_tool,clang)
UPSTREAM_CLANG_FLAGS = -flto=thin --target=$(UPSTREAM_TARGET) -fuse-ld=$(call upstream_tool,lld) -Qunused-arguments -gdwarf-4
upstream_crate_flags = $(if $(filter address,$(1))$(UPSTREAM_CRATE),,-C linker-plugin-lto $(patsubst -march=%,-C target-cpu=%,$(filter -march=%,$(FLAGS_$(1)))))
$(BUILD)/upstream/crossbeam/%/libupstream.a: queues/upstream/crossbeam/Cargo.toml queues/upstream/crossbeam/src/lib.rs $(UPSTREAM_PLACE)
	@mkdir -p $(@D)
	@cp -r queues/upstream/crossbeam/. $(@D)
	$(if $(UPSTREAM_CRATE),sed -i 's|^crossbeam-deque = .*|crossbeam-deque = { path = "$(abspath $(UPSTREAM_CRATE))" }|' $(@D)/Cargo.toml)
	cd $(@D) && RUSTC=$(call upstream_tool,rustc) RUSTFLAGS='$(call upstream_crate_flags,$*)' $(call upstream_tool,cargo) build \
		--quiet --release --offline --target $(UPSTREAM_TARGET) --target-dir target \
		$(if $(UPSTREAM_CRATE),,--config 'source.crates-io.replace-with="debian"' --config 'source.debian.directory="/usr/share/cargo/registry"')
	@cp $(@D)/target/$(UPSTREAM_TARGET)/release/libupstream.a $@
