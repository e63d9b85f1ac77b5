/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query-stats for Arm CPUs: counters, totals and the meter
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/private.h"
#include "system/vpmu_target.h"
#include "vpmu/arm/regs.h"

const char *const arm_vpmu_span_names[VPMU_SPAN_COUNT] = {
    [VPMU_SPAN_ENTRY] = "entry",
    [VPMU_SPAN_EXIT] = "exit",
    [VPMU_SPAN_INSIDE] = "inside",
    [VPMU_SPAN_ABORTED] = "aborted",
    [VPMU_SPAN_LEAK_HOST] = "leak-host",
    [VPMU_SPAN_LEAK_GUEST] = "leak-guest",
};

/* Names and units of what the meter measures. */
static const struct {
    const char *name;
    unsigned int unit;
} units[VPMU_UNIT_COUNT] = {
    [VPMU_UNIT_INSTRUCTIONS] = { "instructions", VPMU_STAT_INSTRUCTIONS },
    [VPMU_UNIT_CYCLES] = { "cycles", VPMU_STAT_CYCLES },
    [VPMU_UNIT_NANOSECONDS] = { "nanoseconds", VPMU_STAT_NANOSECONDS },
};

static uint64_t smallest(uint64_t min)
{
    return min == UINT64_MAX ? 0 : min;
}

static void visit_spread(const VPMUVisit *visit, const char *span,
                         unsigned int unit, const struct vpmu_spread *spread)
{
    const char *name = units[unit].name;

    unit = units[unit].unit;
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE, .unit = unit,
                                  .value = spread->sum },
              "%s-%s", span, name);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT, .unit = unit,
                                  .value = smallest(spread->min) },
              "%s-%s-min", span, name);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_PEAK, .unit = unit,
                                  .value = spread->max },
              "%s-%s-max", span, name);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_LOG2_HISTOGRAM,
                                  .unit = unit, .histogram = spread->log2 },
              "%s-%s-histogram", span, name);
}

static void visit_spans(const VPMUVisit *visit, const struct vpmu_blackout *b)
{
    for (unsigned int span = 0; span < VPMU_SPAN_COUNT; span++) {
        vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                      .value = b->windows[span] },
                  "%s-windows", arm_vpmu_span_names[span]);
        if (!visit->schema && !b->windows[span]) {
            continue;
        }
        for (unsigned int unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
            visit_spread(visit, arm_vpmu_span_names[span], unit,
                         &b->spread[span][unit]);
        }
    }
}

static void visit_reason(const VPMUVisit *visit, const char *name,
                         const struct vpmu_reason *reason, uint64_t exits)
{
    if (!visit->schema && !reason->windows && !exits) {
        return;
    }
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                  .value = exits },
              "reason-%s-exits", name);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                  .value = reason->windows },
              "reason-%s-windows", name);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                  .value = reason->sum },
              "reason-%s-instructions", name);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT,
                                  .value = smallest(reason->min) },
              "reason-%s-instructions-min", name);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_PEAK,
                                  .value = reason->max },
              "reason-%s-instructions-max", name);
}

/* All exception classes without a name are combined into one reason. */
static void visit_reasons(const VPMUVisit *visit,
                          const struct vpmu_blackout *b)
{
    struct vpmu_reason other = { .min = UINT64_MAX };
    uint64_t other_exits = 0;

    for (unsigned int i = 0; i < VPMU_EXIT_REASONS; i++) {
        const struct vpmu_reason *reason = &b->reason[i];
        const char *name = vpmu_arm_exit_reason_name(i);

        if (!g_str_equal(name, "other")) {
            visit_reason(visit, name, reason, b->exits[i]);
            continue;
        }
        other.windows += reason->windows;
        other.sum += reason->sum;
        other.min = MIN(other.min, reason->min);
        other.max = MAX(other.max, reason->max);
        other_exits += b->exits[i];
    }
    visit_reason(visit, "other", &other, other_exits);
}

static void visit_exits(const VPMUVisit *visit, const struct vpmu_blackout *b)
{
    uint64_t exits = 0;

    for (unsigned int i = 0; i < VPMU_EXIT_REASONS; i++) {
        exits += b->exits[i];
    }
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                  .value = exits },
              "exits");
}

static void visit_counter(const VPMUVisit *visit, const struct vpmu_arm *pmu,
                          unsigned int i)
{
    VPMUCounter counter = arm_vpmu_counter(pmu, i);
    uint64_t filter = counter.type;

    if (i < VPMU_MAX_EVENT_COUNTERS) {
        filter &= ~VPMU_TYPER_EVENT;
    }
    vpmu_stat_counter(visit, &counter, filter);
}

static void visit_counters(const VPMUVisit *visit, const struct vpmu_arm *pmu)
{
    for (unsigned int i = 0; i < VPMU_COUNTER_COUNT; i++) {
        if (visit->schema || arm_vpmu_counter_used(pmu, i) ||
            pmu->count.overflows[i]) {
            visit_counter(visit, pmu, i);
        }
    }
}

static void visit_total(void *opaque, unsigned int source, unsigned int ctx,
                        uint64_t value)
{
    vpmu_stat(opaque, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                   .value = value },
              "total-%s-%s", vpmu_arm_source_name(source),
              vpmu_arm_ctx_name(ctx));
}

static void visit_all_totals(const VPMUVisit *visit)
{
    for (unsigned int i = 0; i < VPMU_SRC_COUNT * VPMU_CTX_COUNT; i++) {
        visit_total((void *)visit, i / VPMU_CTX_COUNT, i % VPMU_CTX_COUNT, 0);
    }
}

void arm_vpmu_visit(CPUState *cs, void *seen, const VPMUVisit *visit)
{
    static const struct vpmu_blackout no_meter;
    static const struct vpmu_arm no_pmu;
    const struct vpmu_arm *pmu = seen ?: &no_pmu;
    const struct vpmu_blackout *meter = cs ? ARM_CPU(cs)->vpmu->meter
                                           : &no_meter;

    visit_counters(visit, pmu);
    if (visit->schema) {
        visit_all_totals(visit);
    } else {
        vpmu_visit_totals(&pmu->count, visit_total, (void *)visit);
    }
    if (meter) {
        visit_spans(visit, meter);
        visit_exits(visit, meter);
        visit_reasons(visit, meter);
    }
}
