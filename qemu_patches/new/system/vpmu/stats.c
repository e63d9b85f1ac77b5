/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command query-stats: statistics of emulated PMUs, for programs
 */

#include "qemu/osdep.h"
#include "system/stats.h"
#include "system/vpmu_stats.h"
#include "system/vpmu_target.h"

static const struct {
    StatsUnit unit;
    bool has_unit;
    int8_t exponent;
} units[] = {
    [VPMU_STAT_INSTRUCTIONS] = { },
    [VPMU_STAT_CYCLES] = { STATS_UNIT_CYCLES, true },
    [VPMU_STAT_NANOSECONDS] = { STATS_UNIT_SECONDS, true, -9 },
    [VPMU_STAT_BOOLEAN] = { STATS_UNIT_BOOLEAN, true },
};

/* The longest name of a statistic is that of an observer. */
#define MAX_NAME (VPMU_OBSERVER_NAME + 16)

void vpmu_stat(const VPMUVisit *visit, VPMUStat stat, const char *format, ...)
{
    char name[MAX_NAME];
    va_list ap;

    va_start(ap, format);
    g_vsnprintf(name, sizeof(name), format, ap);
    va_end(ap);
    stat.name = name;
    visit->fn(visit->opaque, &stat);
}

void vpmu_stat_counter(const VPMUVisit *visit, const VPMUCounter *counter,
                       uint64_t filter)
{
    unsigned int i = counter->index;

    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT,
                                  .value = counter->event },
              "counter-%u-event", i);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT,
                                  .value = filter }, "counter-%u-filter", i);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT,
                                  .unit = VPMU_STAT_BOOLEAN,
                                  .value = counter->enabled },
              "counter-%u-enabled", i);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_INSTANT,
                                  .value = counter->value },
              "counter-%u-value", i);
    vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                  .value = counter->overflows },
              "counter-%u-overflows", i);
    if (counter->has_interrupts) {
        vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                      .value = counter->interrupts },
                  "counter-%u-interrupts", i);
    }
}

void vpmu_visit_totals(const struct vpmu_count *count, VPMUTotalFn *fn,
                       void *opaque)
{
    vpmu_sources sources = count->sources & ~count->timed;

    while (sources) {
        unsigned int source = vpmu_source_take(&sources);
        unsigned int units = source == VPMU_SRC_CPU_CYCLES
            ? count->cycle_units : 1;

        for (unsigned int ctx = 0; ctx < count->totals.contexts; ctx++) {
            const uint64_t *row = count->totals.n + ctx * count->totals.row;
            uint64_t value = row[source] / units;

            if (value) {
                fn(opaque, source, ctx, value);
            }
        }
    }
}

static void visit_observers(const VPMUVisit *visit, CPUState *cs, void *seen)
{
    for (GSList *item = *vpmu_observers(cs); item; item = item->next) {
        VPMUObserver *o = item->data;

        vpmu_stat(visit, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                      .value = vpmu_target->counting->read(seen,
                                                             &o->counter) },
                  "observer/%s", o->name);
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

    if (apply_str_list_filter(stat->name, query->names)) {
        vpmu_append_stat(&query->tail, stat->name, stat->histogram,
                         stat->unit == VPMU_STAT_BOOLEAN, stat->value);
    }
}

static StatsList *query_cpu(CPUState *cs, strList *names)
{
    StatsList *stats = NULL;
    VPMUQuery query = { names, &stats };
    VPMUVisit visit = { add_value, &query };
    void *seen = vpmu_target->counting->snapshot(cs);

    visit_observers(&visit, cs, seen);
    vpmu_target->counting->visit(cs, seen, &visit);
    return stats;
}

static void query_stats(StatsResultList **result, StatsTarget target,
                        strList *names, strList *targets, Error **errp)
{
    if (target != STATS_TARGET_VCPU) {
        return;
    }
    for (CPUState *cs = NULL; (cs = vpmu_next_cpu(cs)); ) {
        const char *path = DEVICE(cs)->canonical_path;
        StatsList *stats = apply_str_list_filter(path, targets)
            ? query_cpu(cs, names) : NULL;

        if (stats) {
            add_stats_entry(result, STATS_PROVIDER_VPMU, path, stats);
        }
    }
    vpmu_observers_read(names);
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

static void query_stats_schemas(StatsSchemaList **result, Error **errp)
{
    StatsSchemaValueList *schema = NULL;
    StatsSchemaValueList **tail = &schema;
    VPMUVisit visit = { add_schema, &tail, true };
    CPUState *cs = vpmu_next_cpu(NULL);

    if (cs) {
        visit_observers(&visit, cs, vpmu_target->counting->snapshot(cs));
    }
    vpmu_target->counting->visit(NULL, NULL, &visit);
    add_stats_schema(result, STATS_PROVIDER_VPMU, STATS_TARGET_VCPU, schema);
}

void vpmu_stats_init(void)
{
    static bool done;

    if (!done) {
        done = true;
        add_stats_callbacks(STATS_PROVIDER_VPMU, query_stats,
                            query_stats_schemas);
    }
}
