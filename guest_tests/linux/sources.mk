# SPDX-License-Identifier: GPL-2.0-or-later
#
# An arm64 Linux guest with the real perf, the suite that runs in it, and the demo. The top Makefile
# includes this file; V=1 shows the commands.


LINUX := guest_tests/linux
LINUX_MKIMAGE := $(LINUX)/mkimage $(LINUX)/image.sh
# KERNEL=7.3, KERNEL=7.3-rt-arm64 or KERNEL=/path/to/Image selects a kernel other than Debian's 6.12
# (see mkimage).
export KERNEL
# Linux 6.17 and later use branch records.
LINUX_NEWER := 7.3
KERNEL_SUFFIX := $(if $(KERNEL),-$(notdir $(KERNEL)))
LINUX_BUILD := build/guest_tests/linux$(KERNEL_SUFFIX)
LINUX_ARM := $(LINUX)/arm
LINUX_ARM_BUILD := $(LINUX_BUILD)/arm

# Programs whose instructions are known are in assembly without libc. Of the others, other things
# are known.
LINUX_COUNTED := callers entries fault forks jit kinds levels loop migrate mix on pages renames segv self signal stream \
	syscalls threads trapped
LINUX_OTHER := pingpong spin

LINUX_SUITE_FILES := main.c tables.c report.c program_counts.c command.c perf.c event.c measure.S \
	driver_tests.c identity_tests.c metric_tests.c user_tests.c self_tests.c stat_tests.c group_tests.c \
	scope_tests.c record_tests.c software_tests.c migration_tests.c event_kinds.c events_tests.c \
	sample_tests.c model_tests.c memory/page_tests.c memory/caches.c memory/told_tests.c threshold_tests.c branch/stacks.c branch/branch_tests.c \
	memory/memory_tests.c memory/c2c_tests.c validate_tests.c
LINUX_INIT_FILES := init.c
# A kernel module, and what it is built from.
LINUX_MODULE := $(LINUX)/programs/profiled_module.c host_tools/vpmu-run/tests/profiled.c $(LINUX)/mkmodule

LINUX_CFLAGS := -std=c11 -O2 -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Wvla $(WERROR)
LINUX_COUNTED_LDFLAGS := -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,noexecstack

linux_objects = $(patsubst %,$(LINUX_BUILD)/suite/%.o,$(1))

LINUX_PROGRAMS := $(addprefix $(LINUX_BUILD)/programs/,\
	$(LINUX_COUNTED) $(LINUX_OTHER) packets suite init vpmu-check)

$(LINUX_BUILD)/suite/%.o: $(LINUX)/suite/% | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(LINUX_CFLAGS) -I$(LINUX)/suite -MMD -MP -c -o $@ $<

$(LINUX_COUNTED:%=$(LINUX_BUILD)/programs/%): $(LINUX_BUILD)/programs/%: \
		$(LINUX)/programs/%.S $(LINUX)/programs/program.inc $(LINUX)/programs/user_read.inc \
		| need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(LINUX_COUNTED_LDFLAGS) -o $@ $<

$(LINUX_OTHER:%=$(LINUX_BUILD)/programs/%): $(LINUX_BUILD)/programs/%: \
		$(LINUX)/programs/%.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(LINUX_CFLAGS) -static -s -o $@ $<

# perf needs its symbols.
$(LINUX_BUILD)/programs/packets: $(LINUX)/programs/packets.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(LINUX_CFLAGS) -pthread -static -o $@ $<

$(LINUX_BUILD)/programs/suite: $(call linux_objects,$(LINUX_SUITE_FILES))
$(LINUX_BUILD)/programs/init: $(call linux_objects,$(LINUX_INIT_FILES))
$(addprefix $(LINUX_BUILD)/programs/,suite init): | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -static -s -o $@ $^

# The kernel and perf are fetched and packed once. After that only our own programs are packed. The
# kernel lies in the cache, which may have been deleted since.
$(LINUX_BUILD)/initramfs.cpio: $(LINUX_PROGRAMS) $(LINUX_ARM_BUILD)/programs/loop32 $(LINUX_MKIMAGE) $(LINUX_MODULE) \
		$(shell test -e $(LINUX_BUILD)/vmlinuz -a -e $(LINUX_BUILD)/profiled.ko || echo linux-image-lost) | need-guest
	$(Q)CROSS=$(CROSS) $(LINUX)/mkimage --also $(LINUX_NEWER) --module brd --module arm_spe_pmu --module overlay \
		--compiled profiled=$(firstword $(LINUX_MODULE)) $(LINUX_BUILD) $(LINUX_PROGRAMS) \
		$(LINUX_ARM_BUILD)/programs/loop32

# A 32-bit Linux under a 64-bit EL2. Its kernel is built once and lies in the cache.
CROSS32 ?= arm-linux-gnueabihf-
LINUX_ARM_SUITE := $(addprefix $(LINUX_ARM_BUILD)/,$(addsuffix .o,main.c report.c program_counts.c \
	command.c perf.c event.c event_kinds.c driver_tests.c identity_tests.c events_tests.c tables.c arm_tests.c validate_tests.c))
LINUX_ARM_PROGRAMS := $(addprefix $(LINUX_ARM_BUILD)/programs/,loop32 suite init vpmu-check)

$(LINUX_ARM_BUILD)/%.c.o: $(LINUX_ARM)/%.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS32)gcc $(LINUX_CFLAGS) -I$(LINUX)/suite -MMD -MP -c -o $@ $<

$(LINUX_ARM_BUILD)/%.c.o: $(LINUX)/suite/%.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS32)gcc $(LINUX_CFLAGS) -MMD -MP -c -o $@ $<

$(LINUX_ARM_BUILD)/programs/loop32: $(LINUX_ARM)/loop32.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS32)gcc $(LINUX_COUNTED_LDFLAGS) -o $@ $<

$(LINUX_ARM_BUILD)/programs/suite: $(LINUX_ARM_SUITE)
$(LINUX_ARM_BUILD)/programs/init: $(LINUX_ARM_BUILD)/init.c.o
$(LINUX_ARM_BUILD)/programs/suite $(LINUX_ARM_BUILD)/programs/init: | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS32)gcc -static -s -o $@ $^

$(LINUX_ARM_BUILD)/zImage: $(LINUX_ARM)/mkkernel $(LINUX_ARM)/kernel.config | need-kernel
	$(Q)CROSS32=$(CROSS32) $(LINUX_ARM)/mkkernel $(@D)

$(LINUX_ARM_BUILD)/enter.bin: $(LINUX_ARM)/enter.S $(LINUX_ARM_BUILD)/zImage | need-guest
	$(Q)$(CROSS)gcc -Wa,-I$(@D) -c -o $@.o $<
	$(Q)$(CROSS)objcopy -O binary $@.o $@

$(LINUX_ARM_BUILD)/initramfs.cpio: $(LINUX_ARM_PROGRAMS) $(LINUX_MKIMAGE) | need-guest
	$(Q)CROSS=$(CROSS32) $(LINUX)/mkimage --armhf $(LINUX_ARM_BUILD) $(LINUX_ARM_PROGRAMS)

# Debian's own 32-bit kernel, for CPUs before Armv8. It lies in the cache as well.
LINUX_ARMMP := $(LINUX_ARM_BUILD)/armmp/vmlinuz
$(LINUX_ARMMP): $(LINUX_ARM)/armmp $(shell test -e $(LINUX_ARMMP) || echo linux-armmp-lost)
	$(Q)$(LINUX_ARM)/armmp $(@D)
.PHONY: linux-armmp-lost
linux-armmp-lost:

# An x86-64 Linux with programs of its own.
CROSS_X86 ?= x86_64-linux-gnu-
LINUX_X86 := $(LINUX)/x86
LINUX_X86_BUILD := $(LINUX_BUILD)/x86
LINUX_X86_COUNTED := access branches fault fetch fill flops flush forks frames jit leaves levels loop on pages refused repeat sharing splits syscalls trapped vectors walk
LINUX_X86_SUITE := $(addprefix $(LINUX_X86_BUILD)/,$(addsuffix .o,main.c report.c program_counts.c \
	command.c perf.c event.c stat_tests.c scope_tests.c group_tests.c record_tests.c tables.c kvm_tests.c ds_tests.c pebs_tests.c \
	sample_tests.c topdown_tests.c metric_tests.c condition_tests.c x86_tests.c branch/stacks.c \
	branch_tests.c memory_tests.c sharing_tests.c memory/c2c_tests.c clock_tests.c register_tests.c dirty_tests.c flops_tests.c told_tests.c memory/caches.c ibs_tests.c ibs_access.c ibs_registers.c ibs_jumps.c memory/page_tests.c \
	validate_tests.c))
LINUX_X86_PROGRAMS := $(addprefix $(LINUX_X86_BUILD)/programs/,$(LINUX_X86_COUNTED) packets suite init vpmu-check)

$(LINUX_X86_BUILD)/%.c.o: $(LINUX_X86)/%.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(LINUX_CFLAGS) -I$(LINUX)/suite -I$(LINUX_X86) -MMD -MP -c -o $@ $<

$(LINUX_X86_BUILD)/%.c.o: $(LINUX)/suite/%.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(LINUX_CFLAGS) -I$(LINUX)/suite -MMD -MP -c -o $@ $<

$(LINUX_X86_COUNTED:%=$(LINUX_X86_BUILD)/programs/%): $(LINUX_X86_BUILD)/programs/%: \
		$(LINUX_X86)/programs/%.S $(LINUX_X86)/programs/program.inc | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(LINUX_COUNTED_LDFLAGS) -o $@ $<

$(LINUX_X86_BUILD)/programs/packets: $(LINUX)/programs/packets.c | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(LINUX_CFLAGS) -pthread -static -o $@ $<

$(LINUX_X86_BUILD)/programs/suite: $(LINUX_X86_SUITE)
$(LINUX_X86_BUILD)/programs/init: $(LINUX_X86_BUILD)/init.c.o
$(LINUX_X86_BUILD)/programs/suite $(LINUX_X86_BUILD)/programs/init: | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc -static -s -o $@ $^

$(LINUX_X86_BUILD)/initramfs.cpio: $(LINUX_X86_PROGRAMS) $(LINUX_MKIMAGE) $(LINUX_MODULE) docs/x86-metrics.md \
		$(shell test -e $(LINUX_X86_BUILD)/vmlinuz -a -e $(LINUX_X86_BUILD)/profiled.ko || echo linux-image-lost) | need-guest-x86
	$(Q)CROSS=$(CROSS_X86) $(LINUX)/mkimage --amd64 --module msr --module irqbypass --module kvm --module kvm-amd --module overlay \
	    --compiled profiled=$(firstword $(LINUX_MODULE)) --file x86-metrics.md=docs/x86-metrics.md \
	    $(LINUX_X86_BUILD) $(LINUX_X86_PROGRAMS)

# rr records and replays these in it.
LINUX_X86_RR_BUILD := $(LINUX_X86_BUILD)/rr
LINUX_X86_RR_PROGRAMS := $(addprefix $(LINUX_X86_BUILD)/programs/,init forks pingpong signal threads) \
	guest_tests/clients/clients guest_tests/clients/theirs.tsv

$(LINUX_X86_BUILD)/programs/pingpong: $(LINUX)/programs/pingpong.c
$(LINUX_X86_BUILD)/programs/signal $(LINUX_X86_BUILD)/programs/threads: $(LINUX_X86_BUILD)/programs/%: \
		$(LINUX_X86)/programs/%.c
$(addprefix $(LINUX_X86_BUILD)/programs/,pingpong signal threads): | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(LINUX_CFLAGS) -pthread -static -s -o $@ $<

$(LINUX_X86_RR_BUILD)/rr.cpio: guest_tests/clients/mkclients $(LINUX)/image.sh \
		$(shell test -e $(LINUX_X86_RR_BUILD)/rr.cpio || echo linux-image-lost) | need-guest-x86
	@mkdir -p $(@D)
	$(Q)CROSS=$(CROSS_X86) guest_tests/clients/mkclients --amd64 $@

$(LINUX_X86_RR_BUILD)/initramfs.cpio: $(LINUX_X86_RR_PROGRAMS) $(LINUX_X86_RR_BUILD)/rr.cpio $(LINUX_MKIMAGE) \
		$(shell test -e $(LINUX_X86_RR_BUILD)/vmlinuz || echo linux-image-lost) | need-guest-x86
	$(Q)CROSS=$(CROSS_X86) $(LINUX)/mkimage --amd64 --archive $(LINUX_X86_RR_BUILD)/rr.cpio --module virtio_blk \
	    $(LINUX_X86_RR_BUILD) $(LINUX_X86_RR_PROGRAMS)

# Users run the same program in their machines.
$(LINUX_BUILD)/programs/vpmu-check: $(CHECK_BUILD)/vpmu-check-arm64
$(LINUX_ARM_BUILD)/programs/vpmu-check: $(CHECK_BUILD)/vpmu-check-armhf
$(LINUX_X86_BUILD)/programs/vpmu-check: $(CHECK_BUILD)/vpmu-check-amd64
$(addsuffix /programs/vpmu-check,$(LINUX_BUILD) $(LINUX_ARM_BUILD) $(LINUX_X86_BUILD)):
	@mkdir -p $(@D)
	$(Q)cp -- $< $@

# Recorded guests also have a tree of functions, which vpmu-run has in its tests, too. It has an image of
# its own, because the demo needs no compiler for C++.
$(LINUX_BUILD)/recorded.cpio: $(LINUX_BUILD)/initramfs.cpio $(RUN_TESTS)/trees-arm64 | need-guest
$(LINUX_X86_BUILD)/recorded.cpio: $(LINUX_X86_BUILD)/initramfs.cpio $(RUN_TESTS)/trees | need-guest-x86
$(LINUX_BUILD)/recorded.cpio $(LINUX_X86_BUILD)/recorded.cpio:
	$(Q)mkdir -p $(@D)/recorded/vpmu && cp -- $(word 2,$^) $(@D)/recorded/vpmu/trees
	$(Q)(cat $< && cd $(@D)/recorded && \
	    printf 'vpmu\nvpmu/trees\n' | cpio -o -H newc --quiet --reproducible -R 0:0) >$@

# Xen tests its watchdog.
LINUX_X86_XEN := $(LINUX_X86_BUILD)/xen
$(LINUX_X86_XEN): guest_tests/nested/mkxen $(shell test -e $(LINUX_X86_XEN) || echo linux-image-lost) | need-guest-x86
	$(Q)$< --amd64 $@

# RUNS="max icount" runs only these lines of x86/runs.tsv.
.PHONY: linux-x86-image check-x86
ready: qemu-x86 linux-x86-image $(LINUX_X86_XEN)

linux-x86-image: $(LINUX_X86_BUILD)/initramfs.cpio $(LINUX_X86_BUILD)/recorded.cpio $(LINUX_X86_RR_BUILD)/initramfs.cpio

check-x86: qemu-x86 linux-x86-image $(LINUX_X86_XEN) host_tools | need-perf
	$(Q)guest_tests/run-guest x86 -- $(LINUX_X86)/models $(QEMU_X86) vpmu/tests/x86/x86_models.tsv
	$(Q)QEMU_X86=$(QEMU_X86) $(LINUX_X86)/run $(LINUX_X86_BUILD) $(RUNS)
	$(Q)$(if $(RUNS),,QEMU_X86=$(QEMU_X86) guest_tests/run-guest x86/xen -- $(LINUX_X86)/xen \
	    $(LINUX_X86_XEN) $(LINUX_X86_BUILD)/vmlinuz)
	$(Q)$(if $(RUNS),,$(NESTED_X86_TEST))

# RUNS="smp2 el2" runs only these lines of runs.tsv.
.PHONY: linux-image linux-image-lost linux-arm-image check-linux demo
ready: qemu linux-image linux-arm-image

linux-image: $(LINUX_BUILD)/initramfs.cpio $(LINUX_BUILD)/recorded.cpio

linux-arm-image: $(LINUX_ARM_BUILD)/enter.bin $(LINUX_ARM_BUILD)/initramfs.cpio $(LINUX_ARMMP)

check-linux: qemu linux-image linux-arm-image host_tools | need-perf
	$(Q)QEMU=$(QEMU) $(LINUX)/run $(LINUX_BUILD) $(RUNS)

demo: qemu $(LINUX_BUILD)/initramfs.cpio
	$(Q)QEMU=$(QEMU) $(LINUX)/demo $(LINUX_BUILD)

# RUNS="stock-arm64 here" runs only these lines of verdicts.tsv.
.PHONY: vpmu-check-table
vpmu-check-table: qemu qemu-x86 linux-image linux-x86-image nested-image $(CHECK_BUILD)/vpmu-check
	$(Q)QEMU=$(QEMU) QEMU_X86=$(QEMU_X86) $(LINUX)/verdicts $(LINUX_BUILD) $(NESTED_BUILD) \
	    $(CHECK_BUILD)/vpmu-check $(RUNS)

# Not in check: emulators that are built with wrong counts, each of which vpmu-check must notice.
# RUNS="no-returns" builds only these lines of wrong_builds.tsv.
.PHONY: check-wrong-builds
check-wrong-builds: linux-image $(CHECK_BUILD)/vpmu-check
	$(Q)$(LINUX)/wrong_builds $(LINUX_BUILD) $(NESTED_BUILD) \
	    $(CHECK_BUILD)/vpmu-check $(RUNS)

-include $(wildcard $(LINUX_BUILD)/suite/*.d $(LINUX_BUILD)/suite/*/*.d $(LINUX_ARM_BUILD)/*.d $(LINUX_X86_BUILD)/*.d)
