# SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
# check-unit: what can be tested of the library without QEMU. Its steps are in vpmu/tests/run;
# VPMU_STEPS="unit coverage" runs some of them, PROPERTY_STEPS, PROPERTY_SEED, FUZZ_STATE_RUNS,
# FUZZ_REGS_RUNS, FUZZ_TRAP_RUNS and FUZZ_X86_RUNS say how long and from where.

VPMU_UNIT_TESTS := \
    $(addprefix arm/test_,access adopt attr bank config counters deadline event_lists events exceptions fields filter \
        names overflow pmu regs sampling snapshot state switch switch_lend switch_watch threshold trap) \
    $(addprefix branch/test_,branch branch_observer brbe brbe_random brbe_state lbr lbr_random lbr_state) \
    ibs/test_ibs ibs/test_ibs_random ibs/test_ibs_state \
    insn/test_insn \
    $(addprefix model/test_model,_branch _cache _filter _parse _shared _tlb) model/test_model \
    $(addprefix observe/test_,blackout blackout_nvhe blackout_random blackout_vhe frequency observer \
        observer_parse perf_event watch) \
    $(addprefix spe/test_spe,_random _state) spe/test_spe \
    $(addprefix x86/test_x86,_conditions _events _insn _lists _metrics _observe _pebs _random _record _state) x86/test_x86
VPMU_UNIT_SRCS := main.c fixture.c saved.c steps.c arm/fake_pe.c branch/naive_brbe.c branch/naive_lbr.c ibs/naive_ibs.c reference/model_events.c insn/insn_cases_a64.c \
    insn/insn_cases_a32.c insn/insn_cases_detail.c insn/insn_cases_predicate.c insn/insn_cases_t32.c model/modeled_cpu.c \
    observe/host_run.c observe/host_cases.c observe/watched_machine.c spe/naive_spe.c x86/naive_x86.c x86/naive_x86_events.c \
    $(VPMU_UNIT_TESTS:%=%.c)
VPMU_SIMPLE_SRCS := $(addprefix model/,random_config.c simple_model.c simple_predictor.c)
VPMU_LOCKSTEP_SRCS := $(addprefix reference/,model.c model_access.c model_events.c model_pace.c \
    model_regs.c lockstep.c lockstep_check.c lockstep_choose.c)

# One build to find errors in, one to see what the tests reach.
VPMU_SANITIZE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
VPMU_COVERAGE := -O0 --coverage
VPMU_TEST_CFLAGS = -std=c11 -g $(WARNINGS) -DVPMU_SYSREG_SUPPLIED -Ivpmu/include \
    $(addprefix -Ivpmu/tests/,. arm branch ibs insn model observe reference spe x86 fuzz)

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

VPMU_TEST_PROGRAMS := $(addprefix $(VPMU_TESTS)/,unit property random_models random_shared traced fuzz_state fuzz_regs \
                                     fuzz_parse fuzz_trap fuzz_x86) \
                      $(addprefix $(VPMU_COVERAGE_TESTS)/,unit property random_models)

$(VPMU_TESTS)/unit: $(call vpmu_test_objs,$(VPMU_TESTS),$(VPMU_UNIT_SRCS)) \
    $(VPMU_EL2_SRCS:vpmu/%.c=$(VPMU_TESTS)/%.o)
$(VPMU_TESTS)/property: $(call vpmu_test_objs,$(VPMU_TESTS),reference/property.c $(VPMU_LOCKSTEP_SRCS))
$(VPMU_TESTS)/fuzz_state: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz/fuzz_main.c fuzz/fuzz_state.c $(VPMU_LOCKSTEP_SRCS))
$(VPMU_TESTS)/fuzz_regs: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz/fuzz_main.c fuzz/fuzz_regs.c $(VPMU_LOCKSTEP_SRCS))
$(VPMU_TESTS)/fuzz_parse: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz/fuzz_main.c fuzz/fuzz_parse.c)
$(VPMU_TESTS)/fuzz_trap: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz/fuzz_main.c fuzz/fuzz_trap.c)
$(VPMU_TESTS)/fuzz_x86: $(call vpmu_test_objs,$(VPMU_TESTS),fuzz/fuzz_main.c fuzz/fuzz_x86.c)
$(VPMU_TESTS)/random_models: $(call vpmu_test_objs,$(VPMU_TESTS),model/random_models.c $(VPMU_SIMPLE_SRCS))
$(VPMU_TESTS)/traced: $(call vpmu_test_objs,$(VPMU_TESTS),model/traced.c)
$(VPMU_TESTS)/random_shared: $(call vpmu_test_objs,$(VPMU_TESTS),model/random_shared.c $(VPMU_SIMPLE_SRCS))
$(VPMU_COVERAGE_TESTS)/unit: $(call vpmu_test_objs,$(VPMU_COVERAGE_TESTS),$(VPMU_UNIT_SRCS)) \
    $(VPMU_EL2_SRCS:vpmu/%.c=$(VPMU_COVERAGE_TESTS)/%.o)
$(VPMU_COVERAGE_TESTS)/property: $(call vpmu_test_objs,$(VPMU_COVERAGE_TESTS),reference/property.c $(VPMU_LOCKSTEP_SRCS))
$(VPMU_COVERAGE_TESTS)/random_models: $(call vpmu_test_objs,$(VPMU_COVERAGE_TESTS),model/random_models.c $(VPMU_SIMPLE_SRCS))

$(addprefix $(VPMU_TESTS)/,unit property random_models random_shared traced fuzz_state fuzz_regs fuzz_parse fuzz_trap \
    fuzz_x86):
	$(Q)$(CC) $(VPMU_SANITIZE) -o $@ $^ $(if $(@:%/unit=),,$(shell pkg-config --libs check))

$(addprefix $(VPMU_COVERAGE_TESTS)/,unit property random_models):
	$(Q)$(CC) $(VPMU_COVERAGE) -o $@ $^ $(if $(@:%/unit=),,$(shell pkg-config --libs check))

# check-mutants, which is not part of check: MUTANTS=N SEED=S. Mutants are compiled without -g, so
# that equal code gives equal files.
VPMU_MUTANTS := build/vpmu/mutants
VPMU_MUTANT_CC = $(CC) -fsanitize=undefined -fno-sanitize-recover=all
VPMU_MUTANT_CFLAGS = $(filter-out -g,$(VPMU_TEST_CFLAGS)) -O1
VPMU_MUTANT_UNIT = $(call vpmu_test_objs,$(VPMU_MUTANTS),$(VPMU_UNIT_SRCS)) \
    $(VPMU_EL2_SRCS:vpmu/%.c=$(VPMU_MUTANTS)/%.o)
VPMU_MUTANT_PROPERTY = $(call vpmu_test_objs,$(VPMU_MUTANTS),reference/property.c $(VPMU_LOCKSTEP_SRCS))
VPMU_MUTANT_MODELS = $(call vpmu_test_objs,$(VPMU_MUTANTS),model/random_models.c $(VPMU_SIMPLE_SRCS))
VPMU_MUTANT_SHARED = $(call vpmu_test_objs,$(VPMU_MUTANTS),model/random_shared.c $(VPMU_SIMPLE_SRCS))

$(VPMU_MUTANTS)/%.o: vpmu/%.c | need-unit
	@mkdir -p $(@D)
	$(Q)$(VPMU_MUTANT_CC) $(VPMU_MUTANT_CFLAGS) -MMD -MP -c -o $@ $<

.PHONY: check-mutants
check-mutants: $(sort $(VPMU_MUTANT_UNIT) $(VPMU_MUTANT_PROPERTY) $(VPMU_MUTANT_MODELS) $(VPMU_MUTANT_SHARED))
	$(Q)printf '%s\n' 'CC=$(VPMU_MUTANT_CC)' 'CFLAGS=$(VPMU_MUTANT_CFLAGS)' "LIBS=$$(pkg-config --libs check)" \
	    'UNIT=$(VPMU_MUTANT_UNIT:$(VPMU_MUTANTS)/%=%)' \
	    'PROPERTY=$(VPMU_MUTANT_PROPERTY:$(VPMU_MUTANTS)/%=%)' \
	    'RANDOM_MODELS=$(VPMU_MUTANT_MODELS:$(VPMU_MUTANTS)/%=%)' \
	    'RANDOM_SHARED=$(VPMU_MUTANT_SHARED:$(VPMU_MUTANTS)/%=%)' >$(VPMU_MUTANTS)/flags
	$(Q)vpmu/tests/mutants --count $(or $(MUTANTS),200) --seed $(or $(SEED),1)

.PHONY: check-unit
ready: $(VPMU_TEST_PROGRAMS) $(VPMU_EXAMPLE_PROGRAMS) build/vpmu/libvpmu.a

check-unit: $(VPMU_TEST_PROGRAMS) $(VPMU_EXAMPLE_PROGRAMS) build/vpmu/libvpmu.a | need-guest
	$(Q)CC='$(CC)' vpmu/tests/run $(VPMU_STEPS)

-include $(foreach dir,$(VPMU_TESTS) $(VPMU_COVERAGE_TESTS) $(VPMU_MUTANTS),$(wildcard $(dir)/*/*.d $(dir)/*/*/*.d $(dir)/*/*/*/*.d))
