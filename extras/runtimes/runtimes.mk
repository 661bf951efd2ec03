# runtimes.mk: other runtimes on the same work, one executable each below build/runtimes, built where what it needs is found.
RUNTIMES := $(patsubst extras/runtimes/%,%,$(wildcard extras/runtimes/*.cc extras/runtimes/*.c))
# What they work on is made by the same code as for ours.
RUNTIME_INPUTS := $(BUILD)/libapplications.a
RUNTIME_COMES_WITH_onetbb := Debian: libtbb-dev
RUNTIME_NEEDS_onetbb := oneapi/tbb/task_group.h
RUNTIME_LIBS_onetbb := -ltbb
RUNTIME_COMES_WITH_openmp := the OpenMP of the C++ compiler
RUNTIME_NEEDS_openmp := omp.h
RUNTIME_LIBS_openmp := -fopenmp
RUNTIME_FLAGS_openmp := -fopenmp
# LLVM's runtime under the same compiler's code, where it is installed.
LIBOMP = $(firstword $(wildcard $(shell $(CXX) -print-file-name=libomp.so) /usr/lib/llvm-*/lib/libomp.so))
RUNTIME_COMES_WITH_openmp_llvm := Debian: libomp-dev
RUNTIME_NEEDS_openmp_llvm = $(if $(LIBOMP),omp.h,libomp.so)
RUNTIME_LIBS_openmp_llvm = $(LIBOMP) -Wl,-rpath,$(dir $(LIBOMP))
RUNTIME_FLAGS_openmp_llvm := -fopenmp
RUNTIME_COMES_WITH_taskflow := its headers, CPPFLAGS=-I...
RUNTIME_NEEDS_taskflow := taskflow/taskflow.hpp
RUNTIME_COMES_WITH_parlaylib := its headers, CPPFLAGS=-I...
RUNTIME_NEEDS_parlaylib := parlay/parallel.h
RUNTIME_COMES_WITH_stdexec := its headers, CPPFLAGS=-I...
RUNTIME_NEEDS_stdexec := exec/static_thread_pool.hpp
RUNTIME_FLAGS_stdexec := -std=c++20
RUNTIME_COMES_WITH_lace_runtime := its header and library, CPPFLAGS=-I... LDFLAGS=-L...
RUNTIME_NEEDS_lace_runtime := lace.h
RUNTIME_LIBS_lace_runtime := -llace
# Where it was installed, a file beside the header tells what no header does.
LACE_VERSION = $(shell sed -n 's/^Version: *//p' \
	$(wildcard $(patsubst -I%,%/../lib/pkgconfig/lace.pc,$(filter -I%,$(CPPFLAGS)))) /dev/null)
RUNTIME_FLAGS_lace_runtime = $(if $(LACE_VERSION),-DLACE_VERSION='"$(LACE_VERSION)"')
# RUNTIMES_FROM: a folder of other people's checkouts, each by the name that git clone gives it. What lies there is built at the
# revision that it is at, which the title tells; it comes before what is installed.
RUNTIME_FOLDER_libfork := libfork
RUNTIME_FOLDER_toomanycooks := TooManyCooks
RUNTIME_FOLDER_taskflow := taskflow
RUNTIME_FOLDER_lace_runtime := lace
runtime_from = $(if $(and $(RUNTIMES_FROM),$(RUNTIME_FOLDER_$(1))),$(wildcard $(RUNTIMES_FROM)/$(RUNTIME_FOLDER_$(1))))
runtime_from_flags = $(if $(call runtime_from,$(1)),-DRUNTIME_REVISION='"$(shell git -C '$(call runtime_from,$(1))' describe --tags --always)"' \
	-isystem $(if $(filter lace_runtime,$(1)),$(BUILD)/extras/from/lace/include,$(call runtime_from,$(1))$(if $(filter taskflow,$(1)),,/include)))
# Built again when the checkout moves.
$(foreach runtime,libfork toomanycooks taskflow lace_runtime,$(eval \
	$(BUILD)/obj/runtimes/$(runtime)/+0/extras/runtimes/$(runtime).o: $(wildcard $(addsuffix /.git/logs/HEAD,$(call runtime_from,$(runtime))))))
RUNTIME_COMES_WITH_libfork := a checkout, RUNTIMES_FROM=
RUNTIME_COMES_WITH_toomanycooks := a checkout, RUNTIMES_FROM=
RUNTIME_FLAGS_libfork := -std=c++2b
# gcc 12 takes neither libfork's subscripts nor what TooManyCooks awaits: coroutines by the newest clang, if there is one.
COROUTINES_CXX ?= $(or $(lastword $(sort $(filter-out %-14 %-13,$(wildcard /usr/bin/clang++-[12][0-9])))),$(CXX))
$(foreach object,runtimes/libfork transplants/libfork runtimes/toomanycooks,$(BUILD)/obj/$(object)/%.o): CXX := $(COROUTINES_CXX)
ifneq ($(call runtime_from,lace_runtime),)
RUNTIME_HALF_lace_runtime := $(BUILD)/extras/from/lace/lib/liblace.a
RUNTIME_LIBS_lace_runtime := $(RUNTIME_HALF_lace_runtime)
$(RUNTIME_HALF_lace_runtime):
	cmake -S '$(call runtime_from,lace_runtime)' -B $(BUILD)/extras/from/lace/build -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_INSTALL_PREFIX='$(abspath $(BUILD))/extras/from/lace' -DCMAKE_INSTALL_LIBDIR=lib -DLACE_BUILD_TESTS=OFF -DLACE_BUILD_BENCHMARKS=OFF
	cmake --build $(BUILD)/extras/from/lace/build --target install
$(BUILD)/obj/runtimes/lace_runtime/+0/extras/runtimes/lace_runtime.o: $(RUNTIME_HALF_lace_runtime)
endif
# Where the other half is of another language, RUNTIME_HALF_... is what its compiler makes of it, an archive for C or classes,
# and RUNTIME_HERE_... says that what it needs is here. All of it is offline.
# Rayon, by the cargo and rustc that belong to its sources: Debian's, or what `cargo vendor` put into RAYON_REGISTRY.
RAYON_REGISTRY ?= /usr/share/cargo/registry
CARGO ?= $(firstword $(wildcard /usr/bin/cargo) $(shell command -v cargo 2>/dev/null))
RAYON_FOLDER = $(firstword $(wildcard $(RAYON_REGISTRY)/rayon-[0-9]*/Cargo.toml $(RAYON_REGISTRY)/rayon/Cargo.toml))
RUNTIME_COMES_WITH_rayon := Debian: librust-rayon-dev cargo rustc
RUNTIME_HERE_rayon = $(and $(CARGO),$(wildcard $(dir $(CARGO))rustc),$(RAYON_FOLDER))
RUNTIME_HALF_rayon := $(BUILD)/obj/runtimes/rayon/libforeign_half.a
RUNTIME_LIBS_rayon := $(RUNTIME_HALF_rayon) -ldl
RUNTIME_FLAGS_rayon = -DRAYON_VERSION='"$(shell sed -n 's/^version = "\(.*\)"/\1/p' $(RAYON_FOLDER) | head -n 1)"'
CARGO_BUILD = RUSTC=$(dir $(CARGO))rustc RUSTFLAGS='$(patsubst -march=%,-C target-cpu=%,$(filter -march=%,$(OPTIMISE)))' \
	$(CARGO) build --quiet --release --offline --target-dir target
$(BUILD)/obj/runtimes/%/libforeign_half.a: $$(wildcard extras/runtimes/$$*/Cargo.toml extras/runtimes/$$*/src/*.rs)
	@mkdir -p $(@D)
	@cp -r extras/runtimes/$*/. $(@D)
	cd $(@D) && $(CARGO_BUILD) --config 'source.crates-io.replace-with="here"' --config 'source.here.directory="$(RAYON_REGISTRY)"'
	@cp $(@D)/target/release/libforeign_$*.a $@
# Go, by its own library alone.
GO ?= $(shell command -v go 2>/dev/null)
RUNTIME_COMES_WITH_goroutines := Debian: golang-go
RUNTIME_HERE_goroutines = $(GO)
RUNTIME_HALF_goroutines := $(BUILD)/obj/runtimes/goroutines.a
RUNTIME_LIBS_goroutines := $(RUNTIME_HALF_goroutines)
RUNTIME_FLAGS_goroutines = -DGO_VERSION='"$(patsubst go%,%,$(shell $(GO) env GOVERSION))"'
$(RUNTIME_HALF_goroutines): $(wildcard extras/runtimes/goroutines/*)
	@mkdir -p $(@D)
	cd extras/runtimes/goroutines && CC='$(CC)' CGO_ENABLED=1 GO111MODULE=on GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local \
		GOCACHE='$(abspath $(BUILD))/obj/runtimes/go_cache' $(GO) build -buildmode=c-archive -o '$(abspath $@)' .
# Java: the folder of a JDK, with its compiler, jni.h and the virtual machine as a library.
JAVA_FOLDER = $(or $(JAVA_HOME),$(patsubst %/bin/javac,%,$(realpath $(shell command -v javac 2>/dev/null))))
RUNTIME_COMES_WITH_forkjoinpool := Debian: default-jdk-headless
RUNTIME_HERE_forkjoinpool = $(and $(wildcard $(JAVA_FOLDER)/bin/javac),$(wildcard $(JAVA_FOLDER)/include/jni.h),\
	$(wildcard $(JAVA_FOLDER)/lib/server/libjvm.so))
RUNTIME_HALF_forkjoinpool := $(BUILD)/extras/java/ForkJoin.class
RUNTIME_LIBS_forkjoinpool = -L$(JAVA_FOLDER)/lib/server -ljvm -Wl,-rpath,$(JAVA_FOLDER)/lib/server
RUNTIME_FLAGS_forkjoinpool = -isystem $(JAVA_FOLDER)/include -isystem $(JAVA_FOLDER)/include/linux -DJAVA_FOLDER='"$(JAVA_FOLDER)"'
$(RUNTIME_HALF_forkjoinpool): $(wildcard extras/runtimes/forkjoinpool/*.java)
	@mkdir -p $(@D)
	$(JAVA_FOLDER)/bin/javac -Xlint:all -d $(@D) $(filter %.java,$^)
	@touch $@

# Our warnings do not apply to other people's headers.
FLAGS_runtimes = $(FLAGS_timed) $(patsubst -I%,-isystem %,$(filter -I%,$(CPPFLAGS))) $(runtime_flags)
HEADER_runtimes := queues/empty.h
# $(1), $(2), $(4): as of an object
runtime_flags = $(if $(filter extras/runtimes/%,$(4)),$(RUNTIME_FLAGS_$(firstword $(subst /, ,$(2)))) $(call runtime_from_flags,$(2)),\
	-include extras/runtimes/title.h -DDEQUE_TITLE='runtime_title()')
$(BUILD)/extras/runtimes/%: $$(call objects,runtimes,$$*,0,harness/deque_main.c extras/runtimes/$$*.c) $$(RUNTIME_HALF_$$*) $(RUNTIME_INPUTS) \
		$(MEASURING_LIBRARY)
	@mkdir -p $(@D)
	$(CXX) -o $@ $(filter-out $(RUNTIME_HALF_$*),$^) $(LDFLAGS) $(RUNTIME_LIBS_$*) $(APPLICATION_LIBS) $(DEQUE_LIBS)
$(BUILD)/tests/runtime_steady_test: $(call objects,tests,once,0,extras/runtimes/tests/runtime_steady_test.c) $(MEASURING_LIBRARY)
	@mkdir -p $(@D)
	$(CXX) -o $@ $^ $(LDFLAGS) -lcmocka $(DEQUE_LIBS)

# What is found: headers by the compiler, as setup/flags.sh asks it.
HASH := \#
found = $(shell for header in $(1); do printf '%s\n' "$(HASH)if __has_include(<$$header>)" "\"$$header\"" '$(HASH)endif'; done | \
	$(CC) -E -P $(CPPFLAGS) - 2>/dev/null | tr -d '"')
# Looked for only when asked for: one executable for each whose needs are there, a line for each of the others.
.PHONY: runtimes
ifneq ($(filter runtimes,$(MAKECMDGOALS)),)
runtime_is_here = $(call runtime_from,$(1))$(if $(RUNTIME_NEEDS_$(1)),$(call found,$(RUNTIME_NEEDS_$(1))),$(RUNTIME_HERE_$(1)))
RUNTIMES_HERE := $(foreach runtime,$(RUNTIMES),$(if $(strip $(call runtime_is_here,$(basename $(runtime)))),$(runtime)))
endif
runtimes: $(patsubst %,$(BUILD)/extras/runtimes/%,$(basename $(RUNTIMES_HERE))) $(BUILD)/stealbench
	@$(foreach absent,$(filter-out $(RUNTIMES_HERE),$(RUNTIMES)),rm -f $(BUILD)/extras/runtimes/$(basename $(absent)); \
		echo "extras/runtimes/$(absent): left out, what it needs is not found: $(RUNTIME_COMES_WITH_$(basename $(absent))) (extras/runtimes/README.md)";) true

