/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PAGE_WALK_H
#define VPMU_STATS_PAGE_WALK_H

#include "kernel/vmcoreinfo.h"
#include "qmp/memory.h"

#define PAGE_WALK_LEVELS 5u
/* The size of the largest table: a page of 64 KiB. */
#define PAGE_WALK_TABLE 65536u
/* The most tables that page_walk_find() reads: as many as 8 GiB in pages of 4 KiB have. */
#define PAGE_WALK_FIND 4096u

/**
 * struct page_walk - reads addresses through a page table: virtual addresses of a kernel or of a
 *     program, or physical addresses of a guest
 *
 * All members are private. The last table of each level is kept.
 */
struct page_walk {
    struct memory *memory;
    bool is_x86;
    bool sign_extended;
    uint64_t root;
    uint64_t page;
    unsigned bits;
    unsigned levels;
    struct {
        uint64_t at;
        uint64_t entry[PAGE_WALK_TABLE / sizeof(uint64_t)];
    } table[PAGE_WALK_LEVELS];
};

/**
 * page_walk_init() - start to read through a kernel's page table
 * @w: is filled in.
 * @m: the memory that contains the kernel.
 * @v: what the kernel says about itself.
 *
 * Return: false if the kernel does not say how large its addresses are.
 */
bool page_walk_init(struct page_walk *w, struct memory *m, const struct vmcoreinfo *v);

/**
 * page_walk_init_stage2() - start to read through the page table of a guest of an arm64 hypervisor
 * @w: is filled in.
 * @m: the memory of the machine.
 * @vttbr, @vtcr: VTTBR_EL2 and VTCR_EL2.
 *
 * Return: false if there is no page table, or its format is not known.
 */
bool page_walk_init_stage2(struct page_walk *w, struct memory *m, uint64_t vttbr, uint64_t vtcr);

/**
 * page_walk_init_program() - start to read through the page table of a program on an arm64 host
 * @w: is filled in.
 * @m: the memory of the machine.
 * @ttbr0, @tcr: TTBR0 and TCR of the host's exception level.
 *
 * Return: false if there is no page table, or its format is not known.
 */
bool page_walk_init_program(struct page_walk *w, struct memory *m, uint64_t ttbr0, uint64_t tcr);

/**
 * page_walk_init_x86() - start to read through a nested page table of SVM, or that of a program on
 *     an x86-64 host
 * @w: is filled in.
 * @m: the memory of the machine.
 * @root: the address of the table, as nCR3 or CR3 has it.
 * @five_levels: the table has five levels instead of four.
 * @programs: only the lower half, which has the addresses of programs.
 *
 * Return: false if there is no page table.
 */
bool page_walk_init_x86(struct page_walk *w, struct memory *m, uint64_t root, bool five_levels,
                        bool programs);

/**
 * page_walk_read() - copy @size bytes at the address @at to @to
 *
 * Return: false if not all of these addresses are mapped to RAM.
 */
bool page_walk_read(struct page_walk *w, uint64_t at, void *to, size_t size);

/** page_walk_translate() - find the physical address at @at. Return: false if there is none. */
bool page_walk_translate(struct page_walk *w, uint64_t at, uint64_t *physical);

/**
 * page_walk_find() - find an address that is mapped to a physical address
 *
 * Reads at most PAGE_WALK_FIND tables.
 *
 * Return: false if there is none.
 */
bool page_walk_find(struct page_walk *w, uint64_t physical, uint64_t *at);

#endif
