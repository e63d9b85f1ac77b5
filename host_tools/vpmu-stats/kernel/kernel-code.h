/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KERNEL_CODE_H
#define VPMU_STATS_KERNEL_CODE_H

#include "kernel/btf.h"
#include "kernel/orc-tables.h"
#include "kernel/vmcoreinfo.h"
#include "qmp/memory.h"
#include "symbols/symbols.h"

/**
 * struct kernel_code - where code is read from that a kernel gets while it runs
 * @memory: the memory that contains the kernel.
 * @info: what the kernel says about itself.
 * @layout: offsets in its structures.
 */
struct kernel_code {
    struct memory *memory;
    const struct vmcoreinfo *info;
    const struct task_layout *layout;
};

/**
 * kernel_code_add() - add the modules and compiled BPF programs that a kernel has now
 * @symbols: the kernel's addresses. Modules that they do not have yet are added.
 * @functions: functions that they do not have yet are added, and all are sorted.
 * @orc: the modules' tables for call chains are added here.
 * @t: is set if there is not enough memory. Then @functions is as before.
 *
 * A kernel without types (BTF) has neither.
 *
 * Return: 0 or -1.
 */
int kernel_code_add(const struct kernel_code *c, struct symbols *symbols,
                    struct functions *functions, struct orc_tables *orc, struct error *t);

#endif
