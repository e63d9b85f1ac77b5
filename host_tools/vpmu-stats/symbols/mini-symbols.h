/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MINI_SYMBOLS_H
#define VPMU_STATS_MINI_SYMBOLS_H

#include "symbols/functions.h"

/**
 * mini_symbols_add() - add the functions in the compressed section .gnu_debugdata of an ELF file
 * @functions: the list to add to.
 * @fd: the file. A separate process with limited memory unpacks the section.
 *
 * Adds the file's dynamic symbols, too. Nothing is added if the section cannot be read.
 *
 * Return: 0, or -1 with an error.
 */
int mini_symbols_add(struct functions *functions, int fd, struct error *t);

#endif
