/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SYMBOLS_H
#define VPMU_STATS_SYMBOLS_H

#include <stdint.h>
#include <stdio.h>

#include "symbols/functions.h"
#include "base/error.h"

#define SYMBOLS_MODULE 64u

/* A symbol in lists that have only those functions that samples are in. */
#define SYMBOLS_PARTIAL "vpmu_stats_partial_list"

/**
 * struct symbols_module - where the code of a kernel's module lies
 * @name: in brackets, as the file has it.
 */
struct symbols_module {
    char name[SYMBOLS_MODULE];
    uint64_t start;
    uint64_t end;
};

/**
 * struct symbols - where a guest's kernel lies
 * @text: address of _text.
 * @end: behind its code.
 * @current: of __entry_task, where each CPU has a pointer to the thread that it runs; 0 if the file
 *     does not say.
 * @hidden: how far its page table lies behind the one that programs run with, where that does not
 *     have the kernel (KPTI); 0 if there is no such table.
 * @distance: address of kimage_voffset, which has what its addresses are above physical ones, or of
 *     an x86-64's phys_base, which says it as well; or 0.
 * @types, @types_end: where it has its types (BTF); 0 if the file does not say.
 * @module: @modules of them.
 */
struct symbols {
    uint64_t text;
    uint64_t end;
    uint64_t current;
    int64_t hidden;
    uint64_t distance;
    uint64_t types;
    uint64_t types_end;
    struct symbols_module *module;
    size_t modules;
};

/**
 * symbols_read() - reads a copy of the guest's /proc/kallsyms, or its System.map
 * @symbols: symbols_free() is needed in any case.
 *
 * Return: 0, or -1: ERROR_USAGE if it cannot be read, or there is no kernel in it.
 */
int symbols_read(struct symbols *symbols, const char *path, struct error *t);

/** symbols_take() - the same of an open file; @path is what a person calls it */
int symbols_take(struct symbols *symbols, FILE *list, const char *path, struct error *t);

void symbols_free(struct symbols *symbols);

/**
 * symbols_functions() - adds all functions of such a file, its modules' too
 * @functions: not sorted yet; functions_free() is needed in any case.
 *
 * What nm prints of an ELF file will do.
 *
 * Return: 0, or -1: ERROR_USAGE if it cannot be read, or has no function with an address.
 */
int symbols_functions(struct functions *functions, const char *path, struct error *t);

/** symbols_take_functions() - the same of an open file; @path is what a person calls it */
int symbols_take_functions(struct functions *functions, FILE *list, const char *path,
                           struct error *t);

#endif
