/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Set-associative storage, of which caches and TLBs are made. */
#include "model_internal.h"

static struct vpmu_entry_ *set_of(const struct vpmu_assoc_ *a, uint64_t number)
{
    return &a->entries[(number & a->set_mask) * a->ways];
}

/* Makes room for a set's latest entry: the ones before @way are later than it, and move up. */
static void move_up(struct vpmu_entry_ *set, unsigned way)
{
    for (; way > 0; way--) {
        set[way] = set[way - 1];
    }
}

static struct vpmu_entry_ *use(struct vpmu_assoc_ *a, struct vpmu_entry_ *set, unsigned way,
                               uint64_t number)
{
    if (a->lru) {
        struct vpmu_entry_ used = set[way];

        move_up(set, way);
        set[0] = used;
        return &set[0];
    }
    a->hint[number % VPMU_HINTS_] = (uint8_t)way;
    return &set[way];
}

struct vpmu_entry_ *vpmu_assoc_search_(struct vpmu_assoc_ *a, uint64_t addr, uint32_t space)
{
    uint64_t number = addr >> a->shift;
    uint64_t tag = number << a->shift | 1;
    struct vpmu_entry_ *set = set_of(a, number);

    for (unsigned way = 0; way < a->ways; way++) {
        if (set[way].tag == tag && set[way].space == space) {
            return use(a, set, way, number);
        }
    }
    return NULL;
}

/* An entry comes or goes. Where there are few ways, a search is cheaper than to count. */
static void count(struct vpmu_assoc_ *a, const struct vpmu_entry_ *e, int change)
{
    uint16_t *n = &a->count[(e->tag >> a->shift) % VPMU_HINTS_];

    if (a->set_mask == 0 && vpmu_entry_used_(e)) {
        *n = (uint16_t)(*n + change);
    }
}

/* The way that a new entry is to take. */
static unsigned take_way(struct vpmu_assoc_ *a, struct vpmu_entry_ *set, uint64_t number,
                         struct vpmu_entry_ *victim)
{
    unsigned way;

    if (a->lru) {
        *victim = set[a->ways - 1u];
        move_up(set, a->ways - 1u);
        return 0;
    }
    way = a->oldest[number & a->set_mask];
    a->oldest[number & a->set_mask] = (uint8_t)(way + 1u < a->ways ? way + 1u : 0);
    a->hint[number % VPMU_HINTS_] = (uint8_t)way;
    *victim = set[way];
    return way;
}

struct vpmu_entry_ *vpmu_assoc_replace_(struct vpmu_assoc_ *a, uint64_t addr, uint32_t space,
                                        struct vpmu_entry_ *victim)
{
    uint64_t number = addr >> a->shift;
    struct vpmu_entry_ *set = set_of(a, number);
    struct vpmu_entry_ *e = &set[take_way(a, set, number, victim)];

    count(a, victim, -1);
    *e = (struct vpmu_entry_){.tag = number << a->shift | 1, .space = space};
    count(a, e, 1);
    return e;
}

/*
 * Empties @way so that the others stay in their order: those that would be replaced before it move
 * up, until the gap is at @next, the way that is replaced next.
 */
static void remove_way(const struct vpmu_assoc_ *a, struct vpmu_entry_ *set, unsigned way,
                       unsigned next)
{
    while (way != next) {
        unsigned before = a->lru ? way + 1 : (way > 0 ? way : a->ways) - 1u;

        set[way] = set[before];
        way = before;
    }
    set[way] = (struct vpmu_entry_){0};
}

bool vpmu_assoc_remove_(struct vpmu_assoc_ *a, uint64_t addr, uint32_t space,
                        struct vpmu_entry_ *removed)
{
    struct vpmu_entry_ *e = vpmu_assoc_find_(a, addr, space);
    uint64_t number = addr >> a->shift;
    struct vpmu_entry_ *set = set_of(a, number);

    if (!e) {
        return false;
    }
    *removed = *e;
    count(a, e, -1);
    remove_way(a, set, (unsigned)(e - set),
               a->lru ? a->ways - 1u : a->oldest[number & a->set_mask]);
    return true;
}

struct vpmu_entry_ *vpmu_assoc_of_age_(const struct vpmu_assoc_ *a, uint64_t set, unsigned age)
{
    unsigned way = a->lru ? age : (a->oldest[set] + a->ways - 1u - age) % a->ways;

    return &set_of(a, set)[way];
}

void vpmu_assoc_clear_(struct vpmu_assoc_ *a)
{
    size_t entries = ((size_t)a->set_mask + 1) * a->ways;

    for (size_t i = 0; i < entries; i++) {
        a->entries[i] = (struct vpmu_entry_){0};
    }
    for (size_t set = 0; set <= a->set_mask; set++) {
        a->oldest[set] = 0;
    }
    for (size_t i = 0; i < VPMU_HINTS_; i++) {
        a->hint[i] = 0;
        a->count[i] = a->set_mask != 0;
    }
}
