/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_KERNEL_H
#define VPMU_RUN_KERNEL_H

/**
 * kernel_open() - opens a kernel that QEMU can start without unpacking it in the machine
 * @path: a kernel for x86 as distributions have it (Documentation/arch/x86/boot.rst of Linux), or
 *        what it unpacks to.
 *
 * An emulated processor takes seconds to unpack a kernel. QEMU starts an unpacked one at its PVH
 * entry, if it has one (CONFIG_PVH).
 *
 * Return: a descriptor of an ELF file that an emulator inherits; -1 if QEMU has to start @path as
 * it is, because its packing is not known here, it has no such entry, or memory is short.
 */
int kernel_open(const char *path);

#endif
