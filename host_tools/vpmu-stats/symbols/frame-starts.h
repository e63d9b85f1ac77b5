/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FRAME_STARTS_H
#define VPMU_STATS_FRAME_STARTS_H

#include <libelf.h>

#include "symbols/functions.h"

/**
 * frame_starts_add() - add the functions of an ELF file that have no symbol
 * @functions: the list to add to. It is sorted afterwards, apart from the new functions.
 * @elf: the file. Its unwind information, which .eh_frame_hdr is an index of, says where functions
 *     begin and end, and its header where the program begins.
 * @path: the path of the file. The functions are called "NAME+0xADDRESS" after its last part.
 *
 * Return: 0, or -1 with an error.
 */
int frame_starts_add(struct functions *functions, Elf *elf, const char *path, struct error *t);

#endif
