/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modules that a machine needs before it can read a file: some kernels have virtio as modules,
 * such as that of Debian 12. */
#ifndef VPMU_RUN_MODULES_H
#define VPMU_RUN_MODULES_H

#include <stddef.h>

#include "failure.h"
#include "files/archive.h"

/**
 * modules_path() - where a module of a kernel is
 * @kernel: its file, DIRECTORY/boot/vmlinuz-RELEASE.
 * @name: one of RUN_MODULES, with its directory below the modules of the kernel.
 * @path: set to DIRECTORY/lib/modules/RELEASE/kernel/NAME.ko, or to "" if @kernel has another name.
 */
void modules_path(const char *kernel, const char *name, char *path, size_t size);

/** modules_pack() - adds those of RUN_MODULES that exist as files to @a. Others are in the kernel.
 */
int modules_pack(const char *kernel, struct archive *a, struct failure *f);

#endif
