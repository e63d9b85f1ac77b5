/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_PAGES_H
#define VPMU_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The pages of which caches or TLBs have something. Each has a small number, its id, so that a
 * cached line is identified by 32 bits: the id of its page, and its place there. A page keeps its
 * id at least as long as something refers to it.
 */

/* The L1 TLBs. */
enum vpmu_side_ {
    VPMU_FETCHES_,
    VPMU_DATA_,
    VPMU_SIDES_,
};

/* vpmu_known_page_.slot: the page is not in that L1 TLB. */
#define VPMU_NO_SLOT_ UINT16_MAX

/**
 * struct vpmu_known_page_ - a page that has an id
 * @number: its address / its size, and its size: see vpmu_page_number_().
 * @space: its address space.
 * @next: the next page with the same hash, or the next free id; 0: none.
 * @slot: its place in each L1 TLB, or VPMU_NO_SLOT_.
 *
 * There are many of them, so they are packed.
 */
struct __attribute__((packed, aligned(4))) vpmu_known_page_ {
    uint64_t number;
    uint32_t space;
    uint32_t next;
    uint16_t slot[VPMU_SIDES_];
};

/* vpmu_known_page_.next while unused ids are collected: something refers to the page. */
#define VPMU_USED_ UINT32_MAX

/**
 * struct vpmu_pages_ - all pages that have an id
 * @known: the pages by their ids, from 1 on.
 * @heads: the first id of each hash; 0: none.
 * @head_mask: the number of hashes - 1.
 * @most: the highest id.
 * @given: ids above this one were never used.
 * @free: the first free id up to @given; 0: none.
 */
struct vpmu_pages_ {
    struct vpmu_known_page_ *known;
    uint32_t *heads;
    uint32_t head_mask;
    uint32_t most;
    uint32_t given;
    uint32_t free;
};

/* Adjacent pages have adjacent hashes, and mostly adjacent ids. */
static inline uint32_t *vpmu_pages_head_(const struct vpmu_pages_ *p, uint64_t number,
                                         uint32_t space)
{
    return &p->heads[((uint32_t)number + space * 0x9e3779b1u) & p->head_mask];
}

/* Returns the id of a page; 0: it has none, so nothing of it is cached. */
static inline uint32_t vpmu_pages_find_(const struct vpmu_pages_ *p, uint64_t number,
                                        uint32_t space)
{
    uint32_t id = *vpmu_pages_head_(p, number, space);

    while (id && !(p->known[id].number == number && p->known[id].space == space)) {
        id = p->known[id].next;
    }
    return id;
}

/* Is there no id for a new page? Then the caller marks all that are used, and collects. */
static inline bool vpmu_pages_full_(const struct vpmu_pages_ *p)
{
    return !p->free && p->given == p->most;
}

/* pages.c: gives an id to a page that has none. */
uint32_t vpmu_pages_add_(struct vpmu_pages_ *p, uint64_t number, uint32_t space);

/*
 * pages.c: the first function begins the collection of unused ids, by marking all as unused; the
 * second one takes back those that have not been set to VPMU_USED_.
 */
void vpmu_pages_unmark_(struct vpmu_pages_ *p);
void vpmu_pages_collect_(struct vpmu_pages_ *p);

static inline void vpmu_pages_mark_(struct vpmu_pages_ *p, uint32_t id)
{
    p->known[id].next = VPMU_USED_;
}

/* pages.c: how many ids there are if at most @refer things refer to a page, and their memory. */
uint32_t vpmu_pages_most_(uint64_t refer);
uint64_t vpmu_pages_size_(uint64_t refer);

/* pages.c: gives @p its memory of vpmu_pages_size_(), aligned to 8 bytes. No page has an id. */
void vpmu_pages_init_(struct vpmu_pages_ *p, uint64_t refer, void *mem);

#endif
