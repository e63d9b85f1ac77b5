# SPDX-License-Identifier: GPL-2.0-or-later
# A guest that is busy, for whoever reads meanwhile: reading, and guest_tests/bench/reading.

PROPERTIES_BUILD := build/guest_tests/properties

$(PROPERTIES_BUILD)/busy.elf: guest_tests/properties/busy.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,noexecstack \
	    -Wl,-Ttext=0x40080000 -o $@ $<

# One that is sampled, for onlookers, and the plugin that is one of them.
$(PROPERTIES_BUILD)/sampler.elf: guest_tests/properties/sampler.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,noexecstack \
	    -Wl,-Ttext=0x40080000 -o $@ $<

$(PROPERTIES_BUILD)/blocks.so: guest_tests/properties/blocks.c | need-qemu
	$(Q)guest_tests/properties/plugin $< $@

PROPERTIES := $(addprefix $(PROPERTIES_BUILD)/,busy.elf sampler.elf blocks.so)

ready: qemu $(PROPERTIES)

check-properties: qemu $(PROPERTIES)
	$(Q)QEMU=$(QEMU) guest_tests/properties/run
	$(Q)QEMU=$(QEMU) guest_tests/run-guest monitor -- guest_tests/properties/monitor
	$(Q)QEMU=$(QEMU) guest_tests/run-guest --patience 120 reading -- guest_tests/properties/reading \
	    $(PROPERTIES_BUILD)/busy.elf
	$(Q)QEMU=$(QEMU) guest_tests/run-guest --patience 120 onlookers -- guest_tests/properties/onlookers \
	    $(PROPERTIES_BUILD)/sampler.elf $(PROPERTIES_BUILD)/blocks.so
