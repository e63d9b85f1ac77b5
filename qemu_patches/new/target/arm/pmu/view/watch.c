/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observers and the meter of Arm CPUs
 *
 * Observers count for the user, not for the guest.  The meter measures what a
 * hypervisor in the machine loses when it switches counters.  Both must see
 * every change of exception level.  The library's watch, which passes these
 * changes on, exists only while there is an observer or the meter is on.
 * stats.c shows the results.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "internals.h"
#include "system/vpmu_target.h"
#include "target/arm/pmu/private.h"

/*
 * The following functions run on the thread of the CPU, while it does not
 * execute.
 */

void arm_vpmu_watch_begin(ARMCPU *cpu)
{
    struct vpmu_arm *pmu = arm_vpmu_here(&cpu->env);

    if (!pmu->watch) {
        cpu->vpmu->watch = g_new0(struct vpmu_watch, 1);
        vpmu_arm_watch_attach(pmu, cpu->vpmu->watch, arm_vpmu_world(cpu));
    }
}

void arm_vpmu_watch_end(ARMCPU *cpu)
{
    if (!cpu->vpmu->meter && !cpu->vpmu->observers && !cpu->vpmu->record) {
        pmu_service(CPU(cpu), vpmu_arm_watch_detach(&cpu->vpmu->pmu));
        g_clear_pointer(&cpu->vpmu->watch, g_free);
    }
}

void arm_vpmu_meter_on(CPUState *cs, run_on_cpu_data data)
{
    ARMCPU *cpu = ARM_CPU(cs);
    struct vpmu_now now;

    arm_vpmu_watch_begin(cpu);
    if (!cpu->vpmu->meter) {
        cpu->vpmu->meter = g_new(struct vpmu_blackout, 1);
    }
    now = arm_vpmu_now(cpu);
    pmu_service(cs, vpmu_arm_blackout_start(&cpu->vpmu->pmu, cpu->vpmu->meter,
                                            &now));
}

void arm_vpmu_meter_off(CPUState *cs, run_on_cpu_data data)
{
    ARMCPU *cpu = ARM_CPU(cs);

    if (cpu->vpmu->meter) {
        pmu_service(cs, vpmu_arm_blackout_stop(&cpu->vpmu->pmu));
        g_clear_pointer(&cpu->vpmu->meter, g_free);
        arm_vpmu_watch_end(cpu);
    }
}

/*
 * Observers
 */

static GSList **observers_of(CPUState *cs)
{
    ARMCPU *cpu = ARM_CPU(cs);

    return cpu->vpmu ? &cpu->vpmu->observers : NULL;
}

static const char *parse_event(CPUState *cs, const char *event,
                               struct vpmu_observer *counter)
{
    const char *why = NULL;

    vpmu_arm_observer_parse(&ARM_CPU(cs)->vpmu->pmu.config, event, counter,
                            &why);
    return why;
}

static bool check_gate(CPUState *cs, uint8_t gate, Error **errp)
{
    unsigned int counters = ARM_CPU(cs)->vpmu->pmu.config.counters;

    if (gate >= counters && gate != VPMU_CYCLE_COUNTER) {
        error_setg(errp, "there is no counter %u: there are %u and the cycle "
                   "counter, which has the number 31", gate, counters);
        return false;
    }
    return true;
}

static void *pmu_of(CPUState *cs)
{
    return &ARM_CPU(cs)->vpmu->pmu;
}

static void observe(CPUState *cs, struct vpmu_observer *o)
{
    ARMCPU *cpu = ARM_CPU(cs);
    struct vpmu_now now;

    arm_vpmu_watch_begin(cpu);
    now = arm_vpmu_now(cpu);
    pmu_service(cs, vpmu_arm_observer_add(&cpu->vpmu->pmu, o, &now));
}

static uint64_t unobserve(CPUState *cs, struct vpmu_observer *o)
{
    ARMCPU *cpu = ARM_CPU(cs);
    struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    struct vpmu_now now = arm_vpmu_now(cpu);
    uint64_t count;

    pmu_service(cs, vpmu_arm_sample(pmu, &now));
    pmu_service(cs, vpmu_arm_observer_remove(pmu, o, &now, &count));
    arm_vpmu_watch_end(cpu);
    return count;
}

static uint64_t read_observer(void *pmu, const struct vpmu_observer *o)
{
    return vpmu_arm_observer_read(pmu, o, NULL);
}

void arm_vpmu_watch_finalize(ARMCPU *cpu)
{
    g_slist_free_full(cpu->vpmu->observers,
                      (GDestroyNotify)vpmu_observer_free);
    g_free(cpu->vpmu->meter);
    g_free(cpu->vpmu->watch);
    g_free(cpu->vpmu->snapshot);
}

const VPMUCounting arm_vpmu_counting = {
    .observers = observers_of,
    .parse = parse_event,
    .check_gate = check_gate,
    .observe = observe,
    .unobserve = unobserve,
    .snapshot = arm_vpmu_snapshot,
    .pmu = pmu_of,
    .read = read_observer,
    .visit = arm_vpmu_visit,
    .describe = arm_vpmu_describe,
    .print = arm_vpmu_print,
    .events = arm_vpmu_events,
};
