/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KALLSYMS_H
#define VPMU_STATS_KALLSYMS_H

#include <stdio.h>

#include "qmp/memory.h"
#include "kernel/vmcoreinfo.h"

/* The most symbols, and the most bytes of names. No kernel has as many. */
#define KALLSYMS_MAX (1u << 19)
#define KALLSYMS_MAX_NAMES (32u << 20)

/**
 * kallsyms_list() - write a kernel's symbols in the format of /proc/kallsyms
 * @m: the memory that contains the kernel.
 * @v: the addresses of the kernel's symbol table; vmcoreinfo_whole() must be true for it.
 * @list: the stream to write to.
 *
 * Return: 0; or -1: ERROR_USAGE if there is no valid symbol table at these addresses.
 */
int kallsyms_list(struct memory *m, const struct vmcoreinfo *v, FILE *list, struct error *t);

/**
 * kallsyms_tame() - replace a character that is not printable, or that would end the name in a line
 * of the list
 */
char kallsyms_tame(char c);

#endif
