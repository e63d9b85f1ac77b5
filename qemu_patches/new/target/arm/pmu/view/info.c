/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands "info vpmu" and query-vpmu for Arm CPUs
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/compat.h"
#include "target/arm/pmu/private.h"
#include "system/vpmu_model.h"
#include "system/vpmu_target.h"

/* Returns the name of an event; NULL if this machine does not count it. */
static const char *event_name(const struct vpmu_arm *pmu, uint16_t number)
{
    const struct vpmu_arm_event *event;

    event = vpmu_arm_event_at(&pmu->config, number);

    return event && vpmu_arm_event_counted(&pmu->config, event) ? event->name
                                                            : NULL;
}

/*
 * query-vpmu
 */

static VPMUCounterList *describe_counters(const struct vpmu_arm *pmu)
{
    VPMUCounterList *list = NULL;

    for (unsigned int i = VPMU_COUNTER_COUNT; i-- > 0; ) {
        if (arm_vpmu_counter_used(pmu, i)) {
            VPMUCounter counter = arm_vpmu_counter(pmu, i);

            counter.name = g_strdup(event_name(pmu, counter.event));
            QAPI_LIST_PREPEND(list, g_memdup2(&counter, sizeof(counter)));
        }
    }
    return list;
}

/* Before Armv8, ID_DFR0.PerfMon is 2 for PMUv2, and less for PMUv1. */
static const char *version_name(ARMCPU *cpu)
{
    static const char *const versions[] = {
        [VPMU_V3] = "v3", [VPMU_V3P1] = "p1", [VPMU_V3P4] = "p4",
        [VPMU_V3P5] = "p5", [VPMU_V3P7] = "p7", [VPMU_V3P8] = "p8",
        [VPMU_V3P9] = "p9",
    };

    if (!arm_feature(&cpu->env, ARM_FEATURE_V8)) {
        return FIELD_EX32_IDREG(&cpu->isar, ID_DFR0, PERFMON) == 2 ? "v2"
                                                                   : "v1";
    }
    return versions[cpu->vpmu->pmu.config.version];
}

void arm_vpmu_describe(CPUState *cs, VPMUInfo *info)
{
    static const VPMURuns runs[VPMU_WORLD_COUNT] = {
        [VPMU_WORLD_NVHE] = VPMU_RUNS_HOST_EL1,
        [VPMU_WORLD_VHE] = VPMU_RUNS_HOST_EL2,
        [VPMU_WORLD_GUEST] = VPMU_RUNS_GUEST,
    };
    const ARMVPMU *vpmu = ARM_CPU(cs)->vpmu;
    const struct vpmu_arm *pmu = arm_vpmu_snapshot(cs);
    const struct vpmu_watch *watch = vpmu->watch;

    info->version = g_strdup(version_name(ARM_CPU(cs)));
    info->event_counters = pmu->config.counters;
    info->meter = vpmu->meter != NULL;
    info->has_runs = watch != NULL;
    info->runs = watch ? runs[watch->world] : 0;
    info->counters = describe_counters(pmu);
    info->has_geometry = true;
    info->geometry = vpmu_model_geometry(ARM_CPU(cs)->pmu_config.model);
}

/* Before Armv8, an event's number has 8 bits. */
VPMUEventList *arm_vpmu_events(CPUState *cs)
{
    const struct vpmu_arm_config *config = &ARM_CPU(cs)->vpmu->pmu.config;
    const bool v8 = arm_feature(cpu_env(cs), ARM_FEATURE_V8);
    VPMUEventList *list = NULL;

    for (unsigned int number = v8 ? 0x10000 : 0x100; number-- > 0; ) {
        const struct vpmu_arm_event *event = vpmu_arm_event_at(config, number);
        VPMUEvent *known;

        if (event && vpmu_arm_event_counted(config, event)) {
            known = g_new0(VPMUEvent, 1);
            known->number = event->number;
            known->name = g_strdup(event->name);
            known->definition = g_strdup(event->definition);
            known->model = g_strdup(vpmu_arm_event_model(config, event));
            QAPI_LIST_PREPEND(list, known);
        }
    }
    return list;
}

/*
 * info vpmu
 */

static void print_windows(GString *text, const char *name, uint64_t windows,
                          uint64_t sum, uint64_t min, uint64_t max)
{
    if (windows) {
        g_string_append_printf(text, "  %-20s %10" PRIu64 " %14" PRIu64
                               " %8" PRIu64 " %10.1f %8" PRIu64 "\n", name,
                               windows, sum, min, (double)sum / windows, max);
    }
}

static void print_meter(GString *text, const struct vpmu_blackout *b)
{
    g_string_append_printf(text, "  %-20s %10s %14s %8s %10s %8s\n",
                           "blackout", "windows", "instructions", "min",
                           "mean", "max");
    for (unsigned int span = 0; span < VPMU_SPAN_COUNT; span++) {
        const struct vpmu_spread *s = &b->spread[span][VPMU_UNIT_INSTRUCTIONS];

        print_windows(text, arm_vpmu_span_names[span], b->windows[span], s->sum,
                      s->min, s->max);
    }
    for (unsigned int i = 0; i < VPMU_EXIT_REASONS; i++) {
        const struct vpmu_reason *r = &b->reason[i];
        g_autofree char *name = g_strdup_printf("after %s",
                                                vpmu_arm_exit_reason_name(i));

        print_windows(text, name, r->windows, r->sum, r->min, r->max);
    }
}

static void print_exits(GString *text, const struct vpmu_blackout *b)
{
    for (unsigned int i = 0; i < VPMU_EXIT_REASONS; i++) {
        if (b->exits[i]) {
            g_string_append_printf(text, "  %20" PRIu64 "  exits by %s\n",
                                   b->exits[i], vpmu_arm_exit_reason_name(i));
        }
    }
}

static void print_total(void *opaque, unsigned int source, unsigned int ctx,
                        uint64_t value)
{
    g_string_append_printf(opaque, "  %20" PRIu64 "  %s at %s\n", value,
                           vpmu_arm_source_name(source),
                           vpmu_arm_ctx_name(ctx));
}

void arm_vpmu_print(CPUState *cs, GString *text)
{
    static const char *const worlds[] = {
        [VPMU_WORLD_NVHE] = "host (kernel at EL1)",
        [VPMU_WORLD_VHE] = "host (kernel at EL2)",
        [VPMU_WORLD_GUEST] = "guest",
    };
    const ARMVPMU *vpmu = ARM_CPU(cs)->vpmu;
    const struct vpmu_watch *watch = vpmu->watch;
    struct vpmu_arm *pmu = arm_vpmu_snapshot(cs);
    g_autoptr(VPMUCounterList) counters = describe_counters(pmu);

    if (watch) {
        g_string_append_printf(text, "in %s, meter %s\n",
                               worlds[watch->world],
                               vpmu->meter ? "on" : "off");
    } else {
        g_string_append(text, "no observers, meter off\n");
    }
    vpmu_print_geometry(text, ARM_CPU(cs)->pmu_config.model);
    vpmu_print_counters(text, counters);
    vpmu_print_observers(text, cs, pmu);
    vpmu_visit_totals(&pmu->count, print_total, text);
    if (vpmu->meter) {
        print_exits(text, vpmu->meter);
        print_meter(text, vpmu->meter);
    }
}
