/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PAGE_WALK_H
#define VPMU_STATS_PAGE_WALK_H

#include "kernel/vmcoreinfo.h"
#include "qmp/memory.h"

#define PAGE_WALK_LEVELS 5u
/* The size of the largest table: a page of 64 KiB. */
#define PAGE_WALK_TABLE 65536u

/**
 * struct page_walk - reads a kernel's virtual addresses through its page table
 *
 * All members are private. The last table of each level is kept.
 */
struct page_walk {
    struct memory *memory;
    bool is_x86;
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
 * page_walk_read() - copy @size bytes at the virtual address @at to @to
 *
 * Return: false if not all of these addresses are mapped to RAM.
 */
bool page_walk_read(struct page_walk *w, uint64_t at, void *to, size_t size);

#endif
