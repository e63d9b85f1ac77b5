# SPDX-License-Identifier: GPL-2.0-or-later
#
# The benchmarks of docs/performance.md. `make check` does not run them. BENCH_ROUNDS=N sets the
# number of rounds, BENCH_QUICK=1 only shows that the benchmark runs, and BENCH_ARGS has any other
# option of guest_tests/bench/run.

QEMU_STOCK ?= build/qemu-stock$(QEMU_SUFFIX)/qemu-system-aarch64

# Another QEMU or another kernel has result files of its own.
RESULTS_SUFFIX := $(QEMU_SUFFIX)$(KERNEL_SUFFIX)

BENCH := guest_tests/bench
BENCH_BUILD := build/guest_tests/bench$(KERNEL_SUFFIX)
BENCH_PROGRAMS := $(addprefix $(BENCH_BUILD)/programs/,workload count)

$(BENCH_PROGRAMS): $(BENCH_BUILD)/programs/%: $(BENCH)/%.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(LINUX_CFLAGS) -static -s -o $@ $<

# The kernel and the shell are those of the Linux suite.
$(BENCH_BUILD)/initramfs.cpio: $(BENCH_PROGRAMS) $(BENCH)/init $(BENCH)/mkimage \
		$(LINUX_BUILD)/initramfs.cpio
	$(Q)$(BENCH)/mkimage $(LINUX_BUILD) $(BENCH_BUILD) $(BENCH_PROGRAMS) $(LINUX_BUILD)/arm_spe_pmu.ko \
	    $(BENCH)/init

$(BENCH_BUILD)/library: $(BENCH)/library.c build/vpmu/libvpmu.a $(VPMU_HEADERS) | $(NEED_CC)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -O2 -g $(WARNINGS) -Ivpmu/include -o $@ $< build/vpmu/libvpmu.a

# The same for an x86-64 guest.
BENCH_X86_BUILD := $(BENCH_BUILD)/x86
BENCH_X86_PROGRAMS := $(addprefix $(BENCH_X86_BUILD)/programs/,workload count)
$(BENCH_X86_PROGRAMS): $(BENCH_X86_BUILD)/programs/%: $(BENCH)/%.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(LINUX_CFLAGS) -static -s -o $@ $<

$(BENCH_X86_BUILD)/initramfs.cpio: $(BENCH_X86_PROGRAMS) $(BENCH)/init $(BENCH)/mkimage \
		$(LINUX_X86_BUILD)/initramfs.cpio
	$(Q)$(BENCH)/mkimage $(LINUX_X86_BUILD) $(BENCH_X86_BUILD) $(BENCH_X86_PROGRAMS) $(BENCH)/init

.PHONY: qemu-stock-x86 bench-x86
qemu-stock-x86: | need-qemu need-qemu-x86
	$(Q)QEMU_TARGETS=x86_64-softmmu qemu_patches/build --stock

bench-x86: export QEMU_FEATURES := small
bench-x86: qemu-x86 qemu-stock-x86 host_tools linux-x86-image $(BENCH_X86_BUILD)/initramfs.cpio
	$(Q)QEMU=$(QEMU_X86) QEMU_STOCK=build/qemu-stock-x86$(QEMU_SUFFIX)/qemu-system-x86_64 \
	    $(BENCH)/run --x86 $(BENCH_X86_BUILD) --json build/bench-x86.json \
	    --results bench-x86$(RESULTS_SUFFIX) \
	    $(if $(BENCH_ROUNDS),--rounds $(BENCH_ROUNDS)) $(if $(BENCH_QUICK),--quick) $(BENCH_ARGS)

# Tests of the program that writes docs/results/. They measure nothing.
.PHONY: check-bench
check-bench: $(BENCH_BUILD)/library | need-guest
	$(Q)$(BENCH)/test_results

.PHONY: bench bench-plugins
bench-plugins: | need-qemu
	$(Q)$(BENCH)/plugins $(BENCH_BUILD)/plugins

bench: qemu qemu-stock host_tools linux-image $(BENCH_BUILD)/initramfs.cpio $(BENCH_BUILD)/library \
		bench-plugins build/guest_tests/properties/busy.elf
	$(Q)QEMU=$(QEMU) QEMU_STOCK=$(QEMU_STOCK) VPMU_STATS=$(TOOLS_BUILD)/vpmu-stats $(BENCH)/run $(BENCH_BUILD) \
	    --results bench$(RESULTS_SUFFIX) \
	    $(if $(BENCH_ROUNDS),--rounds $(BENCH_ROUNDS)) $(if $(BENCH_QUICK),--quick) $(BENCH_ARGS)
	$(Q)QEMU=$(QEMU) $(BENCH)/reading --results bench-reading$(RESULTS_SUFFIX) \
	    $(PROPERTIES_BUILD)/busy.elf $(if $(BENCH_QUICK),--quick)
	$(Q)$(MAKE) --no-print-directory bench-exits

# The cost of the meter at KVM's exit path. This needs QEMUs for the host's own processor: two
# builds the first time.
.PHONY: bench-exits
bench-exits: stage qemu-x86 qemu-stock-x86 | need-guest
	$(Q)if [ "$$(uname -m)" = x86_64 ] && [ -w /dev/kvm ]; then \
	    $(BENCH)/exits --results bench-exits$(QEMU_SUFFIX) \
	        $(QEMU_X86) build/qemu-stock-x86$(QEMU_SUFFIX)/qemu-system-x86_64; \
	else \
	    echo 'SKIP exits: there is no /dev/kvm of an x86-64 host that can be used here'; \
	fi

# Programs under vpmu-run, compared with cachegrind if valgrind is installed.
.PHONY: bench-run
bench-run: qemu-x86 run-kernel build/host_tools/vpmu-run $(BENCH_X86_BUILD)/programs/workload
	$(Q)$(BENCH)/programs --results bench-run$(RESULTS_SUFFIX) $(if $(BENCH_ROUNDS),--rounds $(BENCH_ROUNDS)) \
	    $(if $(BENCH_QUICK),--quick) $(BENCH_X86_BUILD)/programs/workload build/host_tools/vpmu-run $(QEMU_X86)

# Exact profiles beside those of callgrind, of three static programs.
BENCH_COMPARED := build/guest_tests/bench/compared-programs
.PHONY: bench-profiles
bench-profiles: qemu-x86 run-kernel build/host_tools/vpmu-run build/host_tools/vpmu-stats | need-run need-perf need-guest-x86
	$(Q).mk/debian tool bookworm $(BENCH_COMPARED) busybox-static libsqlite3-dev
	$(Q)$(CROSS_X86)gcc -std=c11 -g -O1 -static -I$(BENCH_COMPARED)/usr/include -o $(BENCH_COMPARED)/compared $(BENCH)/compared.c \
	    $(BENCH_COMPARED)/usr/lib/x86_64-linux-gnu/libsqlite3.a -lm -pthread
	$(Q)$(BENCH)/profiles --results bench-profiles$(RESULTS_SUFFIX) build/host_tools/vpmu-run $(QEMU_X86) $(BENCH_COMPARED)/bin/busybox \
	    $(BENCH_COMPARED)/compared

# Recordings with call chains, alone.
.PHONY: bench-chains
bench-chains: qemu host_tools linux-image $(BENCH_BUILD)/initramfs.cpio
	$(Q)QEMU=$(QEMU) VPMU_STATS=$(TOOLS_BUILD)/vpmu-stats $(BENCH)/run --chains $(BENCH_BUILD) \
	    --json build/bench-chains.json --results bench-chains$(RESULTS_SUFFIX) \
	    $(if $(BENCH_ROUNDS),--rounds $(BENCH_ROUNDS)) $(if $(BENCH_QUICK),--quick) $(BENCH_ARGS)

# The cost of reading PMUs from outside, alone.
.PHONY: bench-reading
bench-reading: qemu build/guest_tests/properties/busy.elf
	$(Q)QEMU=$(QEMU) $(BENCH)/reading --results bench-reading$(RESULTS_SUFFIX) \
	    $(PROPERTIES_BUILD)/busy.elf $(if $(BENCH_QUICK),--quick)
