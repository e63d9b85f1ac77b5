/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PLT_H
#define VPMU_STATS_PLT_H

#include <libelf.h>

#include "symbols/functions.h"

/**
 * plt_add() - add the entries of the procedure linkage table, by which a file calls functions of
 *     libraries
 *
 * They are called as in perf: "malloc@plt", and ".plt" for the header of the table.
 *
 * Return: 0, or -1 if there is not enough memory.
 */
int plt_add(struct functions *functions, Elf *elf, struct error *t);

#endif
