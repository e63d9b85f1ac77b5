/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * PERF_METRICS: the slots of fixed counter 3 by their use, as fractions of 255 (SDM 3B, Performance
 * Metrics). Hidden counters, numbered from VPMU_X86_METRIC, count them in the contexts of fixed
 * counter 3.
 */
#include "x86_internal.h"

#define BIT(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)
#define WHOLE 255u
#define FIELD_BITS 8

/* Level 1, in the order of the register's fields; then level 2. */
enum {
    RETIRING,
    BAD_SPECULATION,
    FRONTEND_BOUND,
    BACKEND_BOUND,
    LEVEL_1,
    MEMORY_BOUND = LEVEL_1,
};

/*
 * The other fields of level 2: an instruction is one uop, so none is heavy. Only mispredictions are
 * bad speculation. A stall of the frontend takes whole cycles, so it is latency.
 */
enum {
    FIELD_HEAVY_OPERATIONS = 4,
    FIELD_BRANCH_MISPREDICTS,
    FIELD_FETCH_LATENCY,
    FIELD_MEMORY_BOUND,
};

static const vpmu_sources sources[VPMU_X86_METRIC_COUNT] = {
    [RETIRING] = BIT(INST),
    [BAD_SPECULATION] = BIT(SLOT_RECOVERY),
    [FRONTEND_BOUND] = BIT(SLOT_FETCH),
    [BACKEND_BOUND] = BIT(SLOT_BACKEND),
    [MEMORY_BOUND] = BIT(SLOT_MEMORY),
};

static bool has_level_2(const struct vpmu_x86_config *config)
{
    return config->family >= VPMU_X86_SAPPHIRERAPIDS;
}

void vpmu_x86_metrics_assign_(struct vpmu_x86 *v)
{
    const struct vpmu_x86_setup_ setup = {&v->config, &v->controls, &v->regs, NULL};
    struct vpmu_assignment_ assignment;

    if (!vpmu_x86_has_metrics_(&v->config)) {
        return;
    }
    assignment = vpmu_x86_assignment_(&setup, VPMU_X86_SLOTS);
    assignment.width = 64;
    assignment.end = 64;
    if (!(v->regs.enabled & VPMU_X86_METRICS_EN)) {
        assignment.ctx_mask = 0;
    }
    for (unsigned i = 0; i < VPMU_X86_METRIC_COUNT; i++) {
        assignment.sources = sources[i];
        vpmu_count_assign_(&v->count, VPMU_X86_METRIC + i, &assignment);
    }
}

static uint64_t slots_of(const struct vpmu_x86 *v, unsigned i)
{
    return v->count.counter[VPMU_X86_METRIC + i].value;
}

/* Rounds to the nearest; no product exceeds 64 bits. */
static uint64_t fraction(uint64_t part, uint64_t all)
{
    while (all > UINT64_MAX / (2 * WHOLE)) {
        part >>= 1;
        all >>= 1;
    }
    return all ? (part * WHOLE + all / 2) / all : 0;
}

static uint64_t field(uint64_t metrics, unsigned i)
{
    return metrics >> i * FIELD_BITS & WHOLE;
}

/* Sums are rounded, not the parts, so that the fields of level 1 add up to 255. */
static uint64_t level_1(const struct vpmu_x86 *v, uint64_t all)
{
    uint64_t metrics = 0;
    uint64_t sum = 0;

    for (unsigned i = 0; i < LEVEL_1; i++) {
        uint64_t before = fraction(sum, all);

        sum += slots_of(v, i);
        metrics |= (fraction(sum, all) - before) << i * FIELD_BITS;
    }
    return metrics;
}

uint64_t vpmu_x86_metrics_read_(const struct vpmu_x86 *v)
{
    uint64_t all = slots_of(v, RETIRING) + slots_of(v, BAD_SPECULATION) +
                   slots_of(v, FRONTEND_BOUND) + slots_of(v, BACKEND_BOUND);
    uint64_t metrics = level_1(v, all);
    uint64_t memory = fraction(slots_of(v, MEMORY_BOUND), all);
    uint64_t backend = field(metrics, BACKEND_BOUND);

    if (!has_level_2(&v->config)) {
        return metrics;
    }
    return metrics | field(metrics, BAD_SPECULATION) << FIELD_BRANCH_MISPREDICTS * FIELD_BITS |
           field(metrics, FRONTEND_BOUND) << FIELD_FETCH_LATENCY * FIELD_BITS |
           (memory < backend ? memory : backend) << FIELD_MEMORY_BOUND * FIELD_BITS;
}

/*
 * Software that restores both registers writes the slots first (Linux,
 * icl_set_topdown_event_period()). The fractions are of these.
 */
void vpmu_x86_metrics_write_(struct vpmu_x86 *v, uint64_t val)
{
    uint64_t all = v->count.counter[VPMU_X86_SLOTS].value;

    for (unsigned i = 0; i < VPMU_X86_METRIC_COUNT; i++) {
        uint64_t part = field(val, i < LEVEL_1 ? i : FIELD_MEMORY_BOUND);

        vpmu_count_set_(&v->count, VPMU_X86_METRIC + i,
                        all / WHOLE * part + all % WHOLE * part / WHOLE);
    }
}

uint64_t vpmu_x86_metrics_kept_(const struct vpmu_x86_config *config)
{
    return has_level_2(config) ? UINT64_MAX : VPMU_LOW32;
}
