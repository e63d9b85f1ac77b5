/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROGRAMS_H
#define VPMU_STATS_PROGRAMS_H

#include "symbols/functions.h"

#define PROGRAMS_MAX 64u

/**
 * struct programs - whose functions the user has named; 0 at first
 * @program: @n of them. @comm is what a thread is called that runs it, @path is of its ELF file, or
 *     NULL if only its functions are known, and @base is what its addresses are above those there.
 */
struct programs {
    struct program {
        char *comm;
        char *path;
        uint64_t base;
        struct functions functions;
    } program[PROGRAMS_MAX];
    size_t n;
};

/**
 * programs_add() - reads a program
 * @text: COMM=FILE, or COMM=FILE@BASE with BASE in hexadecimal: where a position-independent
 * program was loaded to. FILE is an ELF file, or what nm or /proc/kallsyms prints.
 *
 * Return: 0, or -1: ERROR_USAGE if that cannot be, or the file has no functions.
 */
int programs_add(struct programs *p, const char *text, struct error *t);

/** programs_find() - the program of a thread called @comm, or NULL */
const struct program *programs_find(const struct programs *p, const char *comm);

void programs_free(struct programs *p);

#endif
