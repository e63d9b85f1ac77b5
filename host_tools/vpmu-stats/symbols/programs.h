/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROGRAMS_H
#define VPMU_STATS_PROGRAMS_H

#include "symbols/functions.h"

#define PROGRAMS_MAX 64u

/**
 * struct programs - the programs that the user has named; all 0 at first
 * @program: the programs. @comm is the name of the threads that run it. @path is its ELF file; NULL
 *     if only its functions are known. @base is the difference between its addresses in memory and
 *     in the file. @functions are its functions.
 * @n: the number of programs.
 * @data: symbols of data are wanted as well.
 * @debug_dir: a directory with what was stripped from the files; see struct debug_dirs.
 */
struct programs {
    struct program {
        char *comm;
        char *path;
        uint64_t base;
        struct functions functions;
    } program[PROGRAMS_MAX];
    size_t n;
    bool data;
    const char *debug_dir;
};

/**
 * programs_add() - add a program, and read its functions
 * @p: the programs.
 * @text: COMM=FILE or COMM=FILE@BASE. FILE is an ELF file, or a list as nm or /proc/kallsyms print
 *     it. BASE is the hexadecimal address that a position-independent program was loaded to.
 *
 * Return: 0; or -1: ERROR_USAGE if @text is not valid, or the file has no functions.
 */
int programs_add(struct programs *p, const char *text, struct error *t);

/**
 * programs_find() - find the program of a thread
 * @comm: the name of the thread.
 * @pid: the number of its process as a text, which the user can give instead; or NULL.
 *
 * Return: NULL if there is none.
 */
const struct program *programs_find(const struct programs *p, const char *comm, const char *pid);

void programs_free(struct programs *p);

#endif
