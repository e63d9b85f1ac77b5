# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random programs, run in many ways. RANDOM_PROGRAMS=N programs for each kind, RANDOM_SEED=S,
# RANDOM_WAYS="blocks icount ..." and RANDOM_KINDS="a64 ..." select them. HOURS=N is for check-soak.

RANDOM := guest_tests/random
RANDOM_BUILD := build/guest_tests/random
RANDOM_FILES := start.S cpu.S vectors.S vectors32_blob.S state.c program.c exception.c service.c aarch32.c pmu.c \
	branches.c log.c memory.c

RANDOM_CPPFLAGS := -I$(BAREMETAL) -MMD -MP

$(RANDOM_BUILD)/%.c.o: $(RANDOM)/runtime/%.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(RANDOM_CPPFLAGS) $(BAREMETAL_CFLAGS) -c -o $@ $<

$(RANDOM_BUILD)/%.S.o: $(RANDOM)/runtime/%.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(RANDOM_CPPFLAGS) -Wa,-I$(RANDOM_BUILD) -c -o $@ $<

$(RANDOM_BUILD)/vectors32.o: $(RANDOM)/runtime/vectors32.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS32)gcc -c -o $@ $<

$(RANDOM_BUILD)/vectors32_code.bin: $(RANDOM_BUILD)/vectors32.o | need-guest
	$(Q)$(CROSS32)objcopy -O binary -j .text $< $@

$(RANDOM_BUILD)/vectors32_blob.S.o: $(RANDOM_BUILD)/vectors32_code.bin

$(RANDOM_BUILD)/image.lds: $(RANDOM)/runtime/image.lds $(RANDOM)/runtime/layout.h | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -E -P -x c -o $@ $<

RANDOM_OBJECTS := $(RANDOM_FILES:%=$(RANDOM_BUILD)/%.o)
$(RANDOM_BUILD)/runtime.elf: $(RANDOM_OBJECTS) $(RANDOM_BUILD)/image.lds | need-guest
	$(Q)$(CROSS)gcc $(BAREMETAL_LDFLAGS) -T $(RANDOM_BUILD)/image.lds -o $@ $(RANDOM_OBJECTS)

# x86-64: the runtime is the machine's firmware, so that nothing else runs there.
RANDOM_X86_BUILD := $(RANDOM_BUILD)/x86
RANDOM_X86_FILES := start.S cpu.S vectors.S state.c program.c tables.c exception.c memory.c pmu.c pebs.c ibs.c \
	lbr.c log.c
RANDOM_X86_CFLAGS := -std=gnu11 -O2 -g -ffreestanding -fno-builtin -fno-pic -fno-stack-protector \
	-fcf-protection=none -mno-red-zone -mgeneral-regs-only -Wall -Wextra -Wconversion -Wshadow \
	-Wmissing-prototypes -Wvla $(WERROR)

$(RANDOM_X86_BUILD)/%.c.o: $(RANDOM)/runtime-x86/%.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -MMD -MP $(RANDOM_X86_CFLAGS) -c -o $@ $<

$(RANDOM_X86_BUILD)/%.S.o: $(RANDOM)/runtime-x86/%.S | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -MMD -MP -c -o $@ $<

$(RANDOM_X86_BUILD)/image.lds: $(RANDOM)/runtime-x86/image.lds $(RANDOM)/runtime-x86/layout.h | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -E -P -x c -o $@ $<

RANDOM_X86_OBJECTS := $(RANDOM_X86_FILES:%=$(RANDOM_X86_BUILD)/%.o)
$(RANDOM_X86_BUILD)/runtime.elf: $(RANDOM_X86_OBJECTS) $(RANDOM_X86_BUILD)/image.lds | need-guest-x86
	$(Q)$(CROSS_X86)gcc $(BAREMETAL_LDFLAGS) -T $(RANDOM_X86_BUILD)/image.lds -o $@ $(RANDOM_X86_OBJECTS)

$(RANDOM_X86_BUILD)/rom.bin: $(RANDOM_X86_BUILD)/rom.S.o | need-guest-x86
	$(Q)$(CROSS_X86)objcopy -O binary -j .text $< $@

RANDOM_X86_GUEST := $(RANDOM_X86_BUILD)/runtime.elf $(RANDOM_X86_BUILD)/rom.bin

# The number of programs of each kind is small enough for two minutes.
RANDOM_PROGRAMS ?= 24
RANDOM_SEED ?= 1
RANDOM_ARGS = --programs $(RANDOM_PROGRAMS) --seed $(RANDOM_SEED) \
	$(if $(RANDOM_WAYS),--ways "$(RANDOM_WAYS)") $(if $(RANDOM_KINDS),--kinds "$(RANDOM_KINDS)")

.PHONY: check-random check-random-x86 check-soak random-plugin random-x86-plugin
random-plugin: qemu | need-guest need-qemu
	$(Q)$(RANDOM)/build-plugin plugin.c runtime $(RANDOM_BUILD)/libcounts.so
	$(Q)$(RANDOM)/build-plugin branches.c runtime $(RANDOM_BUILD)/libbranches.so
	$(Q)$(RANDOM)/build-plugin accesses.c runtime $(RANDOM_BUILD)/libaccesses.so
random-x86-plugin: qemu-x86 | need-guest-x86 need-qemu
	$(Q)$(RANDOM)/build-plugin plugin.c runtime-x86 $(RANDOM_X86_BUILD)/libcounts.so
	$(Q)$(RANDOM)/build-plugin branches_x86.c runtime-x86 $(RANDOM_X86_BUILD)/libbranches.so
	$(Q)$(RANDOM)/build-plugin accesses.c runtime-x86 $(RANDOM_X86_BUILD)/libaccesses.so

ready: random-plugin random-x86-plugin $(RANDOM_BUILD)/runtime.elf $(RANDOM_X86_GUEST)

check-random: qemu random-plugin $(RANDOM_BUILD)/runtime.elf | need-guest
	$(Q)QEMU=$(QEMU) $(RANDOM)/run $(RANDOM_ARGS)

check-random-x86: qemu-x86 random-x86-plugin $(RANDOM_X86_GUEST)
	$(Q)QEMU_X86=$(QEMU_X86) $(RANDOM)/run $(if $(RANDOM_KINDS),,--kinds x86) $(RANDOM_ARGS)

# `check` does not include this: random programs without end, the library's fuzzers, migration under
# load, hostile peers, each in turn, for HOURS.
HOURS ?= 1
check-soak: qemu qemu-x86 random-plugin random-x86-plugin $(RANDOM_BUILD)/runtime.elf $(RANDOM_X86_GUEST) \
		linux-image linux-x86-image \
		$(VPMU_TESTS)/fuzz_state $(VPMU_TESTS)/fuzz_regs $(VPMU_TESTS)/fuzz_parse \
		$(VPMU_TESTS)/property $(TOOLS_TESTS)/program
	$(Q)QEMU=$(QEMU) QEMU_X86=$(QEMU_X86) $(RANDOM)/soak $(HOURS)

-include $(wildcard $(RANDOM_BUILD)/*.d $(RANDOM_X86_BUILD)/*.d)
