# SPDX-License-Identifier: GPL-2.0-or-later
#
# A Linux that is a KVM host inside the machine, with guests of its own: one that only enters and
# exits, and in our QEMU for arm64 a Linux and a guest without an OS, with vpmu-stats beside it.
# Include this after the sources.mk of the Linux guest, whose image it builds on, and of the
# bare-metal tests, whose runtime it uses.

QEMU_ARM64 ?= build/qemu-arm64$(QEMU_SUFFIX)/qemu-system-aarch64

NESTED := guest_tests/nested
NESTED_BUILD := build/guest_tests/nested$(KERNEL_SUFFIX)

# The suite runs unchanged in the guest's guest.
NESTED_SCRIPTS := $(NESTED)/console $(NESTED)/l2
NESTED_PROGRAMS := $(addprefix $(NESTED_BUILD)/,kvmloop vmm-guest) \
	$(addprefix $(LINUX_BUILD)/programs/,init loop spin syscalls vpmu-check) \
	$(NESTED_BUILD)/example-vmm

$(NESTED_BUILD)/kvmloop: $(NESTED)/kvmloop.c $(NESTED)/guest.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(LINUX_CFLAGS) -static -s -o $@ $^

$(NESTED_BUILD)/example-vmm: $(GLUE_EXAMPLES)/vmm
	@mkdir -p $(@D)
	$(Q)cp -- $< $@

# The guest of the VMM under test.
NESTED_VMM_OBJS := $(addprefix $(NESTED_BUILD)/,vmm_guest.c.o vmm_rounds.S.o) \
	$(addprefix $(BAREMETAL_BUILD)/,registers/pmevcntr.c.o \
	$(addsuffix .o,$(filter runtime/%,$(BAREMETAL_COMMON))))

$(NESTED_BUILD)/%.c.o: $(NESTED)/%.c | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(BAREMETAL_CPPFLAGS) $(BAREMETAL_CFLAGS) -c -o $@ $<

$(NESTED_BUILD)/%.S.o: $(NESTED)/%.S | need-guest
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc $(BAREMETAL_CPPFLAGS) -c -o $@ $<

$(NESTED_BUILD)/vmm-guest: $(NESTED_VMM_OBJS) $(BAREMETAL_BUILD)/image.lds | need-guest
	$(Q)$(CROSS)gcc $(BAREMETAL_LDFLAGS) -T $(BAREMETAL_BUILD)/image.lds -o $@ $(filter %.o,$^)

-include $(wildcard $(NESTED_BUILD)/*.d)

# vpmu-stats for such a host. A make of its own finds out what has changed.
NESTED_TOOLS := build/tools-arm64/vpmu-stats
.PHONY: tools-arm64
tools-arm64: | need-cross need-tools
	$(Q)MAKE='$(MAKE)' CROSS='$(CROSS)' host_tools/cross build/tools-arm64 vpmu-stats
$(NESTED_TOOLS): tools-arm64 ;

$(NESTED_BUILD)/initramfs.cpio: $(NESTED_PROGRAMS) $(NESTED_SCRIPTS) $(LINUX_MKIMAGE) $(LINUX)/quick_boot \
		$(LINUX_BUILD)/initramfs.cpio $(QEMU_ARM64) $(NESTED_TOOLS) \
		$(shell test -e $(NESTED_BUILD)/vmlinuz || echo linux-image-lost) | need-guest
	$(Q)CROSS=$(CROSS) $(LINUX)/mkimage --file Image=$(LINUX_BUILD)/vmlinuz \
	    --file l2.cpio=$(LINUX_BUILD)/initramfs.cpio \
	    --file quick_boot=$(LINUX)/quick_boot \
	    --linked usr/bin/qemu-system-aarch64=$(QEMU_ARM64) \
	    --linked usr/bin/vpmu-stats=$(NESTED_TOOLS) \
	    $(NESTED_BUILD) $(NESTED_PROGRAMS) $(NESTED_SCRIPTS)

# The host that has STRICT. Its image is built after the other one, because both need the same
# programs.
NESTED_NEWER_BUILD := build/guest_tests/nested-$(LINUX_NEWER)
.PHONY: nested-image-newer
nested-image-newer: nested-image
	+$(Q)$(MAKE) --no-print-directory KERNEL=$(LINUX_NEWER) nested-image

# Xen, with Linux as its dom0.
NESTED_XEN := $(NESTED_BUILD)/xen
$(NESTED_XEN): $(NESTED)/mkxen $(shell test -e $(NESTED_BUILD)/xen || echo linux-image-lost) | need-guest
	$(Q)$(NESTED)/mkxen $@

# RUNS="vhe nvhe" runs only these lines of runs.tsv.
.PHONY: nested-image check-nested check-nested-newer check-streams check-vmm check-names check-levels \
	check-xen \
	accuracy
nested-image: $(NESTED_BUILD)/initramfs.cpio

# Tests of both hosts are only run without KERNEL and RUNS.
ready: qemu nested-image $(if $(KERNEL),,nested-image-newer) $(NESTED_XEN) hypervisor

check-nested: qemu nested-image $(if $(KERNEL)$(RUNS),,nested-image-newer) $(NESTED_XEN) hypervisor host_tools \
		| need-perf
	$(Q)QEMU=$(QEMU) $(NESTED)/run $(NESTED_BUILD) $(RUNS)
	$(Q)$(if $(RUNS),,QEMU=$(QEMU) guest_tests/run-guest --patience 100 nested/cost -- $(NESTED_COST))
	$(Q)$(if $(RUNS),,$(NESTED_VMM))
	$(Q)$(if $(KERNEL)$(RUNS),,$(NESTED_STRICT) vhe-slots protected-slots)
	$(Q)$(if $(KERNEL)$(RUNS),,$(NESTED_STREAMS))
	$(Q)$(if $(KERNEL)$(RUNS),,$(NESTED_LEVELS))
	$(Q)$(if $(RUNS),,$(NESTED_NAMES))
	$(Q)$(if $(RUNS),,$(NESTED_XEN_TEST))

# Everything on the newer host.
check-nested-newer: qemu nested-image-newer hypervisor
	+$(Q)$(MAKE) --no-print-directory KERNEL=$(LINUX_NEWER) check-nested
	$(Q)$(NESTED_STRICT) vhe-slots nvhe-slots protected-slots
	$(Q)$(NESTED_LEVELS)

NESTED_STRICT = QEMU=$(QEMU) guest_tests/run-guest --patience 250 nested/strict -- $(NESTED)/vmm \
	$(NESTED_NEWER_BUILD)

NESTED_XEN_TEST = QEMU=$(QEMU) guest_tests/run-guest --patience 250 nested/xen -- $(NESTED)/xen \
	$(NESTED_BUILD) $(NESTED_XEN) $(TOOLS_BUILD)/vpmu-stats
check-xen: qemu nested-image $(NESTED_XEN) host_tools
	$(Q)$(NESTED_XEN_TEST)

# Names of functions and threads in guests of the host.
NESTED_NAMES = QEMU=$(QEMU) guest_tests/run-guest --patience 250 nested/names -- $(NESTED)/names \
	$(NESTED_BUILD) $(TOOLS_BUILD)/vpmu-stats
check-names: qemu nested-image host_tools | need-perf
	$(Q)$(NESTED_NAMES)

# A hypervisor in a guest of the newer host, and its guest.
NESTED_LEVELS = QEMU=$(QEMU) guest_tests/run-guest --patience 250 nested/levels -- $(NESTED)/levels \
	$(NESTED_NEWER_BUILD) $(TOOLS_BUILD)/vpmu-stats
check-levels: qemu nested-image-newer host_tools
	$(Q)$(NESTED_LEVELS)

# Guests that move between both hosts.
NESTED_STREAMS = QEMU=$(QEMU) guest_tests/run-guest --patience 250 nested/streams -- \
	$(NESTED)/streams build/guest_tests/nested $(NESTED_NEWER_BUILD)
check-streams: qemu nested-image-newer
	$(Q)$(NESTED_STREAMS)

# Only the test of the VMM.
NESTED_VMM = QEMU=$(QEMU) guest_tests/run-guest --patience 250 nested/vmm -- $(NESTED)/vmm \
	$(NESTED_BUILD)
check-vmm: qemu nested-image
	$(Q)$(NESTED_VMM)

# A host for x86-64, and our QEMU for x86-64 as a VMM on it, which is this computer's own program.
NESTED_X86 := $(NESTED)/x86
NESTED_X86_BUILD := $(LINUX_X86_BUILD)/kvm
NESTED_X86_VMM := $(if $(filter x86_64,$(shell uname -m)),$(NESTED_X86)/vmm $(NESTED_X86_BUILD) \
	$(TOOLS_BUILD)/vpmu-stats)
NESTED_X86_TEST = $(if $(NESTED_X86_VMM),QEMU_X86=$(QEMU_X86) guest_tests/run-guest --patience 250 \
	nested/x86 -- $(NESTED_X86_VMM) $(RUNS))

$(NESTED_X86_BUILD)/guest.elf: $(NESTED_X86)/guest.S | need-guest-x86
	@mkdir -p $(@D)
	$(Q)$(CROSS_X86)gcc $(LINUX_COUNTED_LDFLAGS) -Wl,-Ttext=0xf0000,-e,real_mode -o $@ $<

$(NESTED_X86_BUILD)/guest: $(NESTED_X86_BUILD)/guest.elf
	$(Q)$(CROSS_X86)objcopy -O binary -j .text $< $@

$(NESTED_X86_BUILD)/vmm.cpio: $(NESTED_X86)/mkvmm $(LINUX)/image.sh $(QEMU_X86) $(TOOLS_BUILD)/vpmu-stats
	$(Q)CROSS=$(CROSS_X86) $(NESTED_X86)/mkvmm $@ $(QEMU_X86) $(TOOLS_BUILD)/vpmu-stats

# A Linux as its guest, and what starts that.
NESTED_X86_FIRMWARE := /usr/share/seabios/bios-256k.bin \
	$(addprefix /usr/share/qemu/,kvmvapic.bin pvh.bin)

$(NESTED_X86_BUILD)/l2.cpio: $(addprefix $(LINUX_X86_BUILD)/programs/,init leaves) | need-guest-x86
	$(Q)rm -rf $@.tree
	$(Q)mkdir -p $@.tree/vpmu
	$(Q)cp -- $(LINUX_X86_BUILD)/programs/leaves $@.tree/vpmu
	$(Q)cp -- $(LINUX_X86_BUILD)/programs/init $@.tree
	$(Q)(cd $@.tree && find . | cpio -o -H newc --quiet) >$@
	$(Q)rm -rf $@.tree

$(NESTED_X86_BUILD)/initramfs.cpio: $(NESTED_X86_BUILD)/guest $(NESTED_X86_BUILD)/vmm.cpio $(NESTED_X86_BUILD)/l2.cpio \
		$(LINUX_X86_BUILD)/initramfs.cpio $(NESTED)/console $(LINUX_MKIMAGE) \
		$(shell test -e $(NESTED_X86_BUILD)/vmlinuz || echo linux-image-lost) | need-guest-x86
	$(Q)CROSS=$(CROSS_X86) $(LINUX)/mkimage --amd64 --archive $(NESTED_X86_BUILD)/vmm.cpio \
	    --file vmlinux=$(LINUX_X86_BUILD)/vmlinux --file l2.cpio=$(NESTED_X86_BUILD)/l2.cpio \
	    $(foreach file,$(NESTED_X86_FIRMWARE),--file $(notdir $(file))=$(file)) \
	    --module irqbypass --module kvm --module kvm-amd $(NESTED_X86_BUILD) \
	    $(NESTED_X86_BUILD)/guest $(LINUX_X86_BUILD)/programs/init $(NESTED)/console

.PHONY: nested-x86-image check-vmm-x86
nested-x86-image: $(if $(NESTED_X86_VMM),$(NESTED_X86_BUILD)/initramfs.cpio)
ready: nested-x86-image
check-x86: nested-x86-image

check-vmm-x86: qemu-x86 nested-x86-image host_tools | need-perf
	$(Q)$(NESTED_X86_TEST)

# The cost of Linux's switch and of ours.
NESTED_COST := $(NESTED)/switch-cost $(NESTED_BUILD) build/guest_tests/hypervisor/hypervisor.elf

# The tables in docs/results/accuracy.md.
accuracy: qemu nested-image hypervisor
	$(Q)QEMU=$(QEMU) $(NESTED)/accuracy --results accuracy$(QEMU_SUFFIX)$(KERNEL_SUFFIX) \
	    $(NESTED_BUILD) build/guest_tests/hypervisor/hypervisor.elf $(RUNS)

# The picture in docs/profiling.md.
.PHONY: flamegraph
flamegraph: qemu nested-image host_tools
	$(Q)QEMU=$(QEMU) $(NESTED)/flamegraph $(NESTED_BUILD) $(TOOLS_BUILD)/vpmu-stats docs/flamegraph.svg
