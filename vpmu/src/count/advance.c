/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Advances counters: a counter increases, overflows at its end, and advances the chained counter.
 */
#include "count_internal.h"

/* Returns how many times the counter passed its end. */
static uint64_t add(struct vpmu_counter *ctr, uint64_t n)
{
    uint64_t old = ctr->value;
    uint64_t mask = UINT64_MAX >> (64 - ctr->end);

    ctr->value = (old + n) & (UINT64_MAX >> (64 - ctr->width));
    if (ctr->end == 64) {
        return old + n < old;
    }
    return (n >> ctr->end) + (((old & mask) + (n & mask)) >> ctr->end);
}

uint64_t vpmu_advance_far_(struct vpmu_count *c, unsigned idx, uint64_t n)
{
    uint64_t ended = 0;

    while ((n = add(&c->counter[idx], n)) != 0) {
        c->overflows[idx] += n;
        ended |= VPMU_BIT(idx);
        if (!(c->chained & VPMU_BIT(idx)) || !(c->in_ctx[c->ctx] & VPMU_BIT(idx + 1))) {
            break;
        }
        idx++;
        if (c->paced & VPMU_BIT(idx)) {
            c->pace[idx].value += n;
            break;
        }
    }
    return ended;
}

/*
 * Returns the number of complete counts in @delta units of the totals. The remainder stays in the
 * counter.
 */
static uint64_t whole(struct vpmu_counter *ctr, uint64_t delta)
{
    uint64_t rest;

    if (ctr->unit == 1) {
        return delta;
    }
    rest = delta % ctr->unit + ctr->remainder;
    ctr->remainder = (uint16_t)(rest % ctr->unit);
    return delta / ctr->unit + rest / ctr->unit;
}

uint64_t vpmu_go_on_(struct vpmu_count *c, unsigned idx, uint64_t delta)
{
    return delta ? vpmu_advance_(c, idx, whole(&c->counter[idx], delta)) : 0;
}
