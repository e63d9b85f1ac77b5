/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known from outside about the PMU of Arm CPUs, for programs:
 * query-stats
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qapi/qapi-commands-stats.h"
#include "cpu.h"
#include "internals.h"
#include "system/stats.h"
#include "system/vpmu_stats.h"
#include "private.h"
#include "vpmu/regs.h"

const char *const arm_vpmu_span_names[VPMU_SPAN_COUNT] = {
    [VPMU_SPAN_ENTRY] = "entry",
    [VPMU_SPAN_EXIT] = "exit",
    [VPMU_SPAN_INSIDE] = "inside",
    [VPMU_SPAN_ABORTED] = "aborted",
    [VPMU_SPAN_LEAK_HOST] = "leak-host",
    [VPMU_SPAN_LEAK_GUEST] = "leak-guest",
};

/* Units of the meter, and yes or no. */
#define BOOLEAN VPMU_UNIT_COUNT

static const struct {
    const char *name;
    StatsUnit unit;
    bool has_unit;
    int8_t exponent;
} units[] = {
    [VPMU_UNIT_INSTRUCTIONS] = { "instructions" },
    [VPMU_UNIT_CYCLES] = { "cycles", STATS_UNIT_CYCLES, true },
    [VPMU_UNIT_NANOSECONDS] = { "nanoseconds", STATS_UNIT_SECONDS, true, -9 },
    [BOOLEAN] = { "boolean", STATS_UNIT_BOOLEAN, true },
};

/* With room for an observer's. */
#define MAX_NAME (ARM_VPMU_OBSERVER_NAME + 16)

/*
 * One statistic after another, always in the same order.  Results and
 * schemas are two things that can be made of them.
 */
typedef struct VPMUStat {
    const char *name;
    StatsType type;
    unsigned int unit;
    uint64_t value;
    const uint64_t *histogram;
} VPMUStat;

typedef void VPMUStatFn(void *opaque, const VPMUStat *stat);

typedef struct VPMUVisit {
    VPMUStatFn *fn;
    void *opaque;
    /* A schema has all that can be; values are what there is. */
    bool schema;
} VPMUVisit;

static void G_GNUC_PRINTF(3, 4) tell(const VPMUVisit *visit, VPMUStat stat,
                                     const char *format, ...)
{
    char name[MAX_NAME];
    va_list ap;

    va_start(ap, format);
    g_vsnprintf(name, sizeof(name), format, ap);
    va_end(ap);
    stat.name = name;
    visit->fn(visit->opaque, &stat);
}

static uint64_t smallest(uint64_t min)
{
    return min == UINT64_MAX ? 0 : min;
}

static void visit_spread(const VPMUVisit *visit, const char *span,
                         unsigned int unit, const struct vpmu_spread *spread)
{
    const char *name = units[unit].name;

    tell(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE, .unit = unit,
                             .value = spread->sum }, "%s-%s", span, name);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT, .unit = unit,
                             .value = smallest(spread->min) },
         "%s-%s-min", span, name);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_PEAK, .unit = unit,
                             .value = spread->max }, "%s-%s-max", span, name);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_LOG2_HISTOGRAM, .unit = unit,
                             .histogram = spread->log2 },
         "%s-%s-histogram", span, name);
}

static void visit_spans(const VPMUVisit *visit, const struct vpmu_blackout *b)
{
    for (unsigned int span = 0; span < VPMU_SPAN_COUNT; span++) {
        tell(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
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
    tell(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE, .value = exits },
         "reason-%s-exits", name);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                             .value = reason->windows },
         "reason-%s-windows", name);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                             .value = reason->sum },
         "reason-%s-instructions", name);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT,
                             .value = smallest(reason->min) },
         "reason-%s-instructions-min", name);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_PEAK,
                             .value = reason->max },
         "reason-%s-instructions-max", name);
}

/* Exception classes without a name are one reason. */
static void visit_reasons(const VPMUVisit *visit,
                          const struct vpmu_blackout *b)
{
    struct vpmu_reason other = { .min = UINT64_MAX };
    uint64_t other_exits = 0;

    for (unsigned int i = 0; i < VPMU_EXIT_REASONS; i++) {
        const struct vpmu_reason *reason = &b->reason[i];
        const char *name = vpmu_exit_reason_name(i);

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
    tell(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE, .value = exits },
         "exits");
}

static void visit_observer(void *opaque, const char *name, uint64_t value)
{
    tell(opaque, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE, .value = value },
         "observer/%s", name);
}

static void visit_counter(const VPMUVisit *visit, const struct vpmu *pmu,
                          unsigned int i)
{
    bool enabled = pmu->regs.cnten >> i & 1;
    uint64_t filter = pmu->regs.type[i];

    if (i < VPMU_MAX_EVENT_COUNTERS) {
        filter &= ~VPMU_TYPER_EVENT;
    }
    tell(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT,
                             .value = arm_vpmu_counter_event(pmu, i) },
         "counter-%u-event", i);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT, .value = filter },
         "counter-%u-filter", i);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT, .unit = BOOLEAN,
                             .value = enabled }, "counter-%u-enabled", i);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT,
                             .value = pmu->count.counter[i].value },
         "counter-%u-value", i);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                             .value = pmu->count.overflows[i] },
         "counter-%u-overflows", i);
    tell(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                             .value = pmu->interrupts[i] },
         "counter-%u-interrupts", i);
}

static void visit_counters(const VPMUVisit *visit, const struct vpmu *pmu)
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
    tell(opaque, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE, .value = value },
         "total-%s-%s", vpmu_source_name(source), vpmu_ctx_name(ctx));
}

static void visit_all_totals(VPMUVisit *visit)
{
    for (unsigned int i = 0; i < VPMU_SRC_COUNT * VPMU_CTX_COUNT; i++) {
        visit_total(visit, i / VPMU_CTX_COUNT, i % VPMU_CTX_COUNT, 0);
    }
}

/*
 * query-stats
 */

typedef struct VPMUQuery {
    strList *names;
    StatsList **tail;
} VPMUQuery;

static void add_value(void *opaque, const VPMUStat *stat)
{
    VPMUQuery *query = opaque;
    Stats *s;

    if (!apply_str_list_filter(stat->name, query->names)) {
        return;
    }
    s = g_new0(Stats, 1);
    s->name = g_strdup(stat->name);
    s->value = g_new0(StatsValue, 1);
    if (stat->histogram) {
        s->value->type = QTYPE_QLIST;
        s->value->u.list = vpmu_histogram_list(stat->histogram,
                                                   VPMU_LOG2_BUCKETS);
    } else if (stat->unit == BOOLEAN) {
        s->value->type = QTYPE_QBOOL;
        s->value->u.boolean = stat->value;
    } else {
        s->value->type = QTYPE_QNUM;
        s->value->u.scalar = stat->value;
    }
    QAPI_LIST_APPEND(query->tail, s);
}

static StatsList *query_cpu(ARMCPU *cpu, strList *names)
{
    StatsList *stats = NULL;
    VPMUQuery query = { names, &stats };
    VPMUVisit visit = { add_value, &query };
    struct vpmu *pmu = arm_vpmu_look(cpu);

    arm_vpmu_visit_observers(cpu, pmu, visit_observer, &visit);
    visit_counters(&visit, pmu);
    arm_vpmu_visit_totals(pmu, visit_total, &visit);
    if (cpu->vpmu->meter) {
        visit_spans(&visit, cpu->vpmu->meter);
        visit_exits(&visit, cpu->vpmu->meter);
        visit_reasons(&visit, cpu->vpmu->meter);
    }
    return stats;
}

static void vpmu_query_stats(StatsResultList **result, StatsTarget target,
                             strList *names, strList *targets, Error **errp)
{
    if (target != STATS_TARGET_VCPU) {
        return;
    }
    for (ARMCPU *cpu = NULL; (cpu = arm_vpmu_next_cpu(cpu)); ) {
        const char *path = DEVICE(cpu)->canonical_path;
        StatsList *stats = apply_str_list_filter(path, targets)
            ? query_cpu(cpu, names) : NULL;

        if (stats) {
            add_stats_entry(result, STATS_PROVIDER_VPMU, path, stats);
        }
    }
    arm_vpmu_observers_read(names);
}

static void add_schema(void *opaque, const VPMUStat *stat)
{
    StatsSchemaValueList ***tail = opaque;
    StatsSchemaValue *value = g_new0(StatsSchemaValue, 1);

    value->name = g_strdup(stat->name);
    value->type = stat->type;
    value->has_unit = units[stat->unit].has_unit;
    value->unit = units[stat->unit].unit;
    value->exponent = units[stat->unit].exponent;
    value->has_base = value->exponent != 0;
    value->base = 10;
    QAPI_LIST_APPEND(*tail, value);
}

static void vpmu_query_schemas(StatsSchemaList **result, Error **errp)
{
    static const struct vpmu_blackout no_meter;
    static const struct vpmu no_pmu;
    StatsSchemaValueList *schema = NULL;
    StatsSchemaValueList **tail = &schema;
    VPMUVisit visit = { add_schema, &tail, true };
    ARMCPU *cpu = arm_vpmu_next_cpu(NULL);

    if (cpu) {
        arm_vpmu_visit_observers(cpu, arm_vpmu_look(cpu), visit_observer,
                                 &visit);
    }
    visit_counters(&visit, &no_pmu);
    visit_all_totals(&visit);
    visit_spans(&visit, &no_meter);
    visit_exits(&visit, &no_meter);
    visit_reasons(&visit, &no_meter);
    add_stats_schema(result, STATS_PROVIDER_VPMU, STATS_TARGET_VCPU, schema);
}

void arm_vpmu_stats_init(void)
{
    static bool done;

    if (!done) {
        done = true;
        add_stats_callbacks(STATS_PROVIDER_VPMU, vpmu_query_stats,
                            vpmu_query_schemas);
    }
}
