# SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
# make examples: docs/porting.md explains these programs, and check-unit runs them. The emulator and
# the hypervisor use public headers only. fake_el2.c supplies the hypervisor's registers, so it runs
# on any computer. riscv.c is an architecture, so it uses the headers in vpmu/src.

VPMU_EXAMPLES := build/vpmu/examples
VPMU_EXAMPLE_PROGRAMS := $(VPMU_EXAMPLES)/emulator $(VPMU_EXAMPLES)/hypervisor $(VPMU_EXAMPLES)/hart
VPMU_EXAMPLE_CFLAGS = -std=c11 -O2 -g $(WARNINGS) -DVPMU_SYSREG_SUPPLIED -Ivpmu/include

$(VPMU_EXAMPLES)/%.o: vpmu/examples/%.c | $(NEED_CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(VPMU_EXAMPLE_CFLAGS) -MMD -MP -c -o $@ $<

$(VPMU_EXAMPLES)/riscv.o: VPMU_EXAMPLE_CFLAGS += -Ivpmu/src
$(VPMU_EXAMPLES)/switch.o: $(VPMU_EL2_SRCS) | $(NEED_CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(VPMU_EXAMPLE_CFLAGS) -MMD -MP -c -o $@ $<

$(VPMU_EXAMPLES)/emulator: $(addprefix $(VPMU_EXAMPLES)/,emulator.o)
$(VPMU_EXAMPLES)/hypervisor: $(addprefix $(VPMU_EXAMPLES)/,hypervisor.o guest.o fake_el2.o switch.o)
$(VPMU_EXAMPLES)/hart: $(addprefix $(VPMU_EXAMPLES)/,hart.o riscv.o)
$(VPMU_EXAMPLE_PROGRAMS): build/vpmu/libvpmu.a
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(filter %.a,$^)

.PHONY: examples
examples: $(VPMU_EXAMPLE_PROGRAMS)

-include $(wildcard $(VPMU_EXAMPLES)/*.d)
