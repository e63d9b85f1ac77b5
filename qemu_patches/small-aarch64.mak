# SPDX-License-Identifier: GPL-2.0-or-later
#
# The devices of the small emulator: the machine virt, with the devices that start a Linux guest.
# qemu_patches/build copies this file into QEMU's tree, where configure reads it. "make qemu" builds
# all devices.

CONFIG_ARM_VIRT=y
# 10.2 does not link without these.
CONFIG_CXL=y
CONFIG_CXL_MEM_DEVICE=y
CONFIG_PXB=y
CONFIG_GENERIC_LOADER=y
# Xen's dom0
CONFIG_GUEST_LOADER=y
CONFIG_PCIE_PORT=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_BALLOON=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_NET=y
CONFIG_VIRTIO_RNG=y
CONFIG_VIRTIO_SCSI=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_PVPANIC_PCI=y
