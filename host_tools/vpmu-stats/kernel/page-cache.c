/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contents of files in a Linux kernel's page cache. The pages of a file are in a tree, an XArray:
 * see Documentation/core-api/xarray.rst and include/linux/xarray.h of Linux. An entry is a node, a
 * folio of one or more pages, or the number of the slot that has the folio of this slot, too. A
 * folio is the struct page of its first page. The struct pages of all physical addresses are one
 * array in virtual memory (CONFIG_SPARSEMEM_VMEMMAP).
 */
#include "kernel/page-cache.h"

#include <stdlib.h>
#include <string.h>

/* The lowest bits of an entry: an address, or an internal entry; otherwise a value. */
#define ENTRY_MASK 3u
#define ENTRY_INTERNAL 2u
/* Internal entries below this are the numbers of slots, or no entries of files. */
#define ENTRY_NODES 4096u
#define SLOT_SHIFT 2u
#define SHIFT_MAX 58u

static bool read_u64(struct page_cache *c, uint64_t at, uint64_t *value)
{
    return page_walk_read(&c->walk, at, value, sizeof(*value));
}

/* Read where the struct page of the physical address 0 would be. Return: false if not known. */
static bool read_first(struct page_cache *c, struct memory *m, const struct vmcoreinfo *v,
                       uint64_t pages)
{
    struct error ignored = {0};

    if (v->is_x86) {
        return pages && m->read(m, pages - v->distance, &c->first, sizeof(c->first), &ignored) == 0;
    }
    c->first = v->pages - (uint64_t)((int64_t)v->ram / (int64_t)v->page) * (uint64_t)c->page_size;
    return v->pages;
}

bool page_cache_init(struct page_cache *c, struct memory *m, const struct vmcoreinfo *v,
                     const struct task_layout *layout, uint64_t pages)
{
    memcpy(c->layout, layout->files, sizeof(c->layout));
    c->page_size = layout->page_size;
    return layout->page_size && page_walk_init(&c->walk, m, v) && read_first(c, m, v, pages);
}

static bool is_node(uint64_t entry)
{
    return (entry & ENTRY_MASK) == ENTRY_INTERNAL && entry > ENTRY_NODES;
}

static bool is_slot(uint64_t entry)
{
    return (entry & ENTRY_MASK) == ENTRY_INTERNAL && entry >> SLOT_SHIFT < PAGE_CACHE_SLOTS;
}

/* Read a node of a level. Return: NULL if there is none. */
static const struct page_cache_node *read_node(struct page_cache *c, unsigned level, uint64_t at)
{
    struct page_cache_node *node = &c->node[level];

    if (node->at != at) {
        node->at = 0;
        if (!page_walk_read(&c->walk, at + c->layout[FILE_SHIFT], &node->shift,
                            sizeof(node->shift)) ||
            node->shift > SHIFT_MAX ||
            !page_walk_read(&c->walk, at + c->layout[FILE_SLOTS], node->slot, sizeof(node->slot))) {
            return NULL;
        }
        node->at = at;
    }
    return node;
}

/* Find the physical address of a page of a file. Return: false if it is not in memory. */
static bool find_page(struct page_cache *c, uint64_t entry, uint64_t index, uint64_t *physical)
{
    uint64_t base = 0;

    for (unsigned level = 0; is_node(entry); level++) {
        const struct page_cache_node *node =
            level < PAGE_CACHE_LEVELS ? read_node(c, level, entry - ENTRY_INTERNAL) : NULL;
        uint64_t slot;

        if (!node || (level == 0 && index >> node->shift >= PAGE_CACHE_SLOTS)) {
            return false;
        }
        slot = index >> node->shift & (PAGE_CACHE_SLOTS - 1);
        base = index >> node->shift & ~(uint64_t)(PAGE_CACHE_SLOTS - 1);
        entry = node->slot[slot];
        if (is_slot(entry)) {
            slot = entry >> SLOT_SHIFT;
            entry = node->slot[slot];
        }
        base = (base + slot) << node->shift;
    }
    if (!entry || entry & ENTRY_MASK || (index && !c->node[0].at)) {
        return false;
    }
    *physical = ((entry - c->first) / c->page_size + index - base) * c->walk.page;
    return true;
}

/* Read the pages of a file from an index on that are in memory side by side. Return: their number.
 */
static uint64_t read_run(struct page_cache *c, uint64_t head, uint64_t index, unsigned char *to,
                         size_t size)
{
    struct error ignored = {0};
    uint64_t first, next;
    uint64_t n = 1;
    size_t bytes;

    if (!find_page(c, head, index, &first)) {
        return 0;
    }
    while (n * c->walk.page < size && find_page(c, head, index + n, &next) &&
           next == first + n * c->walk.page) {
        n++;
    }
    bytes = n * c->walk.page < size ? (size_t)(n * c->walk.page) : size;
    return c->walk.memory->read(c->walk.memory, first, to, bytes, &ignored) ? 0 : n;
}

static bool read_pages(struct page_cache *c, uint64_t head, unsigned char *contents, size_t size)
{
    uint64_t page = c->walk.page;
    uint64_t pages = (size + page - 1) / page;

    for (uint64_t i = 0; i < pages;) {
        size_t at = (size_t)(i * page);
        uint64_t n = read_run(c, head, i, contents + at, size - at);

        if (i == 0 && n == 0) {
            return false;
        }
        i += n ? n : 1;
    }
    return true;
}

/* Forget tables and nodes: the kernel may have changed them since the last file. */
static void forget(struct page_cache *c, struct memory *m)
{
    c->walk.memory = m;
    for (size_t i = 0; i < PAGE_WALK_LEVELS; i++) {
        c->walk.table[i].at = UINT64_MAX;
    }
    for (size_t i = 0; i < PAGE_CACHE_LEVELS; i++) {
        c->node[i].at = 0;
    }
}

/* Find the tree of a file's pages, and its size. Return: false if it has none. */
static bool find_file(struct page_cache *c, struct memory *m, uint64_t inode, uint64_t *head,
                      uint64_t *bytes)
{
    uint64_t mapping;

    forget(c, m);
    return read_u64(c, inode + c->layout[FILE_MAPPING], &mapping) &&
           read_u64(c, inode + c->layout[FILE_SIZE], bytes) &&
           read_u64(c, mapping + c->layout[FILE_PAGES], head) && *bytes > 0;
}

bool page_cache_read(struct page_cache *c, struct memory *m, uint64_t inode,
                     unsigned char **contents, size_t *size)
{
    uint64_t head, bytes;

    if (!find_file(c, m, inode, &head, &bytes) || bytes > PAGE_CACHE_MAX) {
        return false;
    }
    *contents = calloc(1, (size_t)bytes);
    *size = (size_t)bytes;
    if (*contents && read_pages(c, head, *contents, *size)) {
        return true;
    }
    free(*contents);
    *contents = NULL;
    return false;
}

size_t page_cache_beginning(struct page_cache *c, struct memory *m, uint64_t inode,
                            unsigned char *to, size_t most)
{
    uint64_t head, bytes;
    size_t size;

    if (!find_file(c, m, inode, &head, &bytes)) {
        return 0;
    }
    size = bytes < most ? (size_t)bytes : most;
    memset(to, 0, size);
    return read_pages(c, head, to, size) ? size : 0;
}
