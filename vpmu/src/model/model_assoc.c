/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Set-associative storage for any number of ways, and the removal of entries. */
#include "model_internal.h"

/* The rows of a set. */
struct rows {
    uint64_t *sketches;
    uint64_t *ranks;
    uint64_t *tags;
    uint32_t *spaces;
    struct vpmu_page_ *pages; /* only in an L1 TLB */
};

static struct rows rows_of(const struct vpmu_assoc_ *a, void *set)
{
    return (struct rows){
        .sketches = set,
        .ranks = (uint64_t *)set + a->words,
        .tags = vpmu_tags_(a, set),
        .spaces = vpmu_spaces_(a, set),
        .pages = vpmu_pages_(a, set),
    };
}

unsigned vpmu_assoc_search_any_(const struct vpmu_assoc_ *a, void *set, uint64_t tag,
                                uint64_t lanes, uint32_t space)
{
    const uint64_t *sketches = set;

    for (unsigned i = 0; i < a->words; i++) {
        uint64_t found = vpmu_equal_lanes_(sketches[i], lanes);

        for (; found != 0; found &= found - 1) {
            unsigned way = i * VPMU_LANES_ + vpmu_lowest_lane_(found);

            if (way < a->ways && vpmu_way_has_(a, set, way, tag, space)) {
                return way;
            }
        }
    }
    return a->ways;
}

void vpmu_assoc_touch_any_(const struct vpmu_assoc_ *a, uint64_t *ranks, unsigned way)
{
    uint8_t rank = vpmu_lane_(ranks, way);

    for (unsigned i = 0; i < a->words; i++) {
        ranks[i] += vpmu_below_lanes_(ranks[i], rank);
    }
    vpmu_set_lane_(ranks, way, 0);
}

/* LRU only: the way with the highest rank, which is the least recently used. */
static unsigned last_way(const struct vpmu_assoc_ *a, const uint64_t *ranks)
{
    uint64_t highest = VPMU_LANE_ONES_ * (uint8_t)(a->ways - 1);
    unsigned i = 0;
    uint64_t found;

    while ((found = vpmu_equal_lanes_(ranks[i], highest)) == 0) {
        i++;
    }
    return i * VPMU_LANES_ + vpmu_lowest_lane_(found);
}

unsigned vpmu_assoc_last_any_(const struct vpmu_assoc_ *a, uint64_t *ranks)
{
    unsigned way = last_way(a, ranks);

    vpmu_assoc_touch_any_(a, ranks, way);
    return way;
}

/* LRU only: marks a way as the next to be replaced. */
static void make_last(const struct vpmu_assoc_ *a, uint64_t *ranks, unsigned way)
{
    uint8_t rank = vpmu_lane_(ranks, way);

    for (unsigned i = 0; i < a->ways; i++) {
        uint8_t other = vpmu_lane_(ranks, i);

        vpmu_set_lane_(ranks, i, (uint8_t)(other > rank ? other - 1u : other));
    }
    vpmu_set_lane_(ranks, way, (uint8_t)(a->ways - 1u));
}

/* Forgets the place of a page that moves or leaves. */
static void drop_hint(const struct vpmu_assoc_ *a, const struct rows *r, unsigned way, bool leaves)
{
    struct vpmu_hint_ *hint;

    if (a->pages) {
        hint = &a->hints[(r->tags[way] >> a->shift) % VPMU_HINTS_];
        hint->pages -= leaves;
        hint->tag = hint->page == &r->pages[way] ? 0 : hint->tag;
    }
}

static void copy_way(const struct vpmu_assoc_ *a, const struct rows *r, unsigned to, unsigned from)
{
    drop_hint(a, r, from, false);
    r->tags[to] = r->tags[from];
    r->spaces[to] = r->spaces[from];
    vpmu_set_lane_(r->sketches, to, vpmu_lane_(r->sketches, from));
    if (a->pages) {
        r->pages[to] = r->pages[from];
    }
}

/*
 * FIFO only: moves the older entries up by one way, so that the way that is replaced next becomes
 * unused.
 */
static unsigned move_up(const struct vpmu_assoc_ *a, const struct rows *r, unsigned way)
{
    while (way != *r->ranks) {
        unsigned before = (way > 0 ? way : a->ways) - 1u;

        copy_way(a, r, way, before);
        way = before;
    }
    return way;
}

void vpmu_assoc_remove_(struct vpmu_assoc_ *a, void *set, unsigned way)
{
    struct rows r = rows_of(a, set);

    drop_hint(a, &r, way, true);
    if (a->lru) {
        make_last(a, r.ranks, way);
    } else {
        way = move_up(a, &r, way);
    }
    r.tags[way] = 0;
    r.spaces[way] = 0;
    vpmu_set_lane_(r.sketches, way, 0);
    if (a->pages) {
        r.pages[way] = (struct vpmu_page_){0};
    }
}

unsigned vpmu_assoc_way_(const struct vpmu_assoc_ *a, void *set, unsigned number)
{
    return a->lru ? number : (unsigned)((*rows_of(a, set).ranks + a->ways - 1u - number) % a->ways);
}

/* The rank of an unused lane is greater than that of any way. */
static void clear_ranks(const struct vpmu_assoc_ *a, uint64_t *ranks)
{
    for (unsigned lane = a->words * VPMU_LANES_; lane--;) {
        vpmu_set_lane_(ranks, lane, (uint8_t)lane);
    }
}

void vpmu_assoc_clear_(struct vpmu_assoc_ *a)
{
    for (uint64_t set = 0; set <= a->set_mask; set++) {
        uint64_t *words = vpmu_set_(a, set);

        for (size_t i = 0; i < a->stride / sizeof(*words); i++) {
            words[i] = 0;
        }
        if (a->lru) {
            clear_ranks(a, words + a->words);
        }
    }
    for (size_t i = 0; a->pages && i < VPMU_HINTS_; i++) {
        a->hints[i] = (struct vpmu_hint_){0};
    }
}
