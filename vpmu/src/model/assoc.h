/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ASSOC_H
#define VPMU_ASSOC_H

#include <stddef.h>

#include "lanes.h"

/*
 * Set-associative storage, which caches and TLBs are built from. The access functions are in this
 * header so that they are inlined into their callers; the other functions are in model_assoc.c.
 */

/* Bits of a tag, which is the address of the first byte of a line or page. An unused tag is 0. */
#define VPMU_TAG_USED_ 1u
#define VPMU_TAG_DIRTY_ 2u /* L1D, L2, LLC: the line is not yet written to the next level */
#define VPMU_TAG_BITS_ 15u

/* A cached line or a cached translation, as it is searched. */
struct vpmu_key_ {
    uint64_t number; /* of the line or page */
    uint64_t tag;    /* without VPMU_TAG_DIRTY_ */
    uint64_t lanes;  /* its sketch in each lane */
    uint32_t space;  /* its address space */
};

/* A copy of a cached line or translation. */
struct vpmu_entry_ {
    uint64_t tag;
    uint32_t space;
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

/*
 * A page of an L1 TLB that is found without a search. The lowest bits of the page number select the
 * hint.
 */
struct vpmu_hint_ {
    uint64_t tag; /* 0 if there is no page */
    struct vpmu_page_ *page;
    uint32_t space;
    uint32_t pages; /* the number of pages of the TLB that select this hint */
};

/**
 * struct vpmu_assoc_ - all sets of one cache or TLB
 * @sets: the sets, one after the other. Each consists of a row of lanes with a hash of 8 bits of
 *     each way's address and space, its sketch; a row with each way's rank, which is the number of
 *     ways of the set that were used later; the tags; in an L1 TLB the pages; and the spaces.
 *     Without LRU, the first word of the ranks is the way that is replaced next, in turn.
 * @stride: the size of a set in bytes.
 * @set_mask: the number of sets - 1.
 * @ways: the number of ways.
 * @tags: the offset in bytes of the tags in a set.
 * @pages: the offset of the pages, which only an L1 TLB has; 0 in others.
 * @spaces: the offset of the spaces.
 * @words: the number of words of a row of lanes.
 * @shift: the binary logarithm of the size that an entry covers.
 * @lru: replace the least recently used entry; otherwise the oldest.
 * @hints: an array of VPMU_HINTS_ in an L1 TLB; NULL in others.
 */
struct vpmu_assoc_ {
    unsigned char *sets;
    uint32_t stride;
    uint32_t set_mask;
    uint16_t ways;
    uint16_t tags;
    uint16_t pages;
    uint16_t spaces;
    uint8_t words;
    uint8_t shift;
    bool lru;
    struct vpmu_hint_ *hints;
};

/* A set whose rows have one word, as in most caches. Ranks are below VPMU_LANES_. */
struct vpmu_small_ {
    uint64_t sketches;
    uint64_t ranks;
    uint64_t tags[];
};

static inline struct vpmu_key_ vpmu_key_(uint64_t addr, unsigned shift, uint32_t space)
{
    uint64_t number = addr >> shift;
    uint8_t sketch = (uint8_t)((number * 0x9e3779b97f4a7c15ull >> 56) ^ space);

    return (struct vpmu_key_){
        .number = number,
        .tag = number << shift | VPMU_TAG_USED_,
        .lanes = VPMU_LANE_ONES_ * sketch,
        .space = space,
    };
}

static inline void *vpmu_set_(const struct vpmu_assoc_ *a, uint64_t index)
{
    return a->sets + (index & a->set_mask) * a->stride;
}

static inline uint64_t *vpmu_tags_(const struct vpmu_assoc_ *a, void *set)
{
    return (uint64_t *)(void *)((unsigned char *)set + a->tags);
}

static inline uint32_t *vpmu_spaces_(const struct vpmu_assoc_ *a, void *set)
{
    return (uint32_t *)(void *)((unsigned char *)set + a->spaces);
}

static inline struct vpmu_page_ *vpmu_pages_(const struct vpmu_assoc_ *a, void *set)
{
    return (struct vpmu_page_ *)(void *)((unsigned char *)set + a->pages);
}

static inline bool vpmu_is_dirty_(uint64_t tag)
{
    return tag & VPMU_TAG_DIRTY_;
}

/* Does this way have what is searched? */
static inline bool vpmu_way_has_(const struct vpmu_assoc_ *a, void *set, unsigned way, uint64_t tag,
                                 uint32_t space)
{
    return (vpmu_tags_(a, set)[way] & ~(uint64_t)VPMU_TAG_DIRTY_) == tag &&
           vpmu_spaces_(a, set)[way] == space;
}

/*
 * model_assoc.c: the functions below for any number of ways. A key is passed in parts, because
 * compilers copy a structure by vectors, and a processor does not forward narrow stores to them.
 */
unsigned vpmu_assoc_search_any_(const struct vpmu_assoc_ *a, void *set, uint64_t tag,
                                uint64_t lanes, uint32_t space);
void vpmu_assoc_touch_any_(const struct vpmu_assoc_ *a, uint64_t *ranks, unsigned way);
unsigned vpmu_assoc_last_any_(const struct vpmu_assoc_ *a, uint64_t *ranks);

/* Returns the way of an entry, or the number of ways if it is missing. */
static inline unsigned vpmu_assoc_search_(const struct vpmu_assoc_ *a, void *set,
                                          struct vpmu_key_ key)
{
    const struct vpmu_small_ *small = set;

    if (a->words != 1) {
        return vpmu_assoc_search_any_(a, set, key.tag, key.lanes, key.space);
    }
    for (uint64_t found = vpmu_equal_lanes_(small->sketches, key.lanes); found;
         found &= found - 1) {
        unsigned way = vpmu_lowest_lane_(found);

        if (way < a->ways && vpmu_way_has_(a, set, way, key.tag, key.space)) {
            return way;
        }
    }
    return a->ways;
}

/*
 * LRU only: marks a way as the most recently used. The ranks of the ways that were used later
 * increase by one. There is no branch, because it would be mispredicted often.
 */
static inline void vpmu_assoc_touch_(const struct vpmu_assoc_ *a, void *set, unsigned way)
{
    struct vpmu_small_ *small = set;
    unsigned shift = way * VPMU_LANE_BITS_;
    uint64_t ranks = small->ranks;

    if (a->words != 1) {
        vpmu_assoc_touch_any_(a, (uint64_t *)set + a->words, way);
        return;
    }
    small->ranks =
        (ranks + vpmu_small_below_(ranks, (uint8_t)(ranks >> shift))) & ~(0xffull << shift);
}

/* Finds an entry and marks it as used. Returns its tag; NULL if it is missing. */
static inline __attribute__((always_inline)) uint64_t *vpmu_assoc_use_(const struct vpmu_assoc_ *a,
                                                                       struct vpmu_key_ key)
{
    void *set = vpmu_set_(a, key.number);
    unsigned way = vpmu_assoc_search_(a, set, key);

    if (way >= a->ways) {
        return NULL;
    }
    if (a->lru) {
        vpmu_assoc_touch_(a, set, way);
    }
    return &vpmu_tags_(a, set)[way];
}

/* LRU only: chooses the way of a new entry and marks it as the most recently used. */
static inline unsigned vpmu_assoc_last_(const struct vpmu_assoc_ *a, void *set)
{
    struct vpmu_small_ *small = set;
    uint64_t highest = VPMU_LANE_ONES_ * (uint8_t)(a->ways - 1);
    unsigned way;

    if (a->words != 1) {
        return vpmu_assoc_last_any_(a, (uint64_t *)set + a->words);
    }
    way = vpmu_lowest_lane_(vpmu_equal_lanes_(small->ranks, highest));
    vpmu_assoc_touch_(a, set, way);
    return way;
}

/* Chooses the way of a new entry. */
static inline unsigned vpmu_assoc_next_(const struct vpmu_assoc_ *a, void *set)
{
    uint64_t *next = (uint64_t *)set + a->words;
    unsigned way = (unsigned)*next;

    if (a->lru) {
        return vpmu_assoc_last_(a, set);
    }
    *next = way + 1 < a->ways ? way + 1 : 0;
    return way;
}

/*
 * Puts an entry into a way. @dirty is 0 or VPMU_TAG_DIRTY_. Returns what was there, which may be
 * unused.
 */
static inline __attribute__((always_inline)) struct vpmu_entry_
vpmu_assoc_put_(const struct vpmu_assoc_ *a, void *set, unsigned way, struct vpmu_key_ key,
                uint64_t dirty)
{
    uint64_t *tag = &vpmu_tags_(a, set)[way];
    uint32_t *space = &vpmu_spaces_(a, set)[way];
    struct vpmu_entry_ victim = {.tag = *tag, .space = *space};

    vpmu_set_lane_(set, way, (uint8_t)key.lanes);
    *tag = key.tag | dirty;
    *space = key.space;
    return victim;
}

/* Puts an entry that is missing in place of another one, which is returned. */
static inline __attribute__((always_inline)) struct vpmu_entry_
vpmu_assoc_replace_(const struct vpmu_assoc_ *a, struct vpmu_key_ key, uint64_t dirty)
{
    void *set = vpmu_set_(a, key.number);

    return vpmu_assoc_put_(a, set, vpmu_assoc_next_(a, set), key, dirty);
}

static inline bool vpmu_hint_has_(const struct vpmu_hint_ *hint, uint64_t tag, uint32_t space)
{
    return hint->tag == tag && hint->space == space;
}

#endif
