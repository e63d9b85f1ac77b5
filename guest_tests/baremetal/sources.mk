# SPDX-License-Identifier: GPL-2.0-or-later
#
# Images that run on `qemu-system-aarch64 -M virt` without an OS, one for each theme. The top
# Makefile includes this file. V=1 shows the commands.

CROSS32 ?= arm-linux-gnueabihf-

BAREMETAL := guest_tests/baremetal
BAREMETAL_BUILD := build/guest_tests/baremetal

# Each image consists of its own files in tests/ and of the common files.
BAREMETAL_IMAGES := counting filters overflow chain hyp el2 el3 reset access versions swinc faults \
	mmio smp aarch32 uen fgt absent events \
	exceptions skids models tlbi vectors cycles clocks stock events32 pmceid thresholds modes32
BAREMETAL_FILES_counting := counting.c
BAREMETAL_FILES_filters := filters.c
BAREMETAL_FILES_overflow := overflow.c skid.c skid_more.c skid_faults.c skid_asm.S \
	skid_faults_asm.S faults_asm.S
BAREMETAL_FILES_chain := chain.c
BAREMETAL_FILES_hyp := hyp.c
BAREMETAL_FILES_el2 := el2.c faults_asm.S
BAREMETAL_FILES_el3 := el3.c
BAREMETAL_FILES_reset := reset.c
BAREMETAL_FILES_access := access.c
BAREMETAL_FILES_versions := versions.c
BAREMETAL_FILES_swinc := swinc.c
BAREMETAL_FILES_faults := faults.c faults_asm.S faults_debug.c
BAREMETAL_FILES_mmio := mmio.c
BAREMETAL_FILES_smp := smp.c skid_asm.S
BAREMETAL_FILES_aarch32 := aarch32.c aarch32_blob.S
BAREMETAL_FILES_uen := uen.c
BAREMETAL_FILES_fgt := fgt.c
BAREMETAL_FILES_absent := absent.c
BAREMETAL_FILES_events := events.c events_table.c events_loads.S events_vectors.S events_branches.S
BAREMETAL_FILES_exceptions := exceptions.c exceptions_rows.c events_table.c exceptions_asm.S
BAREMETAL_FILES_skids := skids.c skids32.c skid_models.c events_table.c steps.c steps_asm.S \
	steps32_blob.S models_count.c models_asm.S
BAREMETAL_FILES_models := models.c models_branch.c models_count.c models_asm.S
BAREMETAL_FILES_tlbi := tlbi.c models_count.c models_asm.S
BAREMETAL_FILES_vectors := vectors.c vectors_asm.S vectors32_blob.S events_table.c models_count.c \
	models_asm.S faults_asm.S
BAREMETAL_FILES_cycles := cycles.c models_count.c models_asm.S events_table.c steps.c steps_asm.S
BAREMETAL_FILES_clocks := clocks.c
BAREMETAL_FILES_stock := stock.c
BAREMETAL_FILES_events32 := events32.c events_table.c events32_blob.S
BAREMETAL_FILES_pmceid := pmceid.c
BAREMETAL_FILES_thresholds := thresholds.c thresholds_asm.S
BAREMETAL_FILES_modes32 := modes32.c modes32_blob.S
BAREMETAL_COMMON := registers/pmevcntr.c tests/loops.c tests/loops_asm.S tests/filter_rule.c \
	runtime/start.S runtime/vectors.S runtime/level.S runtime/level.c runtime/exception.c \
	runtime/report.c runtime/console.c runtime/gic.c runtime/psci.c runtime/mmu.c runtime/smp.c \
	runtime/bootargs.c runtime/pmu_setup.c runtime/main.c

# Memory may not be mapped yet (so no unaligned accesses), EL0 has no floating point, and atomics
# must not call libgcc.
BAREMETAL_CPPFLAGS := -I$(BAREMETAL) -MMD -MP
BAREMETAL_CFLAGS := -std=gnu11 -O2 -g -ffreestanding -fno-builtin -fno-pic -fno-stack-protector \
	-mgeneral-regs-only -mstrict-align -mno-outline-atomics -Wall -Wextra -Wconversion -Wshadow \
	-Wmissing-prototypes -Wvla -Werror
BAREMETAL_LDFLAGS := -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,noexecstack \
	-Wl,-z,max-page-size=4096

baremetal_objects = $(patsubst %,$(BAREMETAL_BUILD)/%.o,$(BAREMETAL_COMMON) \
	$(addprefix tests/,$(BAREMETAL_FILES_$(1))))

BAREMETAL_ELFS := $(BAREMETAL_IMAGES:%=$(BAREMETAL_BUILD)/%.elf)

$(BAREMETAL_BUILD)/%.c.o: $(BAREMETAL)/%.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(BAREMETAL_CPPFLAGS) $(BAREMETAL_CFLAGS) -c -o $@ $<

$(BAREMETAL_BUILD)/%.S.o: $(BAREMETAL)/%.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(BAREMETAL_CPPFLAGS) -I$(BAREMETAL_BUILD) -Wa,-I$(BAREMETAL_BUILD) -c -o $@ $<

# AArch32 code is assembled for that state. The image carries it as data.
$(BAREMETAL_BUILD)/tests/%_code.o: $(BAREMETAL)/tests/%_code.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS32)gcc $(BAREMETAL_CPPFLAGS) -c -o $@ $<

$(BAREMETAL_BUILD)/tests/%_code.bin: $(BAREMETAL_BUILD)/tests/%_code.o | need-guest
	$(Q)$(CROSS32)objcopy -O binary -j .text $< $@

$(BAREMETAL_BUILD)/tests/aarch32_blob.S.o: $(BAREMETAL_BUILD)/tests/aarch32_code.bin
$(BAREMETAL_BUILD)/tests/steps32_blob.S.o: $(BAREMETAL_BUILD)/tests/steps32_code.bin
$(BAREMETAL_BUILD)/tests/events32_blob.S.o: $(BAREMETAL_BUILD)/tests/events32_code.bin
$(BAREMETAL_BUILD)/tests/vectors32_blob.S.o: $(BAREMETAL_BUILD)/tests/vectors32_code.bin
$(BAREMETAL_BUILD)/tests/modes32_blob.S.o: $(BAREMETAL_BUILD)/tests/modes32_code.bin

$(BAREMETAL_BUILD)/image.lds: $(BAREMETAL)/runtime/image.lds $(BAREMETAL)/runtime/layout.h | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -E -P -x c -I$(BAREMETAL) -o $@ $<

define BAREMETAL_LINK
$(BAREMETAL_BUILD)/$(1).elf: $(call baremetal_objects,$(1)) $(BAREMETAL_BUILD)/image.lds | need-guest
	$$(Q)$$(CROSS)gcc $$(BAREMETAL_LDFLAGS) -T $(BAREMETAL_BUILD)/image.lds -o $$@ \
		$$(filter %.o,$$^)
endef
$(foreach image,$(BAREMETAL_IMAGES),$(eval $(call BAREMETAL_LINK,$(image))))

# CPUs without AArch64 have an image of their own.
$(BAREMETAL_BUILD)/v7.elf: $(BAREMETAL)/tests/v7.c $(BAREMETAL)/tests/v7_asm.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS32)gcc -marm -march=armv7-a -mfloat-abi=soft $(filter-out \
	    -mgeneral-regs-only -mstrict-align -mno-outline-atomics,$(BAREMETAL_CFLAGS)) \
	    -mno-unaligned-access -fno-tree-loop-distribute-patterns $(BAREMETAL_LDFLAGS) \
	    -Wl,-Ttext=0x40010000 -o $@ $^

.PHONY: baremetal check-baremetal
baremetal: $(BAREMETAL_ELFS) $(BAREMETAL_BUILD)/v7.elf

ready: qemu baremetal

check-baremetal: qemu baremetal
	$(Q)QEMU=$(QEMU) $(BAREMETAL)/run $(BAREMETAL_BUILD)

-include $(shell find $(BAREMETAL_BUILD) -name '*.d' 2>/dev/null)
