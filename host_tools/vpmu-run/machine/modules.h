/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modules that a machine needs before it can read a file: some kernels have virtio as modules,
 * such as that of Debian 12. */
#ifndef VPMU_RUN_MODULES_H
#define VPMU_RUN_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "failure.h"
#include "files/archive.h"

/**
 * modules_path() - where a module of a kernel is
 * @kernel: its file, DIRECTORY/boot/vmlinuz-RELEASE.
 * @name: one of RUN_MODULES, with its directory below the modules of the kernel.
 * @variant: 0: @path is set to DIRECTORY/lib/modules/RELEASE/kernel/NAME.ko. Others below
 *     MODULES_VARIANTS: the same in usr/lib, or compressed, as packages of other Debians have it.
 *
 * @path is "" if @kernel has another name.
 */
void modules_path(const char *kernel, const char *name, unsigned variant, char *path, size_t size);

#define MODULES_VARIANTS 4

/**
 * modules_pack() - adds those of RUN_MODULES that exist as files to @a. Others are in the kernel.
 * @net: also those of RUN_NET_MODULES.
 */
int modules_pack(const char *kernel, bool net, struct archive *a, struct failure *f);

#endif
