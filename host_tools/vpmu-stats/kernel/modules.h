/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MODULES_H
#define VPMU_STATS_MODULES_H

#include <stdio.h>

#include "kernel/btf.h"
#include "kernel/orc-tables.h"
#include "kernel/page-walk.h"

/* The most modules, and the most symbols and bytes of names of one. No kernel has as many. */
#define MODULES_MAX 1024u
#define MODULES_MAX_SYMBOLS (1u << 16)
#define MODULES_MAX_NAMES (4u << 20)

/**
 * modules_list() - write the symbols of a kernel's modules in the format of /proc/kallsyms
 * @m: the memory that contains the kernel.
 * @v: what the kernel says about itself.
 * @head: the virtual address of the kernel's list of modules.
 * @layout: offsets in the kernel's structures; has_modules must be true.
 * @list: the stream to write to.
 * @orc: the modules' tables for call chains are added here.
 *
 * A module that is being loaded or removed, or whose symbols cannot be read, is left out.
 */
void modules_list(struct memory *m, const struct vmcoreinfo *v, uint64_t head,
                  const struct task_layout *layout, FILE *list, struct orc_tables *orc);

#endif
