# SPDX-License-Identifier: GPL-2.0-or-later
#
# QEMU with our series; a part of the one top-level Makefile. The scripts find out themselves what
# is up to date. What QEMU links is installed for it first: libraries, headers and .pc files into
# build/stage, and compiled for arm64 into build/stage-arm64.

export QEMU_SRC QEMU_VERSION QEMU_TARGETS

.PHONY: qemu qemu-arm64 qemu-stock check-qemu-patches check-qemu-each check-setup

STAGE_FILES := $(VPMU_HEADERS) $(GLUE_HEADERS) vpmu/vpmu.pc.in kvm_glue/kvm_glue.pc.in

# install_stage DIR,VARIABLES: into an empty DIR
define install_stage
	@rm -rf $(1)
	+@$(MAKE) --no-print-directory $(2) PREFIX=$(CURDIR)/$(1) DESTDIR= install-vpmu install-glue
	@touch $(1)/.stamp
endef

build/stage/.stamp: build/vpmu/libvpmu.a build/kvm_glue/libkvm_glue.a $(STAGE_FILES)
	$(call install_stage,build/stage)

build/stage-arm64/.stamp: $(VPMU_SRCS) $(VPMU_EL2_SRCS) $(wildcard vpmu/src/*.h kvm_glue/src/*) \
		$(STAGE_FILES) | need-cross
	$(call install_stage,build/stage-arm64,BUILD=build/arm64 CC=$(CROSS)gcc AR=$(CROSS)ar)

.PHONY: stage stage-arm64
stage: build/stage/.stamp
stage-arm64: build/stage-arm64/.stamp

qemu: stage | need-qemu
	$(Q)qemu_patches/build

# For arm64 hosts with KVM, built on any machine.
qemu-arm64: stage-arm64 | need-qemu need-cross
	$(Q)CROSS='$(CROSS)' qemu_patches/build --arm64

qemu-stock: | need-qemu
	$(Q)qemu_patches/build --stock

# The emulators themselves: their scripts find out what is to be done.
build/qemu/qemu-system-aarch64: qemu ;
build/qemu-arm64/qemu-system-aarch64: qemu-arm64 ;
build/qemu-stock/qemu-system-aarch64: qemu-stock ;

# Style of each patch, and whether the series applies to Debian's and to the released source.
check-qemu-patches: | need-qemu
	$(Q)qemu_patches/check

# Slow, so not a part of check: QEMU builds after each patch.
check-qemu-each: stage | need-qemu
	$(Q)qemu_patches/build --each

# What the set-up scripts say when something is missing; needs no network once the packages are
# there.
check-setup: | need-qemu
	$(Q).mk/tests/run
