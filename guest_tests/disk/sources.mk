# SPDX-License-Identifier: GPL-2.0-or-later
#
# An installed distribution on a disk, which libvirt boots by UEFI with the emulator of the package.
# Include this after the host tools' sources.mk and .mk/deb/sources.mk.

DISK := guest_tests/disk
DISK_BUILD := build/guest_tests/disk

.PHONY: disk-image check-disk check-virsh-deb
disk-image: qemu-to-install | need-disk
	@mkdir -p $(DISK_BUILD)
	$(Q)ln -sfn $(CURDIR)/build/qemu/qemu-img $(DISK_BUILD)/qemu-img
	$(Q)$(DISK)/mkdisk $(DISK_BUILD) build/qemu/qemu-img

check-disk: disk-image deb-unpacked $(TOOLS_TESTS)/program | need-qemu-run
	$(Q)QEMU=$(DEB_QEMU) guest_tests/libvirt/run $(DISK_BUILD) $(TOOLS_TESTS)/program $(DISK)/disk

# The test of libvirt with the emulator of the package.
check-virsh-deb: deb-unpacked virsh-image $(TOOLS_TESTS)/program | need-guest
	$(Q)QEMU=$(DEB_QEMU) $(VIRSH)/run $(VIRSH_BUILD) $(TOOLS_TESTS)/program
