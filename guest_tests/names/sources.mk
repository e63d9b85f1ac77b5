# SPDX-License-Identifier: GPL-2.0-or-later
#
# A Debian whose programs are recorded, each sample of which must have a name. Include this after the
# sources.mk of the Linux guests, whose kernels it boots.

NAMES := guest_tests/names
NAMES_BUILD := build/guest_tests/names

# Not in check: it fetches 300 MiB and takes minutes. ARCHES=amd64 leaves arm64 out, RUNS="boot node" runs
# only these programs.
NAMES_ARCHES := $(or $(ARCHES),arm64 amd64)
NAMES_TREES_arm64 := $(RUN_TESTS)/trees-arm64 $(RUN_RUST_TREES_ARM64) $(LINUX_BUILD)/overlay.ko
NAMES_TREES_amd64 := $(RUN_TESTS)/trees $(RUN_RUST_TREES) $(LINUX_X86_BUILD)/overlay.ko
.PHONY: check-debian-names
check-debian-names: qemu qemu-x86 linux-image linux-x86-image host_tools run-kernel \
		$(foreach arch,$(NAMES_ARCHES),$(NAMES_TREES_$(arch))) | need-guest need-guest-x86 need-perf
	$(Q)$(foreach arch,$(NAMES_ARCHES),$(NAMES)/mkroot $(arch) $(NAMES_BUILD)/$(arch) $(NAMES_TREES_$(arch)) &&) true
	$(Q)QEMU=$(QEMU) QEMU_X86=$(QEMU_X86) $(NAMES)/run $(NAMES_BUILD) $(LINUX_BUILD) $(RUN_BUILD) \
	    "$(NAMES_ARCHES)" $(RUNS)
