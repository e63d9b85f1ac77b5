# SPDX-License-Identifier: GPL-2.0-or-later
#
# Guests whose behaviour their tests know completely:
#
#     busy     is busy while others read it: "reading" here and in guest_tests/bench
#     equal    has counters that count the same: "equal"
#     sampler  is sampled, for "onlookers"; the plugin blocks.so is one of these
#     steady   executes a known sequence of instructions: host_tools/tests/record
#     calls    has functions that call each other: the same test
#     calls32  is that in A32 and T32 code
#     scribble writes over its frames, threads and page tables: the same test
#     hot      has a function that is called often and one that is not: host_tools/tests/optimizers
#     shares   has two functions, one of which executes three times as much: the same test

PROPERTIES_BUILD := build/guest_tests/properties

$(PROPERTIES_BUILD)/%.elf: guest_tests/properties/%.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,noexecstack \
	    -Wl,-Ttext=0x40080000 -o $@ $<

# BOLT finds the program by its build ID. AutoFDO 0.19 reads DWARF 4, without relocations, and wants
# the first segment to have the code.
HOT_FLAGS := -O2 -gdwarf-4 -ffreestanding -fno-pic -mgeneral-regs-only -nostdlib -static -no-pie \
	-Wl,--build-id -Wl,-z,noexecstack

$(PROPERTIES_BUILD)/hot.elf: $(addprefix guest_tests/properties/,hot.c hot_start.S) | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(HOT_FLAGS) -Wl,-Ttext-segment=0x40080000 -o $@ $^

$(PROPERTIES_BUILD)/hot-x86.elf: $(addprefix guest_tests/properties/,hot.c hot_start_x86.S) | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(HOT_FLAGS) -fcf-protection=none -fno-asynchronous-unwind-tables \
	    -Wl,--section-start=.entry=0x200000,-Ttext=0x201000,-Tdata=0x300000 -o $@ $^

# CPUs without AArch64 run it.
$(PROPERTIES_BUILD)/calls32.elf: CROSS = $(CROSS32)

PLUGIN := $(PROPERTIES_BUILD)/blocks$(QEMU_SUFFIX).so
$(PLUGIN): guest_tests/properties/blocks.c guest_tests/plugin_api.h | need-qemu
	@mkdir -p $(@D)
	$(Q)guest_tests/properties/plugin $< $@

PROPERTIES := $(addprefix $(PROPERTIES_BUILD)/,busy.elf equal.elf sampler.elf) $(PLUGIN)

ready: qemu $(PROPERTIES)

# Which machines load the streams of which others, and damaged states.
STATES := guest_tests/properties/states
DAMAGED := guest_tests/properties/damaged_states $(if $(STATES_EVERY),--every)
.PHONY: check-states
check-states: qemu qemu-x86
	$(Q)guest_tests/run-guest --patience 120 states -- $(STATES) $(QEMU) $(STATES)_arm.tsv
	$(Q)guest_tests/run-guest --patience 120 states.x86 -- $(STATES) $(QEMU_X86) $(STATES)_x86.tsv
	$(Q)guest_tests/run-guest --patience 120 damaged -- $(DAMAGED) $(QEMU) \
	    max,brbe=v1,spe=on cortex-a15
	$(Q)guest_tests/run-guest --patience 120 damaged.x86 -- $(DAMAGED) $(QEMU_X86) \
	    Skylake-Server,lbr=on EPYC

check-properties: qemu qemu-x86 $(PROPERTIES) check-states
	$(Q)QEMU=$(QEMU) QEMU_X86=$(QEMU_X86) guest_tests/properties/run
	$(Q)QEMU=$(QEMU) guest_tests/run-guest monitor -- guest_tests/properties/monitor
	$(Q)QEMU=$(QEMU) QEMU_X86=$(QEMU_X86) guest_tests/run-guest warm -- guest_tests/properties/warm
	$(Q)QEMU_X86=$(QEMU_X86) guest_tests/run-guest blocks -- guest_tests/properties/blocks_x86
	$(Q)QEMU=$(QEMU) guest_tests/run-guest --patience 120 reading -- guest_tests/properties/reading \
	    $(PROPERTIES_BUILD)/busy.elf
	$(Q)QEMU=$(QEMU) guest_tests/run-guest --patience 120 equal -- guest_tests/properties/equal \
	    $(PROPERTIES_BUILD)/equal.elf
	$(Q)QEMU=$(QEMU) guest_tests/run-guest --patience 120 onlookers -- guest_tests/properties/onlookers \
	    $(PROPERTIES_BUILD)/sampler.elf $(PLUGIN)

# Streams of a QEMU without vpmu. `check` does not include this, because it builds no such QEMU.
.PHONY: check-stock
check-stock: qemu qemu-stock $(BAREMETAL_BUILD)/stock.elf | need-guest
	$(Q)QEMU=$(QEMU) STOCK_QEMU=$(QEMU_STOCK) guest_tests/run-guest \
	    --patience 120 stock -- guest_tests/properties/stock $(BAREMETAL_BUILD)/stock.elf

# User-mode emulators, from the same series but in a build of their own. `check` does not include
# this, because it has no other use for them.
PROPERTIES_USER := QEMU_TARGETS=aarch64-linux-user,arm-linux-user,x86_64-linux-user,i386-linux-user \
	VPMU_OUT=$(CURDIR)/build/user qemu_patches/build
PROPERTIES_USERS := $(addprefix $(PROPERTIES_BUILD)/,user64 user32 user_x86_64 user_i386)

$(PROPERTIES_BUILD)/user64 $(PROPERTIES_BUILD)/user32: guest_tests/properties/user.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(if $(filter %64,$@),$(CROSS),$(CROSS32))gcc -nostdlib -static -no-pie -Wl,--build-id=none \
	    -Wl,-z,noexecstack -o $@ $<

$(PROPERTIES_BUILD)/user_x86_64 $(PROPERTIES_BUILD)/user_i386: guest_tests/properties/user_x86.S | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(if $(filter %_i386,$@),-m32) -nostdlib -static -no-pie -Wl,--build-id=none \
	    -Wl,-z,noexecstack -o $@ $<

.PHONY: check-qemu-user
check-qemu-user: stage $(PROPERTIES_USERS) | need-qemu
	$(Q)$(PROPERTIES_USER)
	$(Q)guest_tests/properties/user build/user/qemu $(PROPERTIES_USERS)
