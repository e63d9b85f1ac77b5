# SPDX-License-Identifier: GPL-2.0-or-later
#
# Debian packages of what "make install" installs, for this architecture and, cross-built, for arm64.

DEB_HOST := $(shell dpkg --print-architecture 2>/dev/null)
DEB_ARCHES ?= $(sort $(DEB_HOST) arm64)
DEB_UNPACKED := build/deb-unpacked
DEB_QEMU := $(DEB_UNPACKED)/usr/bin/qemu-system-aarch64-vpmu

.PHONY: deb deb-unpacked check-deb
deb: stage $(if $(filter-out $(DEB_HOST),$(DEB_ARCHES)),stage-arm64) | need-deb need-tools need-libvirt
	$(Q)for arch in $(DEB_ARCHES); do MAKE='$(MAKE)' CROSS='$(CROSS)' .mk/deb/build $$arch || exit; done

# Unpacks the packages for this architecture, so that tests can run them without installing them.
deb-unpacked: stage | need-deb need-tools need-libvirt
	$(Q)MAKE='$(MAKE)' .mk/deb/build $(DEB_HOST)
	$(Q)rm -rf $(DEB_UNPACKED) && for file in build/deb/$(DEB_HOST)/*.deb; do \
	    dpkg-deb -x $$file $(DEB_UNPACKED) || exit; done

# Checks the packages with lintian, then installs, uses and purges them in a minimal Debian.
check-deb: deb $(PROPERTIES_BUILD)/busy.elf $(RUN_TESTS)/loop $(LINUX_X86_BUILD)/initramfs.cpio | need-check-deb
	$(Q).mk/tests/deb build/deb $(PROPERTIES_BUILD)/busy.elf $(RUN_TESTS)/loop $(LINUX_X86_BUILD)/vmlinuz
