# SPDX-License-Identifier: GPL-2.0-or-later
# A guest that is busy, for whoever reads meanwhile: reading, and guest_tests/bench/reading.

PROPERTIES_BUILD := build/guest_tests/properties

$(PROPERTIES_BUILD)/busy.elf: guest_tests/properties/busy.S
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,noexecstack \
	    -Wl,-Ttext=0x40080000 -o $@ $<

check-properties: need-guest $(PROPERTIES_BUILD)/busy.elf
