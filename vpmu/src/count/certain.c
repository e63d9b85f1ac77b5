/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Computes the totals that are certain while a PE executes, for a copy of the counting state. */
#include <stddef.h>

#include "count_internal.h"

/* Time does not pass in a snapshot. */
static uint64_t last_clock(void *opaque, enum vpmu_source source)
{
    const struct vpmu_count *copy = opaque;

    return copy->clock[source - VPMU_SRC_CPU_CYCLES];
}

static void ignore_irq(void *opaque, bool level)
{
    (void)opaque;
    (void)level;
}

static void ignore_rearm(void *opaque)
{
    (void)opaque;
}

static const struct vpmu_ops still = {
    .clock = last_clock,
    .irq = ignore_irq,
    .rearm = ignore_rearm,
};

/* Generated code may write it now. */
static uint64_t read_total(const uint64_t *total)
{
    return *(const volatile uint64_t *)total;
}

/* At least what was certain before, and no more than is certain now. */
static void advance(uint64_t *certain, uint64_t total, uint64_t ahead)
{
    vpmu_take_(certain, total - ahead);
}

static void take_totals(uint64_t *totals, const struct vpmu_count *c, const uint64_t *ahead)
{
    for (unsigned ctx = 0; ctx < c->totals.contexts; ctx++) {
        uint64_t *to = totals + (size_t)ctx * c->totals.row;
        const uint64_t *from = vpmu_row_(c, ctx);

        for (unsigned source = 0; source < c->totals.sources; source++) {
            if (ahead && ahead[source] && ctx == c->ctx) {
                advance(&to[source], read_total(&from[source]), ahead[source]);
            } else {
                to[source] = read_total(&from[source]);
            }
        }
    }
}

void vpmu_count_look_(struct vpmu_count *copy, uint64_t *totals, const struct vpmu_count *c,
                      const uint64_t *ahead)
{
    take_totals(totals, c, ahead);
    copy->totals.n = totals;
    vpmu_clocks_settle_(copy);
    copy->observers = NULL;
    copy->sampling = false;
    copy->ops = &still;
    copy->opaque = copy;
}
