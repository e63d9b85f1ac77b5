# SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
# check-unit: what can be tested of the library without QEMU. Its steps are in vpmu/tests/run;
# VPMU_STEPS="unit coverage" runs some of them, PROPERTY_STEPS, PROPERTY_SEED, FUZZ_STATE_RUNS,
# FUZZ_REGS_RUNS, FUZZ_TRAP_RUNS and FUZZ_X86_RUNS say how long and from where.

VPMU_UNIT_TESTS := access adopt attr bank blackout blackout_nvhe blackout_random blackout_vhe config \
                  counters deadline events fields filter insn names observer observer_parse overflow pmu \
                  regs sampling snapshot state switch switch_lend switch_watch threshold trap watch \
                   model model_branch model_cache model_filter model_parse model_tlb x86 x86_events x86_observe x86_random x86_state
VPMU_UNIT_SRCS := main.c fixture.c fake_pe.c model_events.c insn_cases_a64.c insn_cases_a32.c insn_cases_t32.c \
                  modeled.c books.c scene.c watched.c naive_x86.c naive_x86_events.c $(VPMU_UNIT_TESTS:%=test_%.c)
VPMU_SIMPLE_SRCS := random_models.c simple.c simple_branches.c
VPMU_RIG_SRCS := model.c model_access.c model_events.c model_pace.c model_regs.c rig.c rig_check.c rig_choose.c

# One build to find errors in, one to see what the tests reach.
VPMU_SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
VPMU_COVERAGE := -O0 --coverage
VPMU_TEST_CFLAGS = -std=c11 -g $(WARNINGS) -DVPMU_SYSREG_SUPPLIED -Ivpmu/include

VPMU_TESTS := build/vpmu/tests
VPMU_COVERAGE_TESTS := build/vpmu/tests-coverage

$(VPMU_TESTS)/%.o: vpmu/%.c | need-unit
	@mkdir -p $(@D)
	$(Q)$(CC) $(VPMU_TEST_CFLAGS) $(VPMU_SANITIZE) -MMD -MP -c -o $@ $<

$(VPMU_COVERAGE_TESTS)/%.o: vpmu/%.c | need-unit
	@mkdir -p $(@D)
	$(Q)$(CC) $(VPMU_TEST_CFLAGS) $(VPMU_COVERAGE) -MMD -MP -c -o $@ $<

# vpmu_test_objs DIR,SOURCES: these tests, and the library
vpmu_test_objs = $(patsubst vpmu/%.c,$(1)/%.o,$(VPMU_SRCS)) $(addprefix $(1)/tests/,$(2:.c=.o))

VPMU_TEST_PROGRAMS := $(addprefix $(VPMU_TESTS)/,unit property random_models fuzz_state fuzz_regs \
                                     fuzz_parse fuzz_trap fuzz_x86) \
                      $(addprefix $(VPMU_COVERAGE_TESTS)/,unit property random_models)

$(VPMU_TESTS)/unit: $(call vpmu_test_objs,$(VPMU_TESTS),$(VPMU_UNIT_SRCS)) \
    $(VPMU_EL2_SRCS:vpmu/%.c=$(VPMU_TESTS)/%.o)
$(VPMU_TESTS)/property: $(call vpmu_test_objs,$(VPMU_TESTS),property.c $(VPMU_RIG_SRCS))
$(VPMU_TESTS)/fuzz_state: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz_main.c fuzz_state.c $(VPMU_RIG_SRCS))
$(VPMU_TESTS)/fuzz_regs: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz_main.c fuzz_regs.c $(VPMU_RIG_SRCS))
$(VPMU_TESTS)/fuzz_parse: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz_main.c fuzz_parse.c)
$(VPMU_TESTS)/fuzz_trap: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz_main.c fuzz_trap.c)
$(VPMU_TESTS)/fuzz_x86: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz_main.c fuzz_x86.c)
$(VPMU_TESTS)/random_models: $(call vpmu_test_objs,$(VPMU_TESTS),$(VPMU_SIMPLE_SRCS))
$(VPMU_COVERAGE_TESTS)/unit: $(call vpmu_test_objs,$(VPMU_COVERAGE_TESTS),$(VPMU_UNIT_SRCS)) \
    $(VPMU_EL2_SRCS:vpmu/%.c=$(VPMU_COVERAGE_TESTS)/%.o)
$(VPMU_COVERAGE_TESTS)/property: $(call vpmu_test_objs,$(VPMU_COVERAGE_TESTS),property.c $(VPMU_RIG_SRCS))
$(VPMU_COVERAGE_TESTS)/random_models: $(call vpmu_test_objs,$(VPMU_COVERAGE_TESTS),$(VPMU_SIMPLE_SRCS))

$(addprefix $(VPMU_TESTS)/,unit property random_models fuzz_state fuzz_regs fuzz_parse fuzz_trap fuzz_x86):
	$(Q)$(CC) $(VPMU_SANITIZE) -o $@ $^ $(if $(@:%/unit=),,$(shell pkg-config --libs check))

$(addprefix $(VPMU_COVERAGE_TESTS)/,unit property random_models):
	$(Q)$(CC) $(VPMU_COVERAGE) -o $@ $^ $(if $(@:%/unit=),,$(shell pkg-config --libs check))

.PHONY: check-unit
ready: $(VPMU_TEST_PROGRAMS) $(VPMU_EXAMPLE_PROGRAMS) build/vpmu/libvpmu.a

check-unit: $(VPMU_TEST_PROGRAMS) $(VPMU_EXAMPLE_PROGRAMS) build/vpmu/libvpmu.a | need-guest
	$(Q)CC='$(CC)' vpmu/tests/run $(VPMU_STEPS)

-include $(foreach dir,$(VPMU_TESTS) $(VPMU_COVERAGE_TESTS),$(wildcard $(dir)/*/*.d $(dir)/*/*/*.d $(dir)/*/*/*/*.d))
