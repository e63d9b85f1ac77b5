/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A meter at KVM's exit path, which measures where the time of vCPUs goes
 *
 * The library kvm_glue measures.  This file switches it on and off, and passes
 * the results to query-stats and "info vpmu".
 */

#include "qemu/osdep.h"
#include <linux/perf_event.h>
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "qapi/qapi-types-stats.h"
#include "system/kvm.h"
#include "system/kvm_int.h"
#include "system/kvm_vpmu.h"
#include "system/stats.h"
#include "system/vpmu_record.h"
#include "system/vpmu_stats.h"
#include "system/vpmu_target.h"
#include "kvm_glue/meter.h"
#include "vpmu/version.h"

static void report_once(void *opaque, enum kvm_glue_topic topic,
                        const char *sentence)
{
    warn_report("%s", sentence);
}

/* Settings of all meters.  Protected by the BQL. */
static struct {
    bool enabled;
    bool software;
    uint32_t type;
    struct kvm_glue_reporter reporter;
} meters = {
    .type = PERF_TYPE_HARDWARE,
    .reporter = { .report = report_once },
};

/*
 * Functions that run on the vCPU's thread
 */

void kvm_vpmu_enter_metered(CPUState *cpu)
{
    kvm_glue_meter_enter(cpu->kvm_meter);
}

void kvm_vpmu_exit_metered(CPUState *cpu, int ret, uint32_t reason)
{
    kvm_glue_meter_exit(cpu->kvm_meter, ret, reason);
}

static void begin(CPUState *cpu)
{
    struct kvm_glue_meter_options options = {
        .mode = kvm_glue_mode_hint(&kvm_glue_os_linux, kvm_state->fd),
        .type = meters.type,
        .config = meters.type == PERF_TYPE_HARDWARE ? PERF_COUNT_HW_CPU_CYCLES
                                                    : 0x11,
        .software = meters.software,
        .reporter = &meters.reporter,
    };

    cpu->kvm_meter = g_new(struct kvm_glue_meter, 1);
    kvm_glue_meter_init(cpu->kvm_meter, &kvm_glue_os_linux, &options);
    kvm_glue_meter_switch(cpu->kvm_meter, true);
}

static void end(CPUState *cpu)
{
    if (cpu->kvm_meter) {
        kvm_glue_meter_switch(cpu->kvm_meter, false);
        /* The meter is disabled: this closes its counters. */
        kvm_glue_meter_enter(cpu->kvm_meter);
        g_free(cpu->kvm_meter);
        cpu->kvm_meter = NULL;
    }
}

static void begin_anew(CPUState *cpu, run_on_cpu_data data)
{
    end(cpu);
    begin(cpu);
}

static void end_and_forget(CPUState *cpu, run_on_cpu_data data)
{
    end(cpu);
}

void kvm_vpmu_init_vcpu(CPUState *cpu)
{
    if (meters.enabled) {
        begin(cpu);
    }
}

void kvm_vpmu_destroy_vcpu(CPUState *cpu)
{
    vpmu_record_unplug(cpu);
    if (cpu->kvm_meter) {
        /* This reports to the user that the figures end here. */
        kvm_glue_meter_end(cpu->kvm_meter);
        end(cpu);
    }
}

/*
 * Names and types of statistics.  Both results and schemas are made by visiting
 * them.
 */
typedef struct MeterStat {
    const char *name;
    StatsType type;
    /* The unit.  Only parts have one. */
    bool cycles;
    bool nanoseconds;
    uint64_t value;
    const uint64_t *histogram;
} MeterStat;

typedef struct MeterVisit {
    void (*fn)(void *opaque, const MeterStat *stat);
    void *opaque;
    /* Also visit statistics that may exist later: for a schema. */
    bool all;
} MeterVisit;

static void G_GNUC_PRINTF(3, 4) emit(const MeterVisit *visit, MeterStat stat,
                                     const char *format, ...)
{
    g_autofree char *name = NULL;
    va_list ap;

    va_start(ap, format);
    name = g_strdup_vprintf(format, ap);
    va_end(ap);
    stat.name = name;
    visit->fn(visit->opaque, &stat);
}

static bool is_blackout(unsigned int part)
{
    return part == KVM_GLUE_BLACKOUT_CYCLES ||
           part == KVM_GLUE_BLACKOUT_NO_HV_CYCLES;
}

static uint64_t sum_of(const struct kvm_glue_exits *e, unsigned int part)
{
    if (is_blackout(part)) {
        /* A single value may be negative, see kvm_glue/meter.h. */
        return MAX(e->blackout[part - KVM_GLUE_BLACKOUT_CYCLES], 0);
    }
    return e->part[part].sum;
}

/* Returns the number of exits at which a part was measured. */
static uint64_t times_of(const struct kvm_glue_exits *e, unsigned int part)
{
    uint64_t n = 0;

    for (unsigned int i = 0; i < VPMU_LOG2_BUCKETS; i++) {
        n += e->part[part].log2[i];
    }
    return n;
}

static MeterStat part_stat(unsigned int part, StatsType type, uint64_t value)
{
    bool time = part == KVM_GLUE_RUN_NS || part == KVM_GLUE_VMM_NS;

    return (MeterStat) { .type = type, .value = value, .cycles = !time,
                         .nanoseconds = time };
}

/* A blackout falls when a negative value is added. */
static MeterStat sum_stat(const struct kvm_glue_exits *e, unsigned int part)
{
    return part_stat(part, is_blackout(part) ? STATS_TYPE_INSTANT
                                             : STATS_TYPE_CUMULATIVE,
                     sum_of(e, part));
}

static void visit_parts(const MeterVisit *visit,
                        const struct kvm_glue_exits *e)
{
    for (unsigned int i = 0; i < KVM_GLUE_PARTS; i++) {
        const struct vpmu_spread *s = &e->part[i];
        const char *name = kvm_glue_part_name(i);
        MeterStat histogram = part_stat(i, STATS_TYPE_LOG2_HISTOGRAM, 0);

        if (s->min == UINT64_MAX && !visit->all) {
            continue;
        }
        histogram.histogram = s->log2;
        emit(visit, sum_stat(e, i), "%s", name);
        emit(visit, part_stat(i, STATS_TYPE_INSTANT, s->min), "%s-min", name);
        emit(visit, part_stat(i, STATS_TYPE_PEAK, s->max), "%s-max", name);
        emit(visit, histogram, "%s-histogram", name);
    }
}

static void visit_count(const MeterVisit *visit, const char *prefix,
                        const char *name, uint64_t value)
{
    emit(visit, (MeterStat) { .type = STATS_TYPE_CUMULATIVE, .value = value },
         "%s%s", prefix, name);
}

/* The number of exits, and how many of these the sums of cycles include. */
static void visit_measured(const MeterVisit *visit, const char *prefix,
                           const struct kvm_glue_exits *e)
{
    visit_count(visit, prefix, "exits", e->exits);
    visit_count(visit, prefix, "exits-measured", e->measured);
    visit_count(visit, prefix, "kernel-measured",
                times_of(e, KVM_GLUE_KERNEL_CYCLES));
    visit_count(visit, prefix, "vmm-measured",
                times_of(e, KVM_GLUE_VMM_CYCLES));
}

static void visit_total(const MeterVisit *visit,
                        const struct kvm_glue_exits *e)
{
    visit_measured(visit, "", e);
    visit_count(visit, "", "exits-scaled", e->scaled);
    visit_count(visit, "", "blackouts-negative", e->negative);
    visit_parts(visit, e);
    for (unsigned int i = 0; i < KVM_GLUE_SOFTWARE_EVENTS; i++) {
        if (meters.software || visit->all) {
            emit(visit, (MeterStat) { .type = STATS_TYPE_CUMULATIVE,
                                      .nanoseconds = i == KVM_GLUE_TASK_CLOCK,
                                      .value = e->software[i] },
                 "thread-%s", kvm_glue_software_name(i));
        }
    }
}

static void visit_reason(const MeterVisit *visit, unsigned int reason,
                         const struct kvm_glue_exits *e)
{
    const char *name = kvm_glue_reason_name(reason);
    g_autofree char *prefix = g_strdup_printf("reason-%s-", name ?: "");

    if (!name || !(e->exits || visit->all)) {
        return;
    }
    visit_measured(visit, prefix, e);
    for (unsigned int i = 0; i < KVM_GLUE_PARTS; i++) {
        if (e->part[i].min != UINT64_MAX || visit->all) {
            emit(visit, sum_stat(e, i), "%s%s", prefix,
                 kvm_glue_part_name(i));
        }
    }
}

/*
 * If a vCPU's thread is preempted while it adds an exit, no row can be read
 * without a change.  What was read then lacks a part of that exit at most.
 */
static void read_meter(CPUState *cpu, struct kvm_glue_exits *rows,
                       struct kvm_glue_exits *total)
{
    kvm_glue_exits_clear(total);
    for (unsigned int i = 0; i < KVM_GLUE_REASONS; i++) {
        kvm_glue_meter_get(cpu->kvm_meter, i, &rows[i]);
        kvm_glue_exits_add(total, &rows[i]);
    }
}

static void visit_cpu(const MeterVisit *visit, CPUState *cpu)
{
    g_autofree struct kvm_glue_exits *rows =
        g_new(struct kvm_glue_exits, KVM_GLUE_REASONS + 1);
    struct kvm_glue_exits *total = &rows[KVM_GLUE_REASONS];

    read_meter(cpu, rows, total);
    visit_total(visit, total);
    for (unsigned int i = 0; i < KVM_GLUE_REASONS; i++) {
        visit_reason(visit, i, &rows[i]);
    }
}

/*
 * query-stats
 */

typedef struct MeterQuery {
    strList *names;
    StatsList *stats;
    StatsList **tail;
} MeterQuery;

static void add_value(void *opaque, const MeterStat *stat)
{
    MeterQuery *query = opaque;

    if (apply_str_list_filter(stat->name, query->names)) {
        vpmu_append_stat(&query->tail, stat->name, stat->histogram, false,
                         stat->value);
    }
}

static void query_stats(StatsResultList **result, StatsTarget target,
                        strList *names, strList *targets, Error **errp)
{
    CPUState *cpu;

    if (target != STATS_TARGET_VCPU) {
        return;
    }
    CPU_FOREACH(cpu) {
        const char *path = DEVICE(cpu)->canonical_path;
        MeterQuery query = { .names = names, .tail = &query.stats };
        MeterVisit visit = { .fn = add_value, .opaque = &query };

        if (!cpu->kvm_meter || !apply_str_list_filter(path, targets)) {
            continue;
        }
        visit_cpu(&visit, cpu);
        if (query.stats) {
            add_stats_entry(result, STATS_PROVIDER_VPMU, path, query.stats);
        }
    }
}

static void add_schema(void *opaque, const MeterStat *stat)
{
    StatsSchemaValueList ***tail = opaque;
    StatsSchemaValue *value = g_new0(StatsSchemaValue, 1);

    value->name = g_strdup(stat->name);
    value->type = stat->type;
    value->has_unit = stat->cycles || stat->nanoseconds;
    value->unit = stat->cycles ? STATS_UNIT_CYCLES : STATS_UNIT_SECONDS;
    value->has_base = stat->nanoseconds;
    value->base = 10;
    value->exponent = stat->nanoseconds ? -9 : 0;
    QAPI_LIST_APPEND(*tail, value);
}

static void query_schemas(StatsSchemaList **result, Error **errp)
{
    struct kvm_glue_exits nothing;
    StatsSchemaValueList *schema = NULL;
    StatsSchemaValueList **tail = &schema;
    MeterVisit visit = { .fn = add_schema, .opaque = &tail, .all = true };

    kvm_glue_exits_clear(&nothing);
    visit_total(&visit, &nothing);
    for (unsigned int i = 0; i < KVM_GLUE_REASONS; i++) {
        visit_reason(&visit, i, &nothing);
    }
    add_stats_schema(result, STATS_PROVIDER_VPMU, STATS_TARGET_VCPU, schema);
}

static void offer_stats(void)
{
    static bool done;

    if (!done) {
        done = true;
        add_stats_callbacks(STATS_PROVIDER_VPMU, query_stats, query_schemas);
    }
}

/*
 * Switching
 */

/* Called with the BQL held. */
static void set_meters(bool enable, bool software)
{
    CPUState *cpu;

    meters.enabled = enable;
    meters.software = software;
    meters.reporter.said = 0;
    offer_stats();
    CPU_FOREACH(cpu) {
        run_on_cpu(cpu, enable ? begin_anew : end_and_forget,
                   RUN_ON_CPU_NULL);
    }
}

/* A machine may choose the PMU after its first vCPUs were created. */
void kvm_vpmu_set_host_pmu(uint32_t type)
{
    CPUState *cpu;

    if (meters.type == type) {
        return;
    }
    meters.type = type;
    CPU_FOREACH(cpu) {
        if (cpu->kvm_meter) {
            run_on_cpu(cpu, begin_anew, RUN_ON_CPU_NULL);
        }
    }
}

uint32_t kvm_vpmu_host_pmu(void)
{
    return meters.type;
}

static bool get_meter(Object *obj, Error **errp)
{
    return meters.enabled;
}

static void set_meter(Object *obj, bool value, Error **errp)
{
    meters.enabled = value;
    offer_stats();
}

void kvm_vpmu_add_properties(ObjectClass *oc)
{
    object_class_property_add_bool(oc, "vpmu-meter", get_meter, set_meter);
    object_class_property_set_description(oc, "vpmu-meter",
        "Measure from the start where the time of vCPUs goes (default: off)");
}

/*
 * info vpmu
 */

static double mean_of(const struct kvm_glue_exits *e, unsigned int part)
{
    uint64_t n = times_of(e, part);

    return n ? (double)sum_of(e, part) / n : 0;
}

static void print_row(GString *text, const char *name,
                      const struct kvm_glue_exits *e)
{
    g_string_append_printf(text, "  %-16s %10" PRIu64 " %12.1f %10.1f "
                           "%10.1f %10.1f\n", name, e->exits,
                           mean_of(e, KVM_GLUE_GUEST_CYCLES),
                           mean_of(e, KVM_GLUE_KERNEL_CYCLES),
                           mean_of(e, KVM_GLUE_VMM_CYCLES),
                           mean_of(e, KVM_GLUE_BLACKOUT_CYCLES));
}

static void print_cpu(GString *text, CPUState *cpu)
{
    g_autofree struct kvm_glue_exits *rows =
        g_new(struct kvm_glue_exits, KVM_GLUE_REASONS + 1);
    struct kvm_glue_exits *total = &rows[KVM_GLUE_REASONS];

    read_meter(cpu, rows, total);
    g_string_append_printf(text, "CPU %d: KVM, %s, %" PRIu64 " exits, %"
                           PRIu64 " measured, %" PRIu64 " scaled\n",
                           cpu->cpu_index, kvm_glue_mode_name(
                               kvm_glue_meter_mode(cpu->kvm_meter)),
                           total->exits, total->measured, total->scaled);
    g_string_append_printf(text, "  %-16s %10s %12s %10s %10s %10s\n",
                           "mean cycles", "exits", "guest", "kernel", "vmm",
                           "blackout");
    for (unsigned int i = 0; i < KVM_GLUE_REASONS; i++) {
        if (rows[i].exits) {
            print_row(text, kvm_glue_reason_name(i) ?: "?", &rows[i]);
        }
    }
    print_row(text, "all", total);
}

static void print_meters(GString *text)
{
    CPUState *cpu;

    g_string_append(text, "vpmu " VPMU_VERSION "\n");
    CPU_FOREACH(cpu) {
        if (cpu->kvm_meter) {
            print_cpu(text, cpu);
        } else {
            g_string_append_printf(text, "CPU %d: KVM, meter off\n",
                                   cpu->cpu_index);
        }
    }
}

static const VPMUHostMeter host_meter = {
    .set = set_meters,
    .print = print_meters,
};

static void register_meter(void)
{
    vpmu_register_host_meter(&host_meter);
}

type_init(register_meter);
