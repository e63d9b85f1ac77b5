/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_VMCOREINFO_H
#define VPMU_STATS_VMCOREINFO_H

#include <stdbool.h>
#include <stdint.h>

/* The start of a VMCOREINFO page, and the number of bytes to read of it. */
#define VMCOREINFO_BEGIN "OSRELEASE="
#define VMCOREINFO_SIZE 8192u
/* The size in bytes of a kernel's build ID. */
#define VMCOREINFO_BUILD_ID 20u

/**
 * struct vmcoreinfo - the contents of VMCOREINFO; 0 for what the kernel does not publish
 * @release: the kernel's version, safe to print on a terminal.
 * @build_id: its build ID.
 * @has_build_id: @build_id is valid.
 * @page: the size of a page in bytes.
 * @tables: the virtual address of the kernel's page table: swapper_pg_dir, or init_top_pgt on x86.
 * @distance: the difference between virtual and physical addresses in the kernel's image.
 * @variable: the value of the kernel's variable for @distance: kimage_voffset, which is @distance
 *     itself, or phys_base if @is_x86.
 * @is_x86: it is an x86-64 kernel.
 * @va_bits: arm64: the size in bits of the addresses that the kernel was built for.
 * @t1sz: arm64: TCR_EL1.T1SZ. The CPU may support smaller addresses than @va_bits.
 * @five_levels: x86-64: 1 if @tables has five levels.
 * @pages: arm64: the virtual address of the first struct page.
 * @ram: arm64: the physical address that it describes.
 * @names: the virtual address of kallsyms_names.
 * @number: the virtual address of kallsyms_num_syms.
 * @tokens: the virtual address of kallsyms_token_table.
 * @index: the virtual address of kallsyms_token_index.
 * @offsets: the virtual address of kallsyms_offsets.
 * @base: the virtual address of kallsyms_relative_base, which kernels before Linux 7.0 have.
 */
struct vmcoreinfo {
    char release[65];
    unsigned char build_id[VMCOREINFO_BUILD_ID];
    bool has_build_id;
    uint64_t page;
    uint64_t tables;
    uint64_t distance;
    uint64_t variable;
    bool is_x86;
    uint64_t va_bits;
    uint64_t t1sz;
    uint64_t five_levels;
    uint64_t pages;
    uint64_t ram;
    uint64_t names;
    uint64_t number;
    uint64_t tokens;
    uint64_t index;
    uint64_t offsets;
    uint64_t base;
};

/**
 * vmcoreinfo_parse() - parse VMCOREINFO
 * @v: is filled in.
 * @text: a string, which may contain anything.
 */
void vmcoreinfo_parse(struct vmcoreinfo *v, const char *text);

/** vmcoreinfo_whole() - check whether @v has all members that are needed to read symbols */
bool vmcoreinfo_whole(const struct vmcoreinfo *v);

#endif
