/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_SETS_H
#define VPMU_SETS_H

#include <stddef.h>

#include "../bits.h"

/*
 * Set-associative storage, which caches and the L2 TLB are built from. An entry is one tag of 32
 * bits. A set is an array of tags in the order in which they are replaced, the last one first, so
 * nothing else has to be kept. Unused tags, which are 0, are at the end.
 *
 * The access functions are in this header so that they are inlined into their callers; the others
 * are in sets.c.
 */

/* In a cache: the line is not yet written to the next level. */
#define VPMU_TAG_DIRTY_ 1u

/**
 * struct vpmu_sets_ - all sets of one cache or TLB
 * @tags: the sets, one after the other; NULL if there are none.
 * @set_mask: the number of sets - 1.
 * @ways: the number of ways.
 * @stride: the number of tags from one set to the next; those after @ways are always 0.
 * @lru: replace the least recently used entry; otherwise the oldest.
 */
struct vpmu_sets_ {
    uint32_t *tags;
    uint32_t set_mask;
    uint16_t ways;
    uint16_t stride;
    bool lru;
};

/* Tags are compared and moved four at a time. */
#define VPMU_VECTOR_ 4u

/* The number of tags from one set to the next: 4, 8 or a multiple of that. */
static inline uint16_t vpmu_stride_(uint16_t ways)
{
    uint16_t least = ways <= VPMU_VECTOR_ ? VPMU_VECTOR_ : 2 * VPMU_VECTOR_;

    return (uint16_t)((ways + least - 1) / least * least);
}

typedef uint32_t vpmu_tags_ __attribute__((vector_size(16), may_alias));
typedef uint32_t vpmu_loose_tags_ __attribute__((vector_size(16), may_alias, aligned(4)));
typedef int32_t vpmu_places_ __attribute__((vector_size(16)));
typedef uint64_t vpmu_halves_ __attribute__((vector_size(16)));

#define VPMU_INLINE_ inline __attribute__((always_inline))

static inline uint32_t *vpmu_set_(const struct vpmu_sets_ *s, uint64_t index)
{
    return s->tags + (index & s->set_mask) * s->stride;
}

/* sets.c: the functions below for any stride. */
unsigned vpmu_sets_find_any_(const struct vpmu_sets_ *s, const uint32_t *set, uint32_t tag);
void vpmu_sets_move_any_(uint32_t *set, unsigned way, uint32_t tag);

/*
 * Returns a mask with a bit for each number of @n vectors, which are -1 or 0. @n is 1, 2 or 4.
 * Fewer than four vectors may be repeated in the higher bits. There is no portable expression that
 * compilers turn into SSE2's instructions for this.
 */
#ifdef __SSE2__
typedef int16_t vpmu_shorts_ __attribute__((vector_size(16)));
typedef char vpmu_chars_ __attribute__((vector_size(16)));

static VPMU_INLINE_ uint32_t vpmu_mask_(const vpmu_places_ equal[], unsigned n)
{
    const vpmu_shorts_ low = __builtin_ia32_packssdw128(equal[0], equal[n > 1 ? 1 : 0]);
    const vpmu_shorts_ high = n > 2 ? __builtin_ia32_packssdw128(equal[2], equal[3]) : low;

    return (uint32_t)__builtin_ia32_pmovmskb128((vpmu_chars_)__builtin_ia32_packsswb128(low, high));
}
#else
static VPMU_INLINE_ uint32_t vpmu_mask_(const vpmu_places_ equal[], unsigned n)
{
    vpmu_tags_ found = {0, 0, 0, 0};
    vpmu_halves_ halves;
    uint64_t both;

#pragma GCC unroll 4
    for (unsigned i = 0; i < n; i++) {
        const vpmu_tags_ bits = {1u << VPMU_VECTOR_ * i, 2u << VPMU_VECTOR_ * i,
                                 4u << VPMU_VECTOR_ * i, 8u << VPMU_VECTOR_ * i};

        found |= (vpmu_tags_)equal[i] & bits;
    }
    halves = (vpmu_halves_)found;
    both = halves[0] | halves[1];
    return (uint32_t)(both | both >> 32);
}
#endif

/*
 * Returns a mask whose lowest bit is the way of a tag, which is clean; 0 if it is missing. @stride
 * is a constant: 4, 8 or 16.
 */
static VPMU_INLINE_ uint32_t vpmu_find_(const uint32_t *set, uint32_t tag, unsigned stride)
{
    const vpmu_tags_ *tags = (const vpmu_tags_ *)(const void *)set;
    const vpmu_tags_ clean = {~VPMU_TAG_DIRTY_, ~VPMU_TAG_DIRTY_, ~VPMU_TAG_DIRTY_,
                              ~VPMU_TAG_DIRTY_};
    const vpmu_tags_ wanted = {tag, tag, tag, tag};
    vpmu_places_ equal[4];

#pragma GCC unroll 4
    for (unsigned i = 0; i < stride / VPMU_VECTOR_; i++) {
        equal[i] = (tags[i] & clean) == wanted;
    }
    return vpmu_mask_(equal, stride / VPMU_VECTOR_);
}

/*
 * Moves the ways before @way up by one, and puts @tag first. There is no branch. The tag before the
 * set is read, too, but not used.
 */
static VPMU_INLINE_ void vpmu_move_(uint32_t *set, unsigned way, uint32_t tag, unsigned stride)
{
    const unsigned n = stride / VPMU_VECTOR_;
    const int32_t end = (int32_t)way + 1;
    const vpmu_places_ ends = {end, end, end, end};
    vpmu_tags_ now[4];

#pragma GCC unroll 4
    for (unsigned i = 0; i < n; i++) {
        const int32_t first = (int32_t)(VPMU_VECTOR_ * i);
        const vpmu_places_ places = {first, first + 1, first + 2, first + 3};
        const uint32_t *at = set + VPMU_VECTOR_ * i;
        vpmu_tags_ old = *(const vpmu_tags_ *)(const void *)at;
        vpmu_tags_ before = *(const vpmu_loose_tags_ *)(const void *)(at - 1);

        now[i] = old ^ ((old ^ before) & (vpmu_tags_)(places < ends));
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < n; i++) {
        *(vpmu_tags_ *)(void *)(set + VPMU_VECTOR_ * i) = now[i];
    }
    set[0] = tag;
}

/* Returns the way of a tag, which is clean, plus 1; 0 if it is missing. */
static VPMU_INLINE_ unsigned vpmu_sets_find_(const struct vpmu_sets_ *s, const uint32_t *set,
                                             uint32_t tag)
{
    uint32_t found;

    if (s->stride == 8) {
        found = vpmu_find_(set, tag, 8);
    } else if (s->stride == 16) {
        found = vpmu_find_(set, tag, 16);
    } else if (s->stride == 4) {
        found = vpmu_find_(set, tag, 4);
    } else {
        return vpmu_sets_find_any_(s, set, tag);
    }
    return found ? (unsigned)__builtin_ctz(found) + 1 : 0;
}

/* Moves a way to the front, with a new tag. */
static VPMU_INLINE_ void vpmu_sets_move_(const struct vpmu_sets_ *s, uint32_t *set, unsigned way,
                                         uint32_t tag)
{
    if (s->stride == 8) {
        vpmu_move_(set, way, tag, 8);
    } else if (s->stride == 16) {
        vpmu_move_(set, way, tag, 16);
    } else if (s->stride == 4) {
        vpmu_move_(set, way, tag, 4);
    } else {
        vpmu_sets_move_any_(set, way, tag);
    }
}

/* A tag that was found has been used, and has a new value. */
static VPMU_INLINE_ void vpmu_sets_use_(const struct vpmu_sets_ *s, uint32_t *set, unsigned way,
                                        uint32_t tag)
{
    if (s->lru) {
        vpmu_sets_move_(s, set, way, tag);
    } else {
        set[way] = tag;
    }
}

/*
 * Moves all ways up by one, and puts @tag first. The last one is lost. With a stride of 4, the tag
 * before the set is read, too, but not used.
 */
static VPMU_INLINE_ void vpmu_push_(uint32_t *set, uint32_t tag, unsigned stride)
{
    const unsigned n = stride / VPMU_VECTOR_;
    vpmu_tags_ old[4];

#pragma GCC unroll 4
    for (unsigned i = 0; i < n; i++) {
        old[i] = *(const vpmu_loose_tags_ *)(const void *)(set + VPMU_VECTOR_ * i - (i + 1 == n));
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < n; i++) {
        *(vpmu_loose_tags_ *)(void *)(set + VPMU_VECTOR_ * i + (i + 1 != n)) = old[i];
    }
    set[0] = tag;
}

/* Puts a tag that is missing in place of another one, which is returned; 0: of none. */
static VPMU_INLINE_ uint32_t vpmu_sets_insert_(const struct vpmu_sets_ *s, uint32_t *set,
                                               uint32_t tag)
{
    uint32_t victim = set[s->ways - 1u];

    if (s->stride == 8) {
        vpmu_push_(set, tag, 8);
    } else if (s->stride == 16) {
        vpmu_push_(set, tag, 16);
    } else if (s->stride == 4) {
        vpmu_push_(set, tag, 4);
    } else {
        vpmu_sets_move_any_(set, s->ways - 1u, tag);
        return victim;
    }
    if (s->ways < s->stride) {
        set[s->ways] = 0;
    }
    return victim;
}

/* sets.c: removes a way. The others keep their order. */
void vpmu_sets_remove_(const struct vpmu_sets_ *s, uint32_t *set, unsigned way);

/* sets.c: removes all tags. */
void vpmu_sets_clear_(const struct vpmu_sets_ *s);

#endif
