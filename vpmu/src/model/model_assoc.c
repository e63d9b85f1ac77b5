/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Set-associative storage for any number of ways, and the removal of entries. */
#include "model_internal.h"

/* A set, and the entry that is searched there. */
struct place {
    uint64_t *sketches;
    uint64_t *ranks;
    struct vpmu_entry_ *entries;
    struct vpmu_page_ *pages; /* NULL if there are none */
    uint64_t number;
    uint64_t tag;
    uint32_t space;
    uint8_t sketch;
};

/* The set that the lowest bits of a line or page number select. */
static struct place place_of(const struct vpmu_assoc_ *a, uint64_t number, uint32_t space)
{
    unsigned char *set = vpmu_set_(a, number & a->set_mask);

    return (struct place){
        .sketches = (void *)set,
        .ranks = (uint64_t *)(void *)set + a->words,
        .entries = (void *)(set + a->entries),
        .pages = a->pages ? (void *)(set + a->pages) : NULL,
        .number = number,
        .tag = vpmu_tag_(a, number),
        .space = space,
        .sketch = vpmu_sketch_(a, number, space),
    };
}

/* The way of the entry, or the number of ways if it is missing. */
static unsigned search(const struct vpmu_assoc_ *a, const struct place *p)
{
    for (unsigned i = 0; i < a->words; i++) {
        uint64_t found = vpmu_equal_lanes_(p->sketches[i], p->sketch);

        for (; found != 0; found &= found - 1) {
            unsigned way = i * VPMU_LANES_ + vpmu_lowest_lane_(found);

            if (way < a->ways && vpmu_is_entry_(&p->entries[way], p->tag, p->space)) {
                return way;
            }
        }
    }
    return a->ways;
}

/*
 * LRU only: marks a way as the most recently used. The ranks of the ways that were used later
 * increase by one.
 */
static void use(const struct vpmu_assoc_ *a, uint64_t *ranks, unsigned way)
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
    unsigned i = 0;
    uint64_t found;

    while ((found = vpmu_equal_lanes_(ranks[i], (uint8_t)(a->ways - 1))) == 0) {
        i++;
    }
    return i * VPMU_LANES_ + vpmu_lowest_lane_(found);
}

/* Chooses the way of a new entry and marks it as the most recently used. */
static unsigned take_way(const struct vpmu_assoc_ *a, uint64_t *ranks)
{
    unsigned way;

    if (a->lru) {
        way = last_way(a, ranks);
        use(a, ranks, way);
    } else {
        way = (unsigned)*ranks;
        *ranks = way + 1 < a->ways ? way + 1 : 0;
    }
    return way;
}

struct vpmu_entry_ *vpmu_assoc_use_any_(const struct vpmu_assoc_ *a, uint64_t addr, uint32_t space)
{
    struct place p = place_of(a, vpmu_number_(a, addr), space);
    unsigned way = search(a, &p);

    if (way == a->ways) {
        return NULL;
    }
    if (a->lru) {
        use(a, p.ranks, way);
    }
    return &p.entries[way];
}

struct vpmu_entry_ *vpmu_assoc_take_any_(const struct vpmu_assoc_ *a, uint64_t addr, uint32_t space)
{
    struct place p = place_of(a, vpmu_number_(a, addr), space);
    unsigned way = take_way(a, p.ranks);

    vpmu_set_lane_(p.sketches, way, p.sketch);
    return &p.entries[way];
}

bool vpmu_assoc_translate_any_(struct vpmu_assoc_ *a, uint64_t addr, uint32_t space,
                               struct vpmu_page_ **page, struct vpmu_entry_ *victim)
{
    struct place p = place_of(a, vpmu_number_(a, addr), space);
    struct vpmu_entry_ *e = vpmu_assoc_use_any_(a, addr, space);
    bool hit = e != NULL;

    if (!hit) {
        e = vpmu_assoc_take_any_(a, addr, space);
        *victim = *e;
        vpmu_assoc_fill_(a, e, addr, space);
    }
    a->hint[p.number % VPMU_HINTS_] = (uint8_t)(e - p.entries);
    *page = &p.pages[e - p.entries];
    return hit;
}

struct vpmu_entry_ *vpmu_assoc_find_(const struct vpmu_assoc_ *a, uint64_t addr, uint32_t space)
{
    struct place p = place_of(a, vpmu_number_(a, addr), space);
    unsigned way = search(a, &p);

    return way < a->ways ? &p.entries[way] : NULL;
}

static struct place place_of_entry(const struct vpmu_assoc_ *a, const struct vpmu_entry_ *e)
{
    return place_of(a, vpmu_number_(a, e->tag), e->space);
}

struct vpmu_page_ *vpmu_assoc_page_(const struct vpmu_assoc_ *a, const struct vpmu_entry_ *e)
{
    struct place p = place_of_entry(a, e);

    return &p.pages[e - p.entries];
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

static void copy_way(const struct place *p, unsigned to, unsigned from)
{
    p->entries[to] = p->entries[from];
    vpmu_set_lane_(p->sketches, to, vpmu_lane_(p->sketches, from));
    if (p->pages) {
        p->pages[to] = p->pages[from];
    }
}

/*
 * FIFO only: moves the older entries up by one way, so that the way that is replaced next becomes
 * unused.
 */
static unsigned move_up(const struct vpmu_assoc_ *a, const struct place *p, unsigned way)
{
    while (way != *p->ranks) {
        unsigned before = (way > 0 ? way : a->ways) - 1u;

        copy_way(p, way, before);
        way = before;
    }
    return way;
}

void vpmu_assoc_remove_(struct vpmu_assoc_ *a, const struct vpmu_entry_ *e)
{
    struct place p = place_of_entry(a, e);
    unsigned way = (unsigned)(e - p.entries);

    if (a->lru) {
        make_last(a, p.ranks, way);
    } else {
        way = move_up(a, &p, way);
    }
    p.entries[way] = (struct vpmu_entry_){0};
    vpmu_set_lane_(p.sketches, way, 0);
    if (p.pages) {
        p.pages[way] = (struct vpmu_page_){0};
    }
}

struct vpmu_entry_ *vpmu_assoc_entry_(const struct vpmu_assoc_ *a, uint64_t set, unsigned number)
{
    struct place p = place_of(a, set, 0);

    return &p.entries[a->lru ? number : (*p.ranks + a->ways - 1u - number) % a->ways];
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
    for (size_t i = 0; i < VPMU_HINTS_; i++) {
        a->hint[i] = 0;
    }
}
