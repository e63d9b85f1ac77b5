/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A view of the PMU of Arm CPUs from outside of the machine
 *
 * Observers count for the user, not for the guest.  The meter tells what a
 * hypervisor in the guest loses when it switches counters.  Both need to be
 * told of every change of exception level; that is done while there is one
 * of them.  What they found is in stats.c.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "cpu.h"
#include "internals.h"
#include "syndrome.h"
#include "system/stats.h"
#include "private.h"
#include "qmp.h"

/* More than anybody needs: a CPU looks at each whenever who runs changes. */
#define MAX_OBSERVERS 128
#define MAX_LEASE 86400

typedef struct ARMVPMUObserver {
    struct vpmu_observer counter;
    char *name;
} ARMVPMUObserver;

/*
 * Who runs
 */

enum vpmu_world arm_vpmu_world(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;

    return vpmu_watch_world(cpu->vpmu->watch, arm_current_el(env),
                            arm_hcr_el2_eff(env), env->cp15.vttbr_el2);
}

/* Why a guest has just stopped running. */
static unsigned int vpmu_exit_reason(ARMCPU *cpu)
{
    switch (CPU(cpu)->exception_index) {
    case EXCP_IRQ:
    case EXCP_NMI:
        return VPMU_EXIT_IRQ;
    case EXCP_FIQ:
        return VPMU_EXIT_FIQ;
    default:
        return syn_get_ec(cpu->env.cp15.esr_el[2]);
    }
}

void arm_vpmu_watch_moved(ARMCPU *cpu)
{
    struct vpmu *pmu = &cpu->vpmu->pmu;

    vpmu_watch_moved(pmu, arm_pmu_context(&cpu->env), arm_vpmu_world(cpu),
                     vpmu_exit_reason(cpu));
}

static uint64_t vpmu_watch_clock(void *opaque)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/*
 * All of the following is done on the thread of the CPU, which does not
 * execute meanwhile.
 */

void arm_vpmu_watch_begin(ARMCPU *cpu)
{
    struct vpmu *pmu = arm_vpmu_here(&cpu->env);

    if (!pmu->watch) {
        cpu->vpmu->watch = g_new0(struct vpmu_watch, 1);
        vpmu_watch_attach(pmu, cpu->vpmu->watch, vpmu_watch_clock,
                          arm_vpmu_world(cpu));
    }
}

void arm_vpmu_watch_end(ARMCPU *cpu)
{
    if (!cpu->vpmu->meter && !cpu->vpmu->observers && !cpu->vpmu->record) {
        vpmu_watch_detach(&cpu->vpmu->pmu);
        g_clear_pointer(&cpu->vpmu->watch, g_free);
    }
}

static void vpmu_meter_on(CPUState *cs, run_on_cpu_data data)
{
    ARMCPU *cpu = ARM_CPU(cs);

    arm_vpmu_watch_begin(cpu);
    if (!cpu->vpmu->meter) {
        cpu->vpmu->meter = g_new(struct vpmu_blackout, 1);
    }
    vpmu_blackout_start(&cpu->vpmu->pmu, cpu->vpmu->meter);
    arm_vpmu_record_meter(cpu);
}

static void vpmu_meter_off(CPUState *cs, run_on_cpu_data data)
{
    ARMCPU *cpu = ARM_CPU(cs);

    if (cpu->vpmu->meter) {
        vpmu_blackout_stop(&cpu->vpmu->pmu);
        g_clear_pointer(&cpu->vpmu->meter, g_free);
        arm_vpmu_watch_end(cpu);
    }
}

static ARMVPMUObserver *vpmu_find_observer(ARMCPU *cpu, const char *name)
{
    for (GSList *item = cpu->vpmu->observers; item; item = item->next) {
        ARMVPMUObserver *o = item->data;

        if (g_str_equal(o->name, name)) {
            return o;
        }
    }
    return NULL;
}

static void vpmu_observer_on(CPUState *cs, run_on_cpu_data data)
{
    ARMCPU *cpu = ARM_CPU(cs);
    ARMVPMUObserver *o = data.host_ptr;

    arm_vpmu_watch_begin(cpu);
    vpmu_observer_add(&cpu->vpmu->pmu, &o->counter);
    cpu->vpmu->observers = g_slist_append(cpu->vpmu->observers, o);
}

static void vpmu_observer_free(ARMVPMUObserver *o)
{
    g_free(o->name);
    g_free(o);
}

static void vpmu_observer_off(CPUState *cs, run_on_cpu_data data)
{
    ARMCPU *cpu = ARM_CPU(cs);
    ARMVPMUObserver *o = vpmu_find_observer(cpu, data.host_ptr);

    if (o) {
        vpmu_observer_remove(&cpu->vpmu->pmu, &o->counter);
        cpu->vpmu->observers = g_slist_remove(cpu->vpmu->observers, o);
        vpmu_observer_free(o);
        arm_vpmu_watch_end(cpu);
    }
}

void arm_vpmu_watch_finalize(ARMCPU *cpu)
{
    g_slist_free_full(cpu->vpmu->observers,
                      (GDestroyNotify)vpmu_observer_free);
    g_free(cpu->vpmu->meter);
    g_free(cpu->vpmu->watch);
    g_free(cpu->vpmu->view);
}

void arm_vpmu_visit_observers(ARMCPU *cpu, struct vpmu *seen,
                              ARMVPMUObserverFn *fn, void *opaque)
{
    for (GSList *item = cpu->vpmu->observers; item; item = item->next) {
        ARMVPMUObserver *o = item->data;

        fn(opaque, o->name, vpmu_observer_read(seen, &o->counter));
    }
}

/*
 * Commands
 */

ARMCPU *arm_vpmu_next_cpu(ARMCPU *cpu)
{
    CPUState *cs = cpu ? CPU_NEXT(CPU(cpu)) : first_cpu;

    while (cs && !ARM_CPU(cs)->vpmu) {
        cs = CPU_NEXT(cs);
    }
    return cs ? ARM_CPU(cs) : NULL;
}

bool arm_vpmu_exists(Error **errp)
{
    if (!arm_vpmu_next_cpu(NULL)) {
        error_setg(errp, "no CPU has a PMU that QEMU emulates; "
                   "they need the property pmu=on and an accelerator that "
                   "is not KVM");
        return false;
    }
    return true;
}

void arm_vpmu_meter(bool enable, Error **errp)
{
    if (!arm_vpmu_exists(errp)) {
        return;
    }
    for (ARMCPU *cpu = NULL; (cpu = arm_vpmu_next_cpu(cpu)); ) {
        run_on_cpu(CPU(cpu), enable ? vpmu_meter_on : vpmu_meter_off,
                   RUN_ON_CPU_NULL);
    }
}

static bool vpmu_check_gate(ARMCPU *cpu, bool has_gate, uint8_t gate,
                            Error **errp)
{
    unsigned int counters = cpu->vpmu->pmu.config.counters;

    if (has_gate && gate >= counters && gate != VPMU_CYCLE_COUNTER) {
        error_setg(errp, "there is no counter %u: there are %u and the "
                   "cycle counter, which is 31", gate, counters);
        return false;
    }
    return true;
}

static ARMVPMUObserver *vpmu_observer_new(ARMCPU *cpu, const char *event,
                                          const char *name, Error **errp)
{
    g_autofree ARMVPMUObserver *o = g_new0(ARMVPMUObserver, 1);
    const char *why;

    if (vpmu_observer_parse(&cpu->vpmu->pmu.config, event, &o->counter,
                            &why)) {
        error_setg(errp, "cannot observe '%s': %s", event, why);
        return NULL;
    }
    o->name = g_strdup(name);
    return g_steal_pointer(&o);
}

/*
 * Observers that go when nobody reads them any more
 */

typedef struct VPMULease {
    QEMUTimer *timer;
    int64_t ms;
} VPMULease;

/* By the observer's name. */
static GHashTable *vpmu_leases;

static void vpmu_lease_free(void *opaque)
{
    VPMULease *lease = opaque;

    timer_free(lease->timer);
    g_free(lease);
}

static void vpmu_remove_observer(const char *name)
{
    for (ARMCPU *cpu = NULL; (cpu = arm_vpmu_next_cpu(cpu)); ) {
        run_on_cpu(CPU(cpu), vpmu_observer_off,
                   RUN_ON_CPU_HOST_PTR((void *)name));
    }
    if (vpmu_leases) {
        g_hash_table_remove(vpmu_leases, name);
    }
}

static void vpmu_lease_ends(void *opaque)
{
    g_autofree char *name = g_strdup(opaque);

    vpmu_remove_observer(name);
}

static void vpmu_lease_renew(VPMULease *lease)
{
    timer_mod(lease->timer,
              qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + lease->ms);
}

static void vpmu_lease_begin(const char *name, uint32_t seconds)
{
    VPMULease *lease = g_new(VPMULease, 1);
    char *key = g_strdup(name);

    if (!vpmu_leases) {
        vpmu_leases = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                            vpmu_lease_free);
    }
    lease->ms = seconds * 1000ll;
    lease->timer = timer_new_ms(QEMU_CLOCK_REALTIME, vpmu_lease_ends, key);
    g_hash_table_insert(vpmu_leases, key, lease);
    vpmu_lease_renew(lease);
}

void arm_vpmu_observers_read(strList *names)
{
    GHashTableIter iter;
    void *name, *lease;

    if (!vpmu_leases) {
        return;
    }
    g_hash_table_iter_init(&iter, vpmu_leases);
    while (g_hash_table_iter_next(&iter, &name, &lease)) {
        g_autofree char *stat = g_strdup_printf("observer/%s", (char *)name);

        if (apply_str_list_filter(stat, names)) {
            vpmu_lease_renew(lease);
        }
    }
}

/*
 * Making and removing them
 */

static bool vpmu_check_name(const char *name, Error **errp)
{
    ARMCPU *first = arm_vpmu_next_cpu(NULL);

    if (strlen(name) > ARM_VPMU_OBSERVER_NAME) {
        error_setg(errp, "the name of an observer can have %d characters, "
                   "not %zu", ARM_VPMU_OBSERVER_NAME, strlen(name));
        return false;
    }
    if (vpmu_find_observer(first, name)) {
        error_setg(errp, "there is an observer '%s' already", name);
        return false;
    }
    if (g_slist_length(first->vpmu->observers) >= MAX_OBSERVERS) {
        error_setg(errp, "there are %d observers already; there can be no "
                   "more", MAX_OBSERVERS);
        return false;
    }
    return true;
}

static bool vpmu_check_lease(bool has_lease, uint32_t lease, Error **errp)
{
    if (has_lease && (lease < 1 || lease > MAX_LEASE)) {
        error_setg(errp, "a lease has 1 to %d seconds, not %u", MAX_LEASE,
                   lease);
        return false;
    }
    return true;
}

void qmp_vpmu_observe(const char *event, const char *name, bool has_gate,
                      uint8_t gate, bool has_lease, uint32_t lease,
                      Error **errp)
{
    g_autoptr(GPtrArray) all =
        g_ptr_array_new_with_free_func((GDestroyNotify)vpmu_observer_free);
    unsigned int i = 0;

    if (!arm_vpmu_exists(errp) || !vpmu_check_lease(has_lease, lease, errp)) {
        return;
    }
    for (ARMCPU *cpu = NULL; (cpu = arm_vpmu_next_cpu(cpu)); ) {
        ARMVPMUObserver *o = vpmu_check_gate(cpu, has_gate, gate, errp)
            ? vpmu_observer_new(cpu, event, name ?: event, errp) : NULL;

        if (!o) {
            return;
        }
        o->counter.gate = has_gate ? gate : VPMU_UNGATED;
        g_ptr_array_add(all, o);
    }
    name = name ?: event;
    if (!vpmu_check_name(name, errp)) {
        return;
    }
    for (ARMCPU *cpu = NULL; (cpu = arm_vpmu_next_cpu(cpu)); ) {
        run_on_cpu(CPU(cpu), vpmu_observer_on,
                   RUN_ON_CPU_HOST_PTR(all->pdata[i++]));
    }
    g_ptr_array_set_free_func(all, NULL);
    if (has_lease) {
        vpmu_lease_begin(name, lease);
    }
}

void qmp_vpmu_unobserve(const char *name, Error **errp)
{
    if (!arm_vpmu_exists(errp)) {
        return;
    }
    if (!vpmu_find_observer(arm_vpmu_next_cpu(NULL), name)) {
        error_setg(errp, "there is no observer '%s'", name);
        return;
    }
    vpmu_remove_observer(name);
}
