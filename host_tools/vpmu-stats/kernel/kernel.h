/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KERNEL_H
#define VPMU_STATS_KERNEL_H

#include <stdbool.h>

#include "kernel/btf.h"
#include "qmp/memory.h"
#include "symbols/symbols.h"
#include "kernel/vmcoreinfo.h"

/**
 * struct kernel - the Linux that runs in a machine, as its memory has it; 0 at first
 * @release: its version.
 * @symbols: where it lies.
 * @functions: its own, without its modules'; sorted.
 * @layout: of its threads, if @has_layout.
 */
struct kernel {
    char release[sizeof(((struct vmcoreinfo *)0)->release)];
    struct symbols symbols;
    struct functions functions;
    struct task_layout layout;
    bool has_layout;
};

/**
 * kernel_find() - finds it, without any file
 * @k: kernel_free() is needed in any case.
 *
 * Return: 0, or -1: ERROR_USAGE if there is none, or it does not say enough.
 */
int kernel_find(struct kernel *k, struct memory *m, struct error *t);

void kernel_free(struct kernel *k);

#endif
