# SPDX-License-Identifier: GPL-2.0-or-later
#
# The interrupt of the PMU on each machine that the emulator has: one image for AArch64 and one for
# AArch32, which run wherever a board loads a kernel.

BOARDS := guest_tests/boards
BOARDS_BUILD := build/guest_tests/boards
BOARDS_FLAGS := -std=gnu11 -O2 -ffreestanding -fno-builtin -fpie -fvisibility=hidden \
	-fno-stack-protector -fno-jump-tables -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes \
	-Wvla $(WERROR) -nostdlib -static -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-Ttext=0 -Wl,-e,_start \
	-Wl,-N
BOARDS_FLAGS64 := -mgeneral-regs-only -mstrict-align -mno-outline-atomics
BOARDS_FLAGS32 := -marm -march=armv7-a -mfloat-abi=soft -mno-unaligned-access

$(BOARDS_BUILD)/overflow64.elf $(BOARDS_BUILD)/overflow32.elf: $(BOARDS_BUILD)/overflow%.elf: \
		$(BOARDS)/start%.S $(BOARDS)/overflow.c $(BOARDS)/cpu%.c $(BOARDS)/cpu.h | need-guest
	@mkdir -p $(@D)
	$(Q)$(if $(filter 64,$*),$(CROSS),$(CROSS32))gcc $(BOARDS_FLAGS) $(BOARDS_FLAGS$*) -o $@ \
	    $(filter-out %.h,$^)

$(BOARDS_BUILD)/overflow%.bin: $(BOARDS_BUILD)/overflow%.elf
	$(Q)$(CROSS)objcopy -O binary $< $@ || $(CROSS32)objcopy -O binary $< $@

BOARDS_IMAGES := $(BOARDS_BUILD)/overflow64.bin $(BOARDS_BUILD)/overflow32.bin

# Debian's kernel lies in the cache, which may have been deleted since.
$(BOARDS_BUILD)/vmlinuz: $(BOARDS)/kernel $(shell test -e $(BOARDS_BUILD)/vmlinuz || echo boards-kernel-lost)
	$(Q)$(BOARDS)/kernel $(BOARDS_BUILD)
.PHONY: boards-kernel-lost
boards-kernel-lost:

ready: qemu $(BOARDS_IMAGES) $(BOARDS_BUILD)/vmlinuz linux-image linux-arm-image

.PHONY: check-boards
check-boards: qemu $(BOARDS_IMAGES) $(BOARDS_BUILD)/vmlinuz linux-image linux-arm-image
	$(Q)QEMU=$(QEMU) guest_tests/run-guest --patience 120 boards -- $(BOARDS)/check $(BOARDS_BUILD)
	$(Q)QEMU=$(QEMU) guest_tests/run-guest --patience 300 boards/linux -- $(BOARDS)/linux \
	    $(LINUX_BUILD) $(BOARDS_BUILD)
