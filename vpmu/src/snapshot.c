/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* A look at a PMU while its PE executes: totals that are certain, and a PMU that counts from them.
 */
#include "vpmu/snapshot.h"

#include "internal.h"

/* Time does not pass in a snapshot. */
static uint64_t last_clock(void *opaque, enum vpmu_source source)
{
    const struct vpmu_snapshot *s = opaque;

    return s->pmu.clock[source - VPMU_SRC_CPU_CYCLES];
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

static const struct vpmu_ops snapshot_ops = {
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

static void take_totals(struct vpmu_snapshot *s, const struct vpmu *v, const uint64_t *ahead)
{
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        uint64_t *to = s->totals.n[source];
        const uint64_t *from = v->totals->n[source];

        for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
            if (ahead && ahead[source] && ctx == v->ctx) {
                advance(&to[ctx], read_total(&from[ctx]), ahead[source]);
            } else {
                to[ctx] = read_total(&from[ctx]);
            }
        }
    }
}

static void take_clocks(struct vpmu_snapshot *s, const struct vpmu *v)
{
    unsigned source;

    VPMU_FOR_EACH_BIT (source, v->config.timed) {
        uint64_t now = v->ops->clock(v->opaque, (enum vpmu_source)source);
        uint64_t *last = &s->pmu.clock[source - VPMU_SRC_CPU_CYCLES];

        s->totals.n[source][v->ctx] += now - *last;
        *last = now;
    }
}

void vpmu_snapshot_take(struct vpmu_snapshot *s, const struct vpmu *v,
                        const uint64_t ahead[VPMU_SRC_COUNT])
{
    s->pmu = *v;
    s->pmu.totals = &s->totals;
    s->pmu.ops = &snapshot_ops;
    s->pmu.opaque = s;
    s->pmu.watch = NULL;
    take_totals(s, v, ahead);
    take_clocks(s, v);
    vpmu_settle(&s->pmu);
}
