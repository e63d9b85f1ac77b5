/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ASSOC_H
#define VPMU_ASSOC_H

#include <stddef.h>

#include "lanes.h"

/*
 * Set-associative storage, which caches and TLBs are built from. The access functions are in this
 * header so that they are inlined into their callers; the other functions are in model_assoc.c.
 */

/* A cached line or a cached translation. */
struct vpmu_entry_ {
    uint64_t tag;   /* address of the first byte, + 1; 0 if the entry is unused */
    uint32_t space; /* its address space */
    uint32_t dirty; /* L1D and L2: the line is not yet written to the next level */
};

/*
 * Which lines of a page of an L1 TLB may be in the line filter. A bit stands for VPMU_PART_SIZE_
 * bytes, in which lines begin.
 */
struct vpmu_page_ {
    uint64_t reads; /* lines in filter.load or filter.fetch */
    uint64_t writes;
};

/* A power of two. */
#define VPMU_HINTS_ 256u

/**
 * struct vpmu_assoc_ - all sets of one cache or TLB
 * @sets: the sets, one after the other. Each consists of a row of lanes with 8 bits of each way's
 *     tag, its sketch; a row with each way's rank, which is the number of ways of the set that were
 *     used later; the entries; and in an L1 TLB their pages. Without LRU, the first word of the
 *     ranks is the way that is replaced next, in turn.
 * @stride: the size of a set in bytes.
 * @set_mask: the number of sets - 1.
 * @ways: the number of ways.
 * @entries: the offset in bytes of the entries in a set.
 * @pages: the offset in bytes of the pages in a set; 0 if there are none.
 * @words: the number of words of a row of lanes.
 * @set_bits: the binary logarithm of the number of sets.
 * @shift: the binary logarithm of the size that an entry covers.
 * @lru: replace the least recently used entry; otherwise the oldest.
 * @hint: in an L1 TLB, the way to look at first, indexed by page number.
 */
struct vpmu_assoc_ {
    unsigned char *sets;
    uint32_t stride;
    uint32_t set_mask;
    uint16_t ways;
    uint16_t entries;
    uint16_t pages;
    uint8_t words;
    uint8_t set_bits;
    uint8_t shift;
    bool lru;
    uint8_t hint[VPMU_HINTS_];
};

/* A set whose rows have one word, as in most caches. Ranks are below VPMU_LANES_. */
struct vpmu_small_ {
    uint64_t sketches;
    uint64_t ranks;
    struct vpmu_entry_ entries[];
};

static inline uint64_t vpmu_number_(const struct vpmu_assoc_ *a, uint64_t addr)
{
    return addr >> a->shift;
}

static inline uint64_t vpmu_tag_(const struct vpmu_assoc_ *a, uint64_t number)
{
    return number << a->shift | 1;
}

static inline uint8_t vpmu_sketch_(const struct vpmu_assoc_ *a, uint64_t number, uint32_t space)
{
    return (uint8_t)(number >> a->set_bits ^ space);
}

static inline void *vpmu_set_(const struct vpmu_assoc_ *a, uint64_t index)
{
    return a->sets + index * a->stride;
}

static inline bool vpmu_is_entry_(const struct vpmu_entry_ *e, uint64_t tag, uint32_t space)
{
    return e->tag == tag && e->space == space;
}

/*
 * LRU only: marks a way as the most recently used. The ranks of the ways that were used later
 * increase by one. @shift is the number of the lowest bit of the way's lane.
 */
static inline void vpmu_small_use_(struct vpmu_small_ *set, unsigned shift)
{
    uint8_t rank = (uint8_t)(set->ranks >> shift);

    if (rank > 0) {
        set->ranks = (set->ranks + vpmu_small_below_(set->ranks, rank)) & ~(0xffull << shift);
    }
}

/* model_assoc.c: vpmu_assoc_use_() and vpmu_assoc_take_() for any number of ways. */
struct vpmu_entry_ *vpmu_assoc_use_any_(const struct vpmu_assoc_ *a, uint64_t addr, uint32_t space);
struct vpmu_entry_ *vpmu_assoc_take_any_(const struct vpmu_assoc_ *a, uint64_t addr,
                                         uint32_t space);

/* Finds the entry that covers an address and marks it as used; NULL if it is missing. */
static inline __attribute__((always_inline)) struct vpmu_entry_ *
vpmu_assoc_use_(const struct vpmu_assoc_ *a, uint64_t addr, uint32_t space)
{
    uint64_t number = vpmu_number_(a, addr);
    struct vpmu_small_ *set = vpmu_set_(a, number & a->set_mask);
    uint64_t found;

    if (a->words != 1) {
        return vpmu_assoc_use_any_(a, addr, space);
    }
    found = vpmu_equal_lanes_(set->sketches, vpmu_sketch_(a, number, space));
    for (; found; found &= found - 1) {
        unsigned way = vpmu_lowest_lane_(found);

        if (way < a->ways && vpmu_is_entry_(&set->entries[way], vpmu_tag_(a, number), space)) {
            if (a->lru) {
                vpmu_small_use_(set, way * VPMU_LANE_BITS_);
            }
            return &set->entries[way];
        }
    }
    return NULL;
}

/*
 * Chooses the entry that a missing one replaces, and marks it as the most recently used. The caller
 * reads what the entry still has, and then calls vpmu_assoc_fill_().
 */
static inline __attribute__((always_inline)) struct vpmu_entry_ *
vpmu_assoc_take_(const struct vpmu_assoc_ *a, uint64_t addr, uint32_t space)
{
    uint64_t number = vpmu_number_(a, addr);
    struct vpmu_small_ *set = vpmu_set_(a, number & a->set_mask);
    unsigned way;

    if (a->words != 1) {
        return vpmu_assoc_take_any_(a, addr, space);
    }
    if (a->lru) {
        way = vpmu_lowest_lane_(vpmu_equal_lanes_(set->ranks, (uint8_t)(a->ways - 1)));
        vpmu_small_use_(set, way * VPMU_LANE_BITS_);
    } else {
        way = (unsigned)set->ranks;
        set->ranks = way + 1 < a->ways ? way + 1 : 0;
    }
    vpmu_set_lane_(&set->sketches, way, vpmu_sketch_(a, number, space));
    return &set->entries[way];
}

static inline void vpmu_assoc_fill_(const struct vpmu_assoc_ *a, struct vpmu_entry_ *e,
                                    uint64_t addr, uint32_t space)
{
    *e = (struct vpmu_entry_){.tag = vpmu_tag_(a, vpmu_number_(a, addr)), .space = space};
}

/* model_assoc.c: vpmu_assoc_translate_() if the hint is wrong. */
bool vpmu_assoc_translate_any_(struct vpmu_assoc_ *a, uint64_t addr, uint32_t space,
                               struct vpmu_page_ **page, struct vpmu_entry_ *victim);

/**
 * vpmu_assoc_translate_() - look up a page in an L1 TLB; if it is missing, replace one
 * @a: the TLB.
 * @addr: the address to look up.
 * @space: its address space.
 * @page: is set to the page of the entry.
 * @victim: on a miss, is set to a copy of the entry that was replaced, which may be unused.
 *
 * Return: true on a hit.
 */
static inline bool vpmu_assoc_translate_(struct vpmu_assoc_ *a, uint64_t addr, uint32_t space,
                                         struct vpmu_page_ **page, struct vpmu_entry_ *victim)
{
    uint64_t number = vpmu_number_(a, addr);
    unsigned way = a->hint[number % VPMU_HINTS_];
    unsigned char *set = vpmu_set_(a, number & a->set_mask);
    struct vpmu_entry_ *entries = (void *)(set + a->entries);

    if (!a->lru && vpmu_is_entry_(&entries[way], vpmu_tag_(a, number), space)) {
        *page = (struct vpmu_page_ *)(void *)(set + a->pages) + way;
        return true;
    }
    return vpmu_assoc_translate_any_(a, addr, space, page, victim);
}

#endif
