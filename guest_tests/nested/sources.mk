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
	$(addprefix $(LINUX_BUILD)/programs/,init loop spin syscalls) \
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
	$(Q)MAKE='$(MAKE)' CROSS='$(CROSS)' host_tools/cross build/tools-arm64
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
