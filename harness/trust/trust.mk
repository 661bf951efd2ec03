# trust.mk: what the suite measures itself with. Included by setup/build.mk.

# Deques with a planted delay, Chase-Lev at eight places in a cache line, and loops written by hand that answer to the same
# names. An executable's name ends on its number of steps, or of bytes.
TRUST_SHIFTS := 0 8 16 24 32 40 48 56
TRUST_STEPS := 5 20 100 1000
TRUST := empty chase_lev $(TRUST_STEPS:%=planted_%) $(TRUST_STEPS:%=by_hand_%) \
	$(TRUST_SHIFTS:%=chase_lev_shift_%) $(TRUST_SHIFTS:%=by_hand_chase_lev_shift_%)
number_in = $(lastword $(subst _, ,$(1)))
FLAGS_trust := $(FLAGS_timed)
HEADER_trust = $(if $(findstring chase_lev_shift_,$(2)),queues/$(if $(filter by_hand_%,$(2)),empty,chase_lev).h,$(if \
	$(filter planted_% by_hand_%,$(2)),harness/trust/planted.h))
trust_flags = $(if $(filter trust,$(1)),$(if $(findstring _shift_,$(2)),-DMEASURED_SHIFT=$(call number_in,$(2)),$(if \
	$(filter planted_% by_hand_%,$(2)),-DPLANTED_STEPS=$(call number_in,$(2)))))
ONCE_OF_trust := timed
# The measured loops with push and pop in all variants, so that what is planted is in each.
SUITE_SOURCES := workloads/latency/push.c workloads/latency/pop.c workloads/latency/variants/loops.c
STAMPED_SOURCES := $(SUITE_SOURCES) $(CHECKS)
link_trust = $(call link,timed,trust)
$(BUILD)/trust/empty: $$(call made_of,trust,empty,$(SUITE_SOURCES) $(CONTENTION))
	$(link_trust)
$(BUILD)/trust/chase_lev: $$(call made_of,trust,chase_lev,$(STAMPED_SOURCES) $(CONTENTION))
	$(link_trust)
$(BUILD)/trust/planted_%: $$(call made_of,trust,planted_$$*,$(SUITE_SOURCES))
	$(link_trust)
$(BUILD)/trust/chase_lev_shift_%: $$(call made_of,trust,chase_lev_shift_$$*,$(STAMPED_SOURCES))
	$(link_trust)
$(BUILD)/trust/by_hand_%: $$(call made_of,trust,by_hand_$$*,harness/trust/handwritten_chain.c)
	$(link_trust)
$(BUILD)/trust/by_hand_chase_lev_shift_%: $$(call made_of,trust,by_hand_chase_lev_shift_$$*,harness/trust/handwritten_chase_lev.c)
	$(link_trust)
.PHONY: trust trust_kinds
trust: $(TRUST:%=$(BUILD)/trust/%) $(BUILD)/stealbench
# One of each kind, for the tests.
trust_kinds: $(patsubst %,$(BUILD)/trust/%,empty planted_20 by_hand_20 chase_lev_shift_0 by_hand_chase_lev_shift_0)
