/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KALLSYMS_H
#define VPMU_STATS_KALLSYMS_H

#include <stdio.h>

#include "qmp/memory.h"
#include "kernel/vmcoreinfo.h"

/* More symbols than any kernel has, and bytes of their names. */
#define KALLSYMS_MAX (1u << 19)
#define KALLSYMS_MAX_NAMES (32u << 20)

/**
 * kallsyms_list() - writes the symbols that a kernel has in its memory as /proc/kallsyms has them
 * @v: where they are; it is whole.
 *
 * Return: 0, or -1: ERROR_USAGE if what is there cannot be that.
 */
int kallsyms_list(struct memory *m, const struct vmcoreinfo *v, FILE *list, struct error *t);

#endif
