/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SYMBOLS_H
#define VPMU_STATS_SYMBOLS_H

#include <stdint.h>
#include <stdio.h>

#include "symbols/functions.h"
#include "base/error.h"

#define SYMBOLS_MODULE 64u

/* A symbol that marks lists that have only the functions with samples. */
#define SYMBOLS_PARTIAL "vpmu_stats_partial_list"

/**
 * struct symbols_module - the addresses of a kernel module's code
 * @name: the name of the module in brackets, as in the list.
 * @start: the first address.
 * @end: the address behind the last one.
 */
struct symbols_module {
    char name[SYMBOLS_MODULE];
    uint64_t start;
    uint64_t end;
};

/**
 * struct symbols - addresses of a guest's kernel; 0 for what the list does not have
 * @text: the address of _text.
 * @end: the address behind the kernel's code.
 * @current: the address of __entry_task, where each CPU has a pointer to the thread that it runs.
 *     On x86-64, current_task, or from Linux 6.2 to 6.14 pcpu_hot, which begins with it.
 * @hidden: the distance from the page table that programs run with (KPTI) to the kernel's page
 *     table, in bytes. The former does not map the kernel.
 * @distance: the address of the variable with the distance between virtual and physical addresses:
 *     kimage_voffset, or phys_base on x86-64.
 * @types: the address of the kernel's BTF.
 * @types_end: the address behind the BTF.
 * @module_list: the address of the list of loaded modules.
 * @bpf_list: the address of the list of compiled BPF programs.
 * @bpf_packs: the address of the list of areas that these are in.
 * @orc_addresses, @orc_addresses_end, @orc_entries: x86-64: the addresses of .orc_unwind_ip, behind
 *     it, and of .orc_unwind.
 * @pages: x86-64: the address of vmemmap_base, the variable with the address of the struct pages.
 * @vdso, @vdso_end: arm64: the address of the vDSO, and behind it.
 * @vdso_image: x86-64: the address of a structure that begins with the address and the size of the
 *     vDSO.
 * @module: the modules.
 * @modules: the number of modules.
 */
struct symbols {
    uint64_t text;
    uint64_t end;
    uint64_t current;
    int64_t hidden;
    uint64_t distance;
    uint64_t types;
    uint64_t types_end;
    uint64_t module_list;
    uint64_t bpf_list;
    uint64_t bpf_packs;
    uint64_t orc_addresses;
    uint64_t orc_addresses_end;
    uint64_t orc_entries;
    uint64_t pages;
    uint64_t vdso;
    uint64_t vdso_end;
    uint64_t vdso_image;
    struct symbols_module *module;
    size_t modules;
};

/**
 * symbols_read() - read a copy of the guest's /proc/kallsyms, or its System.map
 * @symbols: is filled in; symbols_free() is needed in any case.
 * @path: the file.
 *
 * Return: 0; or -1: ERROR_USAGE if the file cannot be read or has no kernel.
 */
int symbols_read(struct symbols *symbols, const char *path, struct error *t);

/** symbols_take() - symbols_read() for an open file, which error messages call @path */
int symbols_take(struct symbols *symbols, FILE *list, const char *path, struct error *t);

void symbols_free(struct symbols *symbols);

/**
 * symbols_functions() - add all functions in a list of symbols, including those of modules
 * @functions: the list to add to, which is not sorted; functions_free() is needed in any case.
 * @path: a file as for symbols_read(), the output of nm for an ELF file, or a perf-PID.map, in
 * which a compiler at run time has written its functions.
 *
 * Return: 0; or -1: ERROR_USAGE if the file cannot be read or has no function with an address.
 */
int symbols_functions(struct functions *functions, const char *path, struct error *t);

/**
 * symbols_take_functions() - symbols_functions() for an open file, which error messages call @path
 */
int symbols_take_functions(struct functions *functions, FILE *list, const char *path,
                           struct error *t);

#endif
