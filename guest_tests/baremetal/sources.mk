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
	detail exceptions skids models tlbi vectors cycles clocks stock events32 pmceid thresholds modes32 brbe spe shared \
	definitions told
BAREMETAL_FILES_counting := counters/counting.c
BAREMETAL_FILES_filters := levels/filters.c
BAREMETAL_FILES_overflow := overflow/overflow.c overflow/skid.c overflow/skid_counters.c \
	overflow/skid_faults.c overflow/skid_asm.S overflow/skid_faults_asm.S \
	levels/faults_asm.S
BAREMETAL_FILES_chain := counters/chain.c
BAREMETAL_FILES_hyp := levels/hyp.c
BAREMETAL_FILES_el2 := levels/el2.c levels/faults_asm.S
BAREMETAL_FILES_el3 := levels/el3.c
BAREMETAL_FILES_reset := counters/reset.c
BAREMETAL_FILES_access := counters/access.c
BAREMETAL_FILES_versions := counters/versions.c
BAREMETAL_FILES_swinc := counters/swinc.c
BAREMETAL_FILES_faults := levels/faults.c levels/faults_asm.S levels/faults_debug.c
BAREMETAL_FILES_mmio := levels/mmio.c
BAREMETAL_FILES_smp := counters/smp.c overflow/skid_asm.S
BAREMETAL_FILES_aarch32 := aarch32/aarch32.c aarch32/aarch32_blob.S
BAREMETAL_FILES_uen := levels/uen.c
BAREMETAL_FILES_fgt := levels/fgt.c
BAREMETAL_FILES_absent := counters/absent.c
BAREMETAL_FILES_events := events/events.c events/events_table.c events/events_loads.S \
	events/events_vectors.S events/events_branches.S
BAREMETAL_FILES_detail := events/detail.c events/detail_cases.S events/events_table.c
BAREMETAL_FILES_exceptions := events/exceptions.c events/exceptions_rows.c events/events_table.c \
	events/exceptions_asm.S
BAREMETAL_FILES_skids := overflow/skids.c aarch32/skids32.c overflow/skid_models.c \
	events/events_table.c models/steps.c models/steps_asm.S aarch32/steps32_blob.S \
	models/models_count.c models/models_asm.S
BAREMETAL_FILES_models := models/models.c models/models_branch.c models/models_maintain.c \
	models/models_count.c models/models_asm.S
BAREMETAL_FILES_shared := models/shared.c models/models_count.c models/models_asm.S
BAREMETAL_FILES_told := models/told.c models/models_count.c models/models_asm.S
BAREMETAL_FILES_tlbi := models/tlbi.c models/models_count.c models/models_asm.S
BAREMETAL_FILES_vectors := events/vectors.c events/vectors_asm.S aarch32/vectors32_blob.S \
	events/events_table.c models/models_count.c models/models_asm.S levels/faults_asm.S
BAREMETAL_FILES_cycles := models/cycles.c models/models_count.c models/models_asm.S \
	events/events_table.c models/steps.c models/steps_asm.S
BAREMETAL_FILES_clocks := models/clocks.c
BAREMETAL_FILES_stock := counters/stock.c
BAREMETAL_FILES_events32 := aarch32/events32.c events/events_table.c aarch32/events32_blob.S
BAREMETAL_FILES_pmceid := events/pmceid.c
BAREMETAL_FILES_thresholds := models/thresholds.c models/thresholds_asm.S
BAREMETAL_FILES_brbe := branches/brbe.c branches/brbe_asm.S
BAREMETAL_FILES_spe := samples/spe.c samples/spe_insns.c samples/spe_traps.c samples/spe_asm.S \
	events/events_table.c
BAREMETAL_FILES_definitions := $(addprefix definitions/,definitions.c contexts.c definitions_asm.S \
	memory_rows.S branch_rows.S data_rows.S vector_rows.S sve_rows.S exception_rows.S \
	rows32_blob.S)
BAREMETAL_FILES_modes32 := aarch32/modes32.c aarch32/modes32_blob.S
BAREMETAL_COMMON := registers/pmevcntr.c tests/counters/loops.c tests/counters/loops_asm.S \
	tests/levels/filter_rule.c runtime/start.S runtime/vectors.S runtime/level.S \
	runtime/level.c runtime/exception.c runtime/report.c runtime/console.c runtime/gic.c \
	runtime/psci.c runtime/mmu.c runtime/smp.c runtime/bootargs.c runtime/pmu_setup.c \
	runtime/main.c

# Memory may not be mapped yet (so no unaligned accesses), EL0 has no floating point, and atomics
# must not call libgcc.
BAREMETAL_CPPFLAGS := -I$(BAREMETAL) -MMD -MP
BAREMETAL_CFLAGS := -std=gnu11 -O2 -g -ffreestanding -fno-builtin -fno-pic -fno-stack-protector \
	-mgeneral-regs-only -mstrict-align -mno-outline-atomics -Wall -Wextra -Wconversion -Wshadow \
	-Wmissing-prototypes -Wvla $(WERROR)
BAREMETAL_LDFLAGS := -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,noexecstack \
	-Wl,-z,max-page-size=4096

baremetal_objects = $(patsubst %,$(BAREMETAL_BUILD)/%.o,$(BAREMETAL_COMMON) \
	$(addprefix tests/,$(BAREMETAL_FILES_$(1))))

BAREMETAL_RUNTIME_OBJS := $(patsubst %,$(BAREMETAL_BUILD)/%.o,$(filter runtime/%,$(BAREMETAL_COMMON)))

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

$(BAREMETAL_BUILD)/tests/aarch32/aarch32_blob.S.o: $(BAREMETAL_BUILD)/tests/aarch32/aarch32_code.bin
$(BAREMETAL_BUILD)/tests/aarch32/steps32_blob.S.o: $(BAREMETAL_BUILD)/tests/aarch32/steps32_code.bin
$(BAREMETAL_BUILD)/tests/aarch32/events32_blob.S.o: $(BAREMETAL_BUILD)/tests/aarch32/events32_code.bin
$(BAREMETAL_BUILD)/tests/aarch32/vectors32_blob.S.o: $(BAREMETAL_BUILD)/tests/aarch32/vectors32_code.bin
$(BAREMETAL_BUILD)/tests/aarch32/modes32_blob.S.o: $(BAREMETAL_BUILD)/tests/aarch32/modes32_code.bin
$(BAREMETAL_BUILD)/tests/definitions/rows32_blob.S.o: $(BAREMETAL_BUILD)/tests/definitions/rows32_code.bin

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
$(BAREMETAL_BUILD)/v7.elf: $(BAREMETAL)/tests/aarch32/v7.c $(BAREMETAL)/tests/aarch32/v7_asm.S | need-guest
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
