# SPDX-License-Identifier: GPL-2.0-or-later
# A VMM for arm64 hosts that uses public headers only. docs/kvm.md explains it; check-nested runs it.

GLUE_EXAMPLES := build/kvm_glue/examples

$(GLUE_EXAMPLES)/vmm: kvm_glue/examples/vmm.c kvm_glue/examples/machine.c kvm_glue/examples/guest.S \
    kvm_glue/examples/machine.h build/stage-arm64/.stamp | need-cross
	@mkdir -p $(@D)
	$(Q)$(CROSS)gcc -std=c11 -O2 -g $(WARNINGS) -Ibuild/stage-arm64/include -static -o $@ $(filter %.c %.S,$^) \
	    build/stage-arm64/lib/libkvm_glue.a build/stage-arm64/lib/libvpmu.a
