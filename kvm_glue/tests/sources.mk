# SPDX-License-Identifier: GPL-2.0-or-later
# check-glue: what can be tested of kvm_glue without an arm64 host. Its steps are in
# kvm_glue/tests/run; GLUE_STEPS="unit coverage" runs some of them.

GLUE_UNIT_TESTS := attr design errors exits filter group host_pmu meter mode os_linux registers ring sampled sampler setup \
                   software state
GLUE_UNIT_SRCS := main.c fixture.c fake_kvm.c fake_perf.c $(GLUE_UNIT_TESTS:%=test_%.c)

GLUE_TESTS := build/kvm_glue/tests
GLUE_COVERAGE_TESTS := build/kvm_glue/tests-coverage
GLUE_CROSS := aarch64-linux-gnu-gcc
GLUE_TEST_CFLAGS := -std=c11 -g $(WARNINGS) -Ikvm_glue/include -Ivpmu/include

$(GLUE_TESTS)/%.o: kvm_glue/%.c | need-unit
	@mkdir -p $(@D)
	$(Q)$(CC) $(GLUE_TEST_CFLAGS) $(VPMU_SANITIZE) -MMD -MP -c -o $@ $<

$(GLUE_COVERAGE_TESTS)/%.o: kvm_glue/%.c | need-unit
	@mkdir -p $(@D)
	$(Q)$(CC) $(GLUE_TEST_CFLAGS) $(VPMU_COVERAGE) -MMD -MP -c -o $@ $<

# glue_test_objs DIR: the tests, and the library
glue_test_objs = $(patsubst kvm_glue/%.c,$(1)/%.o,$(GLUE_SRCS)) $(addprefix $(1)/tests/,$(GLUE_UNIT_SRCS:.c=.o))

$(GLUE_TESTS)/unit: $(call glue_test_objs,$(GLUE_TESTS)) build/vpmu/libvpmu.a
	$(Q)$(CC) $(VPMU_SANITIZE) -o $@ $^ $(shell pkg-config --libs check) -lpthread

$(GLUE_COVERAGE_TESTS)/unit: $(call glue_test_objs,$(GLUE_COVERAGE_TESTS)) build/vpmu/libvpmu.a
	$(Q)$(CC) $(VPMU_COVERAGE) -o $@ $^ $(shell pkg-config --libs check) -lpthread

.PHONY: check-glue
ready: $(GLUE_TESTS)/unit $(GLUE_COVERAGE_TESTS)/unit build/kvm_glue/libkvm_glue.a

check-glue: $(GLUE_TESTS)/unit $(GLUE_COVERAGE_TESTS)/unit build/kvm_glue/libkvm_glue.a | need-cross
	$(Q)CC='$(CC)' CROSS='$(GLUE_CROSS)' WARNINGS='$(WARNINGS)' kvm_glue/tests/run $(GLUE_STEPS)

-include $(wildcard $(GLUE_TESTS)/*/*.d $(GLUE_COVERAGE_TESTS)/*/*.d)
