/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an x86 CPU for monitor commands: observers, counters of the guest
 *
 * Counters change on the CPU's own thread, without the BQL, so that thread also
 * reads them, between two blocks.
 */

#include "qemu/osdep.h"
#include "monitor/monitor.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qapi/type-helpers.h"
#include "cpu.h"
#include "private.h"
#include "system/vpmu_cpu.h"
#include "vpmu/version.h"

static void take_snapshot(CPUState *cs, run_on_cpu_data data)
{
    X86CPU *cpu = X86_CPU(cs);

    x86_vpmu_here(cpu);
    x86_vpmu_update_limit(cpu);
    vpmu_x86_snapshot_take(cpu->vpmu->snapshot, &cpu->vpmu->pmu, NULL);
}

/*
 * The target's part of system/vpmu_cpu.h
 */

GSList **vpmu_cpu_observers(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);

    return cpu->vpmu ? &cpu->vpmu->observers : NULL;
}

const char *vpmu_cpu_parse(CPUState *cs, const char *event,
                           struct vpmu_observer *counter)
{
    const char *why = NULL;

    vpmu_x86_observer_parse(&X86_CPU(cs)->vpmu->pmu.config, event, counter,
                            &why);
    return why;
}

bool vpmu_cpu_check_gate(CPUState *cs, uint8_t gate, Error **errp)
{
    error_setg(errp, "counters of x86 CPUs switch no observers");
    return false;
}

void *vpmu_cpu_pmu(CPUState *cs)
{
    return &X86_CPU(cs)->vpmu->pmu;
}

void vpmu_cpu_observe(CPUState *cs, struct vpmu_observer *o)
{
    X86CPU *cpu = X86_CPU(cs);

    x86_vpmu_set_halted(cpu, cs->halted);
    vpmu_x86_observer_add(&cpu->vpmu->pmu, o);
}

uint64_t vpmu_cpu_unobserve(CPUState *cs, struct vpmu_observer *o)
{
    return vpmu_x86_observer_remove(x86_vpmu_here(X86_CPU(cs)), o);
}

void *vpmu_cpu_snapshot(CPUState *cs)
{
    X86VPMU *vpmu = X86_CPU(cs)->vpmu;

    if (!vpmu->snapshot) {
        vpmu->snapshot = g_new0(struct vpmu_x86_snapshot, 1);
    }
    run_on_cpu(cs, take_snapshot, RUN_ON_CPU_NULL);
    return &vpmu->snapshot->pmu;
}

uint64_t vpmu_cpu_read(void *pmu, const struct vpmu_observer *o)
{
    return vpmu_x86_observer_read(pmu, o);
}

/* Fills in all but the name of the event; false if it was never used. */
static bool vpmu_counter(const struct vpmu_x86 *pmu, unsigned int index,
                         VPMUCounter *counter, const char **name)
{
    struct vpmu_x86_counter view = { };
    bool used = vpmu_x86_view(pmu, index, &view);

    *name = view.event ? view.event->name : NULL;
    *counter = (VPMUCounter) {
        .index = index,
        .event = view.number,
        .type = view.select,
        .value = view.value,
        .enabled = view.enabled,
        .counting = view.counting,
        .overflow = view.overflowed,
        .interrupt = view.interrupts,
        .has_overflows = true,
        .overflows = view.overflows,
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

void vpmu_cpu_visit(CPUState *cs, void *seen, const VPMUVisit *visit)
{
    static const struct vpmu_x86 no_pmu;
    const struct vpmu_x86 *pmu = seen ?: &no_pmu;
    VPMUCounter counter;
    const char *name;

    for (unsigned int i = 0; i < VPMU_X86_COUNTER_COUNT; i++) {
        if (vpmu_counter(pmu, i, &counter, &name) || visit->schema) {
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

static VPMUCounterList *vpmu_counters(const struct vpmu_x86 *pmu)
{
    VPMUCounterList *list = NULL;
    VPMUCounter counter;
    const char *name;

    for (unsigned int i = VPMU_X86_COUNTER_COUNT; i-- > 0; ) {
        if (vpmu_counter(pmu, i, &counter, &name)) {
            counter.name = g_strdup(name);
            QAPI_LIST_PREPEND(list, g_memdup2(&counter, sizeof(counter)));
        }
    }
    return list;
}

static char *vpmu_version(const struct vpmu_x86_config *config)
{
    static const char *const amd[] = {
        [VPMU_X86_AMD_K7] = "amd-k7", [VPMU_X86_AMD_CORE] = "amd-core",
        [VPMU_X86_AMD_V2] = "amd-v2",
    };

    return config->vendor == VPMU_X86_INTEL
        ? g_strdup_printf("intel-%u", config->version)
        : g_strdup(amd[config->version]);
}

static VPMUInfo *vpmu_info(CPUState *cs)
{
    const struct vpmu_x86 *pmu = vpmu_cpu_snapshot(cs);
    VPMUInfo *info = g_new0(VPMUInfo, 1);

    info->cpu_index = cs->cpu_index;
    info->qom_path = g_strdup(DEVICE(cs)->canonical_path);
    info->version = vpmu_version(&pmu->config);
    info->event_counters = pmu->config.counters;
    info->observers = g_slist_length(*vpmu_cpu_observers(cs));
    info->counters = vpmu_counters(pmu);
    return info;
}

VPMUInfoList *qmp_query_vpmu(Error **errp)
{
    VPMUInfoList *list = NULL;
    VPMUInfoList **tail = &list;

    for (CPUState *cs = NULL; (cs = vpmu_next_cpu(cs)); ) {
        QAPI_LIST_APPEND(tail, vpmu_info(cs));
    }
    return list;
}

VPMUEventList *qmp_query_vpmu_events(Error **errp)
{
    CPUState *cs = vpmu_next_cpu(NULL);
    VPMUEventList *list = NULL;

    for (size_t i = cs ? vpmu_x86_events_count : 0; i-- > 0; ) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];
        const struct vpmu_x86_config *config =
            &X86_CPU(cs)->vpmu->pmu.config;
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

HumanReadableText *qmp_x_query_vpmu(Error **errp)
{
    g_autoptr(GString) text = g_string_new("");

    for (CPUState *cs = NULL; (cs = vpmu_next_cpu(cs)); ) {
        struct vpmu_x86 *pmu = vpmu_cpu_snapshot(cs);
        g_autoptr(VPMUCounterList) counters = vpmu_counters(pmu);
        g_autofree char *version = vpmu_version(&pmu->config);

        g_string_append_printf(text, "CPU %d: %s, %u counters\n",
                               cs->cpu_index, version, pmu->config.counters);
        vpmu_print_counters(text, counters);
        vpmu_print_observers(text, cs, pmu);
        vpmu_visit_totals(&pmu->count, print_total, text);
    }
    if (!text->len) {
        g_string_append(text, "no CPU has a PMU that QEMU emulates\n");
    }
    g_string_prepend(text, "vpmu " VPMU_VERSION "\n");
    return human_readable_text_from_str(text);
}

static void register_hmp(void)
{
    monitor_register_hmp_info_hrt("vpmu", qmp_x_query_vpmu);
}

type_init(register_hmp);
