# SPDX-License-Identifier: GPL-2.0-or-later
#
# A guest that libvirt runs with our emulator. Include this after the Linux guest's sources.mk,
# whose programs it uses, and after the host tools'.

VIRSH := guest_tests/libvirt
VIRSH_BUILD := build/guest_tests/libvirt$(KERNEL_SUFFIX)

VIRSH_PROGRAMS := $(addprefix $(LINUX_BUILD)/programs/,init loop kinds suite) $(VIRSH)/guest

$(VIRSH_BUILD)/initramfs.cpio: $(VIRSH_PROGRAMS) $(LINUX_MKIMAGE) \
		$(shell test -e $(VIRSH_BUILD)/vmlinuz || echo linux-image-lost) | need-guest
	$(Q)CROSS=$(CROSS) $(LINUX)/mkimage $(VIRSH_BUILD) $(VIRSH_PROGRAMS)

.PHONY: virsh-image check-virsh
virsh-image: $(VIRSH_BUILD)/initramfs.cpio

ready: qemu qemu-x86 virsh-image $(TOOLS_TESTS)/program

check-virsh: qemu qemu-x86 virsh-image $(TOOLS_TESTS)/program
	$(Q)QEMU=$(QEMU) QEMU_X86=$(abspath $(QEMU_X86)) $(VIRSH)/run $(VIRSH_BUILD) $(TOOLS_TESTS)/program
