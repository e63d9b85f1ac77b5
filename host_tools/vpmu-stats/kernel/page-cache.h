/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PAGE_CACHE_H
#define VPMU_STATS_PAGE_CACHE_H

#include "kernel/btf.h"
#include "kernel/page-walk.h"

/* The most bytes of a file that are read: larger ones would take seconds. */
#define PAGE_CACHE_MAX (16u << 20)
/* The slots of a node of the tree that has a file's pages, and the most levels of it. */
#define PAGE_CACHE_SLOTS 64u
#define PAGE_CACHE_LEVELS 10u

/** struct page_cache_node - a node of the tree that has a file's pages */
struct page_cache_node {
    uint64_t at;
    uint8_t shift;
    uint64_t slot[PAGE_CACHE_SLOTS];
};

/**
 * struct page_cache - reads files from the memory of a Linux
 *
 * All members are private. The last node of each level is kept.
 */
struct page_cache {
    struct page_walk walk;
    uint32_t layout[TASK_FILES];
    uint32_t page_size; /* of a struct page */
    uint64_t first;     /* the address that the struct page of the physical address 0 would have */
    struct page_cache_node node[PAGE_CACHE_LEVELS];
};

/**
 * page_cache_init() - start to read files
 * @c: is filled in.
 * @m: the memory that contains the kernel.
 * @v: what the kernel says about itself.
 * @layout: the offsets in its structures.
 * @pages: x86-64: the address of the kernel's variable vmemmap_base.
 *
 * Return: false if this kernel does not say where its pages are.
 */
bool page_cache_init(struct page_cache *c, struct memory *m, const struct vmcoreinfo *v,
                     const struct task_layout *layout, uint64_t pages);

/**
 * page_cache_read() - read the pages of a file that are in memory; the others are read as zeros
 * @m: the memory that contains the kernel.
 * @inode: the address of the file's struct inode.
 * @contents: receives the contents, which the caller frees.
 * @size: receives the size of the file in bytes, at most PAGE_CACHE_MAX.
 *
 * The guest may change all of this at any time, and none of it is trusted.
 *
 * Return: false if the first page of the file is not in memory.
 */
bool page_cache_read(struct page_cache *c, struct memory *m, uint64_t inode,
                     unsigned char **contents, size_t *size);

/**
 * page_cache_beginning() - page_cache_read() for the first bytes of a file of any size
 * @to: receives at most @most bytes.
 *
 * Return: the number of bytes; 0 if the first page of the file is not in memory.
 */
size_t page_cache_beginning(struct page_cache *c, struct memory *m, uint64_t inode,
                            unsigned char *to, size_t most);

#endif
