/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an x86 CPU for monitor commands: observers, counters of the guest
 *
 * Counters change on the CPU's own thread, without the BQL, so that thread also
 * reads them, between two blocks.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "private.h"
#include "system/vpmu_model.h"
#include "system/vpmu_target.h"

static void take_snapshot(CPUState *cs, run_on_cpu_data data)
{
    X86CPU *cpu = X86_CPU(cs);
    struct vpmu_x86 *pmu = x86_vpmu_here(cpu);
    struct vpmu_now now = x86_vpmu_now(cpu);

    vpmu_limits_update(&cpu->vpmu->limits);
    vpmu_x86_snapshot_take(cpu->vpmu->snapshot, pmu, &now);
    x86_ibs_snapshot(cpu);
}

/*
 * VPMUCounting, see vpmu_target.h
 */

static GSList **x86_observers(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);

    return cpu->vpmu ? &cpu->vpmu->observers : NULL;
}

static const char *x86_parse(CPUState *cs, const char *event,
                             struct vpmu_observer *counter)
{
    const char *why = NULL;

    vpmu_x86_observer_parse(&X86_CPU(cs)->vpmu->pmu.config, event, counter,
                            &why);
    return why;
}

static void *x86_pmu(CPUState *cs)
{
    return &X86_CPU(cs)->vpmu->pmu;
}

static void x86_observe(CPUState *cs, struct vpmu_observer *o)
{
    X86CPU *cpu = X86_CPU(cs);
    struct vpmu_now now;

    x86_vpmu_set_halted(cpu, cs->halted);
    now = x86_vpmu_now(cpu);
    pmu_service(cs, vpmu_x86_observer_add(&cpu->vpmu->pmu, o, &now));
}

static uint64_t x86_unobserve(CPUState *cs, struct vpmu_observer *o)
{
    X86CPU *cpu = X86_CPU(cs);
    struct vpmu_x86 *pmu = x86_vpmu_here(cpu);
    struct vpmu_now now = x86_vpmu_now(cpu);
    uint64_t count;

    pmu_service(cs, vpmu_x86_sample(pmu, &now));
    pmu_service(cs, vpmu_x86_observer_remove(pmu, o, &now, &count));
    return count;
}

static void *x86_snapshot(CPUState *cs)
{
    X86VPMU *vpmu = X86_CPU(cs)->vpmu;

    if (!vpmu->snapshot) {
        vpmu->snapshot = g_new0(struct vpmu_x86_snapshot, 1);
    }
    vpmu_run_on_cpu(cs, take_snapshot, RUN_ON_CPU_NULL);
    return &vpmu->snapshot->pmu;
}

static uint64_t x86_read(void *pmu, const struct vpmu_observer *o)
{
    return vpmu_x86_observer_read(pmu, o, NULL);
}

/* Returns what a counter counts, one event or a sum, or NULL for nothing. */
static char *counted_name(const struct vpmu_x86_config *config,
                          const struct vpmu_x86_counter *view)
{
    const struct vpmu_x86_event *parts[VPMU_X86_EVENT_PARTS];
    GString *sum;
    size_t n;

    if (view->event) {
        return g_strdup(view->event->name);
    }
    n = vpmu_x86_event_parts(config, view->select, parts);
    if (n < 2) {
        return NULL;
    }
    sum = g_string_new(parts[0]->name);
    for (size_t i = 1; i < n; i++) {
        g_string_append_printf(sum, " + %s", parts[i]->name);
    }
    return g_string_free(sum, false);
}

/* Fills in all but the name of the event; false if it was never used. */
static bool describe_counter(const struct vpmu_x86 *pmu, unsigned int index,
                             VPMUCounter *counter,
                             struct vpmu_x86_counter *view)
{
    bool used;

    *view = (struct vpmu_x86_counter) { };
    used = vpmu_x86_view(pmu, index, view);
    *counter = (VPMUCounter) {
        .index = index,
        .event = view->number,
        .type = view->select,
        .value = view->value,
        .enabled = view->enabled,
        .counting = view->counting,
        .overflow = view->overflowed,
        .interrupt = view->interrupts,
        .has_overflows = true,
        .overflows = view->overflows,
    };
    return used;
}

static void visit_total(void *opaque, unsigned int source, unsigned int ctx,
                        uint64_t value)
{
    const char *name = vpmu_x86_source_name(source);

    if (name) {
        vpmu_stat(opaque, (VPMUStat) { .type = STATS_TYPE_CUMULATIVE,
                                       .value = value },
                  "total-%s-%s", name, vpmu_x86_ctx_name(ctx));
    }
}

static void x86_visit(CPUState *cs, void *seen, const VPMUVisit *visit)
{
    static const struct vpmu_x86 no_pmu;
    const struct vpmu_x86 *pmu = seen ?: &no_pmu;
    struct vpmu_x86_counter view;
    VPMUCounter counter;

    for (unsigned int i = 0; i < VPMU_X86_COUNTER_COUNT; i++) {
        if (describe_counter(pmu, i, &counter, &view) || visit->schema) {
            vpmu_stat_counter(visit, &counter, counter.type & ~0xffffull);
        }
    }
    if (!visit->schema) {
        vpmu_visit_totals(&pmu->count, visit_total, (void *)visit);
        return;
    }
    for (unsigned int i = 0; i < VPMU_X86_SRC_COUNT * VPMU_X86_CTX_COUNT; i++) {
        visit_total((void *)visit, i / VPMU_X86_CTX_COUNT,
                    i % VPMU_X86_CTX_COUNT, 0);
    }
}

/*
 * query-vpmu and info vpmu
 */

static VPMUCounterList *describe_counters(X86CPU *cpu,
                                          const struct vpmu_x86 *pmu)
{
    VPMUCounterList *list = NULL;
    struct vpmu_x86_counter view;
    VPMUCounter counter;

    for (unsigned int i = VPMU_IBS_UNITS; i-- > 0; ) {
        VPMUCounter *unit = x86_ibs_describe(cpu, i);

        if (unit) {
            QAPI_LIST_PREPEND(list, unit);
        }
    }

    for (unsigned int i = VPMU_X86_COUNTER_COUNT; i-- > 0; ) {
        if (describe_counter(pmu, i, &counter, &view)) {
            counter.name = counted_name(&pmu->config, &view);
            QAPI_LIST_PREPEND(list, g_memdup2(&counter, sizeof(counter)));
        }
    }
    return list;
}

static char *version_text(const struct vpmu_x86_config *config)
{
    static const char *const amd[] = {
        [VPMU_X86_AMD_K7] = "amd-k7", [VPMU_X86_AMD_CORE] = "amd-core",
        [VPMU_X86_AMD_V2] = "amd-v2",
    };

    return config->vendor == VPMU_X86_INTEL
        ? g_strdup_printf("intel-%u", config->version)
        : g_strdup(amd[config->version]);
}

static void x86_describe(CPUState *cs, VPMUInfo *info)
{
    const struct vpmu_x86 *pmu = x86_snapshot(cs);

    info->version = version_text(&pmu->config);
    info->event_counters = pmu->config.counters;
    info->counters = describe_counters(X86_CPU(cs), pmu);
    info->has_geometry = true;
    info->geometry = vpmu_model_geometry(&x86_pmu_config(X86_CPU(cs))->model);
}

static VPMUEventList *x86_events(CPUState *cs)
{
    const struct vpmu_x86_config *config = &X86_CPU(cs)->vpmu->pmu.config;
    VPMUEventList *list = NULL;

    for (size_t i = vpmu_x86_events_count; i-- > 0; ) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];
        VPMUEvent *known;

        if (vpmu_x86_event_counted(config, event)) {
            known = g_new0(VPMUEvent, 1);
            known->number = event->select;
            known->name = g_strdup(event->name);
            known->definition = g_strdup(event->manual);
            known->model = g_strdup(vpmu_x86_event_model(config, event));
            QAPI_LIST_PREPEND(list, known);
        }
    }
    return list;
}

static void print_total(void *opaque, unsigned int source, unsigned int ctx,
                        uint64_t value)
{
    const char *name = vpmu_x86_source_name(source);

    if (name) {
        g_string_append_printf(opaque, "  %20" PRIu64 "  %s in %s\n", value,
                               name, vpmu_x86_ctx_name(ctx));
    }
}

static void x86_print(CPUState *cs, GString *text)
{
    struct vpmu_x86 *pmu = x86_snapshot(cs);
    g_autoptr(VPMUCounterList) counters = describe_counters(X86_CPU(cs), pmu);
    g_autofree char *version = version_text(&pmu->config);

    g_string_append_printf(text, "%s, %u counters\n", version,
                           pmu->config.counters);
    vpmu_print_geometry(text, &x86_pmu_config(X86_CPU(cs))->model);
    vpmu_print_counters(text, counters);
    vpmu_print_observers(text, cs, pmu);
    vpmu_visit_totals(&pmu->count, print_total, text);
}

const VPMUCounting x86_vpmu_counting = {
    .observers = x86_observers,
    .parse = x86_parse,
    .observe = x86_observe,
    .unobserve = x86_unobserve,
    .snapshot = x86_snapshot,
    .pmu = x86_pmu,
    .read = x86_read,
    .visit = x86_visit,
    .describe = x86_describe,
    .print = x86_print,
    .events = x86_events,
};
