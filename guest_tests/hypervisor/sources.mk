# SPDX-License-Identifier: GPL-2.0-or-later
#
# A hypervisor at EL2 without an OS, linked with the library's switch, on the runtime of
# guest_tests/baremetal. Include the sources.mk of that before this one.

HYPERVISOR := guest_tests/hypervisor
HYPERVISOR_BUILD := build/guest_tests/hypervisor

HYPERVISOR_FILES := world.S guest.S reading.S world.c guest.c job.c job_code.c perf.c scenario.c \
	owner.c info.c tests.c places.c guest_counters.c overflow.c cycles.c registers.c refused.c \
	cost.c windows.c phases.c
# The part of the library that runs at EL2.
HYPERVISOR_LIBRARY := arm/switch/attr.c arm/switch/switch.c
# The part of the bare-metal tests that runs below the tests.
HYPERVISOR_RUNTIME := registers/pmevcntr.c $(filter runtime/%,$(BAREMETAL_COMMON))

HYPERVISOR_CPPFLAGS := $(BAREMETAL_CPPFLAGS) -Iguest_tests -Ivpmu/include
HYPERVISOR_OWN_OBJS := $(HYPERVISOR_FILES:%=$(HYPERVISOR_BUILD)/%.o)
HYPERVISOR_OBJS := $(HYPERVISOR_OWN_OBJS) \
	$(HYPERVISOR_LIBRARY:%=$(HYPERVISOR_BUILD)/vpmu/%.o) \
	$(HYPERVISOR_RUNTIME:%=$(BAREMETAL_BUILD)/%.o)

$(HYPERVISOR_BUILD)/%.c.o: $(HYPERVISOR)/%.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(HYPERVISOR_CPPFLAGS) $(BAREMETAL_CFLAGS) -c -o $@ $<

$(HYPERVISOR_BUILD)/%.S.o: $(HYPERVISOR)/%.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(HYPERVISOR_CPPFLAGS) -c -o $@ $<

$(HYPERVISOR_BUILD)/vpmu/%.c.o: vpmu/src/%.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(HYPERVISOR_CPPFLAGS) $(BAREMETAL_CFLAGS) -c -o $@ $<

$(HYPERVISOR_BUILD)/hypervisor.elf: $(HYPERVISOR_OBJS) $(BAREMETAL_BUILD)/image.lds | need-guest
	$(Q)$(CROSS)gcc $(BAREMETAL_LDFLAGS) -T $(BAREMETAL_BUILD)/image.lds -o $@ $(filter %.o,$^)

# hypervisor_meter NAME,QEMU-ARGUMENTS: compares its counts with what the meter sees from outside
COMMA := ,
hypervisor_meter = QEMU=$(QEMU) guest_tests/run-guest --patience 80 $(1) -- \
	$(HYPERVISOR)/meter $(HYPERVISOR_BUILD)/hypervisor.elf -- \
	-M virt,virtualization=on $(2)

.PHONY: hypervisor check-hypervisor
hypervisor: $(HYPERVISOR_BUILD)/hypervisor.elf

ready: qemu hypervisor

check-hypervisor: qemu hypervisor
	$(Q)QEMU=$(QEMU) RUNS=$(HYPERVISOR)/runs.tsv $(BAREMETAL)/run $(HYPERVISOR_BUILD)
	$(Q)$(call hypervisor_meter,hypervisor.meter,-cpu max)
	$(Q)$(call hypervisor_meter,hypervisor.meter.icount,-cpu max -icount shift=0)
	$(Q)$(call hypervisor_meter,hypervisor.meter.model,-cpu max$(COMMA)pmu-cycles=model)

-include $(shell find $(HYPERVISOR_BUILD) -name '*.d' 2>/dev/null)
