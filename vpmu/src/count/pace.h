/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_PACE_H
#define VPMU_PACE_H

#include "count_internal.h"

/* Evaluates one cycle of a counter: PMUCountValue() of the Arm ARM (D13.8). */

/* Bits of vpmu_pace.lasting. */
enum {
    VPMU_LASTS_CYCLES_ = 1 << 0,
    VPMU_LASTS_FRONTEND_ = 1 << 1,
    VPMU_LASTS_BACKEND_ = 1 << 2,
    VPMU_LASTS_BACKEND_SLOT_ = 1 << 3,
    VPMU_LASTS_FRONTEND_SLOT_ = 1 << 4,
};

#define VPMU_TC_EDGES_ 3u
#define VPMU_TC_EDGES_BOTH_ 2u
#define VPMU_TLC_OTHERWISE_ 1u /* V[n-1] where the condition is false */
#define VPMU_TLC_INSTEAD_ 2u   /* V[n-1] where it is true */

static inline bool vpmu_holds_(const struct vpmu_function *f, uint64_t value)
{
    switch (f->tc & ~VPMU_TC_COUNT) {
    case VPMU_TC_NE:
        return value != f->th;
    case VPMU_TC_EQ:
        return value == f->th;
    case VPMU_TC_GE:
        return value >= f->th;
    default:
        return value < f->th;
    }
}

/* Tells whether a cycle without an event counts nothing and makes the condition false. */
static inline bool vpmu_is_quiet_(const struct vpmu_function *f)
{
    return !f->on || (!vpmu_holds_(f, 0) && f->tlc != VPMU_TLC_OTHERWISE_);
}

/* Tells whether there is an edge. @before is the condition in the previous cycle. */
static inline bool vpmu_is_edge_(const struct vpmu_function *f, bool before, bool now)
{
    return (f->tc & VPMU_TC_EDGES_) == VPMU_TC_EDGES_BOTH_ ? before != now : !before && now;
}

/* Returns what the counter counts for this cycle. */
static inline uint64_t vpmu_count_value_(struct vpmu_pace *p, const struct vpmu_function *f)
{
    bool before = p->met;
    uint64_t one = f->te || (f->tc & VPMU_TC_COUNT) ? 1 : p->value;
    bool counts;

    if (!f->on) {
        return p->value;
    }
    p->met = vpmu_holds_(f, p->value);
    counts = f->te ? vpmu_is_edge_(f, before, p->met) : p->met;
    if (f->tlc == VPMU_TLC_INSTEAD_) {
        one = p->link;
    }
    return counts ? one : f->tlc == VPMU_TLC_OTHERWISE_ ? p->link : 0;
}

/* Ends a cycle of a counter. Returns a mask of the counters that overflowed. */
static inline uint64_t vpmu_end_cycle_(struct vpmu_count *c, unsigned idx)
{
    struct vpmu_pace *p = &c->pace[idx];
    uint64_t counted;

    if (p->quiet && !p->value && !p->met) {
        p->link = 0;
        return 0;
    }
    counted = vpmu_count_value_(p, &p->function);
    p->value = 0;
    p->link = 0;
    if (!counted) {
        return 0;
    }
    if (idx % 2 == 0 && (c->paced & c->in_ctx[c->ctx] & VPMU_BIT(idx + 1))) {
        c->pace[idx + 1].link += counted;
    }
    return vpmu_advance_(c, idx, counted);
}

#endif
