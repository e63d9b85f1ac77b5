# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a PMU costs: docs/performance.md. Not a part of check, where nothing is timed.
# BENCH_ROUNDS=N, BENCH_QUICK=1 (does it run at all?), BENCH_ARGS for all else that
# guest_tests/bench/run --help lists.

QEMU_STOCK ?= build/qemu-stock/qemu-system-aarch64

BENCH := guest_tests/bench
BENCH_BUILD := build/guest_tests/bench
BENCH_PROGRAMS := $(addprefix $(BENCH_BUILD)/programs/,workload count)

$(BENCH_PROGRAMS): $(BENCH_BUILD)/programs/%: $(BENCH)/%.c
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(LINUX_CFLAGS) -static -s -o $@ $<

# Its kernel and its shell are those of the Linux suite.
$(BENCH_BUILD)/initramfs.gz: $(BENCH_PROGRAMS) $(BENCH)/init $(BENCH)/mkimage \
		$(LINUX_BUILD)/initramfs.gz
	$(Q)$(BENCH)/mkimage $(LINUX_BUILD) $(BENCH_BUILD) $(BENCH_PROGRAMS) $(BENCH)/init

$(BENCH_BUILD)/library: $(BENCH)/library.c build/vpmu/libvpmu.a $(VPMU_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -O2 -g $(WARNINGS) -Ivpmu/include -o $@ $< build/vpmu/libvpmu.a

.PHONY: bench bench-plugins
bench-plugins:
	$(Q)$(BENCH)/plugins $(BENCH_BUILD)/plugins

bench: need-guest qemu qemu-stock linux-image $(BENCH_BUILD)/initramfs.gz $(BENCH_BUILD)/library \
		bench-plugins build/guest_tests/properties/busy.elf
	$(Q)QEMU=$(QEMU) QEMU_STOCK=$(QEMU_STOCK) $(BENCH)/run $(BENCH_BUILD) \
	    $(if $(BENCH_ROUNDS),--rounds $(BENCH_ROUNDS)) $(if $(BENCH_QUICK),--quick) $(BENCH_ARGS)
	$(Q)QEMU=$(QEMU) $(BENCH)/reading $(PROPERTIES_BUILD)/busy.elf $(if $(BENCH_QUICK),--quick)

# What it costs to be looked at, alone.
.PHONY: bench-reading
bench-reading: need-guest qemu $(PROPERTIES_BUILD)/busy.elf
	$(Q)QEMU=$(QEMU) $(BENCH)/reading $(PROPERTIES_BUILD)/busy.elf $(if $(BENCH_QUICK),--quick)
