/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ASSOC_H
#define VPMU_ASSOC_H

#include <stddef.h>

#include "lanes.h"

/*
 * Set-associative storage: what caches and TLBs are made of. What an access does is here, so that
 * it becomes part of who makes it; all else is in model_assoc.c.
 */

/* A cached line or translation. */
struct vpmu_entry_ {
    uint64_t tag;   /* address of its first byte, + 1; 0 if there is nothing here */
    uint32_t space; /* the address space that it is of */
    uint32_t dirty; /* of a line of L1D or L2: not yet written to the next level */
};

/*
 * Of a page of an L1 TLB, which of its lines may be in the line filter: a bit for each
 * VPMU_PART_SIZE_ bytes, in which lines begin.
 */
struct vpmu_page_ {
    uint64_t reads; /* filter.load or filter.fetch */
    uint64_t writes;
};

/* A power of two. */
#define VPMU_HINTS_ 256u

/**
 * struct vpmu_assoc_ - all sets of one cache or TLB
 * @sets: set by set: a row of lanes with 8 bits of what each way has, its sketch; another one with
 *     its rank, how many ways of the set were used later; the entries; of an L1 TLB their pages.
 *     Without LRU the first word of ranks is the way that is replaced next, each in its turn.
 * @stride: bytes of a set.
 * @set_mask: the number of sets, less 1.
 * @ways: of a set.
 * @entries: where those of a set begin, in bytes from where it does.
 * @pages: the same of its pages, if there are any.
 * @words: of a row of lanes.
 * @set_bits: binary logarithm of the number of sets.
 * @shift: the same of what an entry covers.
 * @lru: what was used longest ago is replaced; otherwise what came first.
 * @hint: of an L1 TLB, by number: the way to look at first.
 */
struct vpmu_assoc_ {
    unsigned char *sets;
    uint32_t stride;
    uint32_t set_mask;
    uint16_t ways;
    uint16_t entries;
    uint16_t pages; /* or 0 */
    uint8_t words;
    uint8_t set_bits;
    uint8_t shift;
    bool lru;
    uint8_t hint[VPMU_HINTS_];
};

/* A set whose rows are one word, as most caches have. Ranks are below VPMU_LANES_. */
struct vpmu_small_ {
    uint64_t sketches;
    uint64_t ranks;
    struct vpmu_entry_ entries[];
};

/* Of a lane that is no way's: greater than any rank, in a set of one word and of more. */
#define VPMU_NO_SMALL_RANK_ 0x7fu
#define VPMU_NO_RANK_ 0xffu

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

/* The set of an address is soon to be looked at. */
static inline void vpmu_assoc_prefetch_(const struct vpmu_assoc_ *a, uint64_t addr)
{
    const unsigned char *set = vpmu_set_(a, vpmu_number_(a, addr) & a->set_mask);

    __builtin_prefetch(set);
    __builtin_prefetch(set + 64);
    __builtin_prefetch(set + 128);
}

/* With LRU: a way becomes the latest used. Those that were later are older by one. */
static inline void vpmu_small_use_(struct vpmu_small_ *set, unsigned way)
{
    uint8_t rank = vpmu_lane_(&set->ranks, way);

    if (rank > 0) {
        set->ranks += vpmu_small_below_(set->ranks, rank);
        vpmu_set_lane_(&set->ranks, way, 0);
    }
}

/* The way that a new entry is to take, the latest from now on. */
static inline unsigned vpmu_small_take_(const struct vpmu_assoc_ *a, struct vpmu_small_ *set)
{
    unsigned way;

    if (a->lru) {
        way = vpmu_lowest_lane_(vpmu_equal_lanes_(set->ranks, (uint8_t)(a->ways - 1)));
        vpmu_small_use_(set, way);
    } else {
        way = (unsigned)set->ranks;
        set->ranks = way + 1 < a->ways ? way + 1 : 0;
    }
    return way;
}

/* model_assoc.c: vpmu_assoc_access_(), whatever the number of ways. */
bool vpmu_assoc_access_any_(const struct vpmu_assoc_ *a, uint64_t addr, uint32_t space,
                            struct vpmu_entry_ **entry, struct vpmu_entry_ *victim);

/**
 * vpmu_assoc_access_() - an entry is used; if it is not there, it takes the place of the oldest
 * @entry: is set to it.
 * @victim: if it was not there, is set to what was there before, which may be unused.
 *
 * Return: whether it was there.
 */
static inline __attribute__((always_inline)) bool vpmu_assoc_access_(const struct vpmu_assoc_ *a,
                                                                     uint64_t addr, uint32_t space,
                                                                     struct vpmu_entry_ **entry,
                                                                     struct vpmu_entry_ *victim)
{
    uint64_t number = vpmu_number_(a, addr);
    uint64_t tag = vpmu_tag_(a, number);
    uint8_t sketch = vpmu_sketch_(a, number, space);
    struct vpmu_small_ *set = vpmu_set_(a, number & a->set_mask);
    unsigned way;

    if (a->words != 1) {
        return vpmu_assoc_access_any_(a, addr, space, entry, victim);
    }
    for (uint64_t found = vpmu_equal_lanes_(set->sketches, sketch); found; found &= found - 1) {
        way = vpmu_lowest_lane_(found);
        if (way < a->ways && vpmu_is_entry_(&set->entries[way], tag, space)) {
            if (a->lru) {
                vpmu_small_use_(set, way);
            }
            *entry = &set->entries[way];
            return true;
        }
    }
    way = vpmu_small_take_(a, set);
    *entry = &set->entries[way];
    *victim = **entry;
    **entry = (struct vpmu_entry_){.tag = tag, .space = space};
    vpmu_set_lane_(&set->sketches, way, sketch);
    return false;
}

/* model_assoc.c: vpmu_assoc_translate_(), where the hint does not help. */
bool vpmu_assoc_translate_any_(struct vpmu_assoc_ *a, uint64_t addr, uint32_t space,
                               struct vpmu_page_ **page, struct vpmu_entry_ *victim);

/**
 * vpmu_assoc_translate_() - the same for an L1 TLB
 * @page: is set to that of the entry.
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
