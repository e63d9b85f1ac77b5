/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observers of emulated PMUs: their names, their leases, and the commands that
 * add and remove them
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qemu/timer.h"
#include "system/stats.h"
#include "system/vpmu_target.h"

/* The cost is bounded: a CPU visits each observer whenever who runs changes. */
#define MAX_OBSERVERS 128
#define MAX_LEASE 86400

void vpmu_observer_free(VPMUObserver *o)
{
    g_free(o->name);
    g_free(o);
}

static VPMUObserver *find_observer(CPUState *cs, const char *name)
{
    for (GSList *item = *vpmu_observers(cs); item; item = item->next) {
        VPMUObserver *o = item->data;

        if (g_str_equal(o->name, name)) {
            return o;
        }
    }
    return NULL;
}

static void observer_on(CPUState *cs, run_on_cpu_data data)
{
    VPMUObserver *o = data.host_ptr;
    GSList **observers = vpmu_observers(cs);

    vpmu_target->counting->observe(cs, &o->counter);
    *observers = g_slist_append(*observers, o);
}

static void observer_off(CPUState *cs, run_on_cpu_data data)
{
    VPMUObserver *o = find_observer(cs, data.host_ptr);
    GSList **observers = vpmu_observers(cs);

    if (o) {
        *observers = g_slist_remove(*observers, o);
        vpmu_target->counting->unobserve(cs, &o->counter);
        vpmu_observer_free(o);
    }
}

/*
 * Leases: an observer is removed if nobody reads it for a while
 */

typedef struct VPMULease {
    QEMUTimer *timer;
    int64_t ms;
} VPMULease;

/* The keys are the observers' names. */
static GHashTable *vpmu_leases;

static void lease_free(void *opaque)
{
    VPMULease *lease = opaque;

    timer_free(lease->timer);
    g_free(lease);
}

static void remove_observer(const char *name)
{
    for (CPUState *cs = NULL; (cs = vpmu_next_cpu(cs)); ) {
        vpmu_run_on_cpu(cs, observer_off,
                        RUN_ON_CPU_HOST_PTR((void *)name));
    }
    if (vpmu_leases) {
        g_hash_table_remove(vpmu_leases, name);
    }
}

static void lease_ends(void *opaque)
{
    g_autofree char *name = g_strdup(opaque);

    remove_observer(name);
}

static void lease_renew(VPMULease *lease)
{
    timer_mod(lease->timer,
              qemu_clock_get_ms(QEMU_CLOCK_REALTIME) + lease->ms);
}

static void lease_begin(const char *name, uint32_t seconds)
{
    VPMULease *lease = g_new(VPMULease, 1);
    char *key = g_strdup(name);

    if (!vpmu_leases) {
        vpmu_leases = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                            lease_free);
    }
    lease->ms = seconds * 1000ll;
    lease->timer = timer_new_ms(QEMU_CLOCK_REALTIME, lease_ends, key);
    g_hash_table_insert(vpmu_leases, key, lease);
    lease_renew(lease);
}

void vpmu_observers_read(strList *names)
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
            lease_renew(lease);
        }
    }
}

/*
 * Adding and removing observers
 */

static bool is_printable(const char *name)
{
    for (const char *p = name; *p; p = g_utf8_next_char(p)) {
        if (!g_unichar_isprint(g_utf8_get_char(p))) {
            return false;
        }
    }
    return *name;
}

static bool check_name(const char *name, Error **errp)
{
    CPUState *first = vpmu_next_cpu(NULL);

    if (!is_printable(name)) {
        error_setg(errp, "the name of an observer must have characters, all "
                   "of them printable");
        return false;
    }
    if (strlen(name) > VPMU_OBSERVER_NAME) {
        error_setg(errp, "the name of an observer can have at most %d "
                   "characters, not %zu", VPMU_OBSERVER_NAME, strlen(name));
        return false;
    }
    if (find_observer(first, name)) {
        error_setg(errp, "there is an observer '%s' already", name);
        return false;
    }
    if (g_slist_length(*vpmu_observers(first)) >= MAX_OBSERVERS) {
        error_setg(errp, "there are %d observers already, which is the limit; "
                   "vpmu-unobserve removes one", MAX_OBSERVERS);
        return false;
    }
    return true;
}

static bool check_lease(bool has_lease, uint32_t lease, Error **errp)
{
    if (has_lease && (lease < 1 || lease > MAX_LEASE)) {
        error_setg(errp, "'lease' must be 1 to %d seconds, not %u", MAX_LEASE,
                   lease);
        return false;
    }
    return true;
}

static VPMUObserver *observer_new(CPUState *cs, const char *event,
                                  const char *name, Error **errp)
{
    g_autofree VPMUObserver *o = g_new0(VPMUObserver, 1);
    const char *why = vpmu_target->counting->parse(cs, event, &o->counter);

    if (why) {
        error_setg(errp, "cannot observe '%s': %s", event, why);
        return NULL;
    }
    o->name = g_strdup(name);
    return g_steal_pointer(&o);
}

static bool check_gate(CPUState *cs, uint8_t gate, Error **errp)
{
    if (!vpmu_target->counting->check_gate) {
        error_setg(errp, "counters of this CPU switch no observers");
        return false;
    }
    return vpmu_target->counting->check_gate(cs, gate, errp);
}

void qmp_vpmu_observe(const char *event, const char *name, bool has_gate,
                      uint8_t gate, bool has_lease, uint32_t lease,
                      Error **errp)
{
    g_autoptr(GPtrArray) all =
        g_ptr_array_new_with_free_func((GDestroyNotify)vpmu_observer_free);
    unsigned int i = 0;

    if (!vpmu_cpu_exists(errp) || !check_lease(has_lease, lease, errp)) {
        return;
    }
    for (CPUState *cs = NULL; (cs = vpmu_next_cpu(cs)); ) {
        VPMUObserver *o = !has_gate || check_gate(cs, gate, errp)
            ? observer_new(cs, event, name ?: event, errp) : NULL;

        if (!o) {
            return;
        }
        o->counter.gate = has_gate ? gate : VPMU_UNGATED;
        g_ptr_array_add(all, o);
    }
    name = name ?: event;
    if (!check_name(name, errp)) {
        return;
    }
    for (CPUState *cs = NULL; (cs = vpmu_next_cpu(cs)); ) {
        vpmu_run_on_cpu(cs, observer_on,
                        RUN_ON_CPU_HOST_PTR(all->pdata[i++]));
    }
    g_ptr_array_set_free_func(all, NULL);
    if (has_lease) {
        lease_begin(name, lease);
    }
}

void qmp_vpmu_unobserve(const char *name, Error **errp)
{
    if (!vpmu_cpu_exists(errp)) {
        return;
    }
    if (!find_observer(vpmu_next_cpu(NULL), name)) {
        error_setg(errp, "there is no observer '%s'", name);
        return;
    }
    remove_observer(name);
}
