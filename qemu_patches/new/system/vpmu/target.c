/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registered target and host, and the commands that they answer:
 * query-vpmu, query-vpmu-events, "info vpmu" and vpmu-meter
 */

#include "qemu/osdep.h"
#include "monitor/monitor.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qapi/type-helpers.h"
#include "qemu/main-loop.h"
#include "system/kvm.h"
#include "system/replay.h"
#include "system/vpmu_target.h"
#include "vpmu/version.h"

const VPMUTarget *vpmu_target;
VPMUTablesFn *vpmu_tables;
static const VPMUHost *registered_host;
static const VPMUHostMeter *registered_meter;

void vpmu_register_target(const VPMUTarget *target)
{
    vpmu_target = target;
}

void vpmu_register_host(const VPMUHost *host)
{
    registered_host = host;
}

void vpmu_register_host_meter(const VPMUHostMeter *meter)
{
    registered_meter = meter;
}

void vpmu_register_tables(VPMUTablesFn *tables)
{
    vpmu_tables = tables;
}

CPUState *vpmu_next_cpu(CPUState *cs)
{
    if (!vpmu_target) {
        return NULL;
    }
    cs = cs ? CPU_NEXT(cs) : first_cpu;
    while (cs && !vpmu_observers(cs)) {
        cs = CPU_NEXT(cs);
    }
    return cs;
}

bool vpmu_cpu_exists(Error **errp)
{
    if (!vpmu_next_cpu(NULL)) {
        error_setg(errp, "no CPU has a PMU that QEMU emulates: "
                   "a CPU needs the property pmu=on and an accelerator other "
                   "than KVM");
        return false;
    }
    return true;
}

void vpmu_run_on_cpu(CPUState *cs, run_on_cpu_func func, run_on_cpu_data data)
{
    bool replays = replay_mode != REPLAY_MODE_NONE && !qemu_cpu_is_self(cs);

    if (replays) {
        replay_mutex_unlock();
    }
    run_on_cpu(cs, func, data);
    if (replays) {
        /* The replay lock is taken before the BQL. */
        bql_unlock();
        replay_mutex_lock();
        bql_lock();
    }
}

const VPMUHost *vpmu_host(void)
{
    return kvm_enabled() ? registered_host : NULL;
}

static const VPMUHostMeter *host_meter(void)
{
    return kvm_enabled() ? registered_meter : NULL;
}

static VPMUInfo *describe_cpu(CPUState *cs)
{
    VPMUInfo *info = g_new0(VPMUInfo, 1);

    info->cpu_index = cs->cpu_index;
    info->qom_path = g_strdup(DEVICE(cs)->canonical_path);
    info->observers = g_slist_length(*vpmu_observers(cs));
    vpmu_target->counting->describe(cs, info);
    return info;
}

VPMUInfoList *qmp_query_vpmu(Error **errp)
{
    VPMUInfoList *list = NULL;
    VPMUInfoList **tail = &list;

    if (vpmu_host()) {
        return vpmu_host()->query ? vpmu_host()->query(errp) : NULL;
    }
    for (CPUState *cs = NULL; (cs = vpmu_next_cpu(cs)); ) {
        QAPI_LIST_APPEND(tail, describe_cpu(cs));
    }
    return list;
}

VPMUEventList *qmp_query_vpmu_events(Error **errp)
{
    CPUState *cs = vpmu_next_cpu(NULL);

    if (vpmu_host()) {
        error_setg(errp, "with KVM only the host's kernel knows what its PMU "
                   "counts");
        return NULL;
    }
    return cs ? vpmu_target->counting->events(cs) : NULL;
}

static void print_cpus(GString *text)
{
    for (CPUState *cs = NULL; (cs = vpmu_next_cpu(cs)); ) {
        g_string_append_printf(text, "CPU %d: ", cs->cpu_index);
        vpmu_target->counting->print(cs, text);
    }
    if (!text->len) {
        g_string_append(text, "no CPU has a PMU that QEMU emulates\n");
    }
    g_string_prepend(text, "vpmu " VPMU_VERSION "\n");
}

HumanReadableText *qmp_x_query_vpmu(Error **errp)
{
    g_autoptr(GString) text = g_string_new("");

    if (host_meter()) {
        host_meter()->print(text);
    } else {
        print_cpus(text);
    }
    return human_readable_text_from_str(text);
}

void qmp_vpmu_meter(bool enable, bool has_software, bool software,
                    Error **errp)
{
    bool wants_software = has_software && software;

    if (host_meter()) {
        host_meter()->set(enable, wants_software);
    } else if (wants_software) {
        error_setg(errp, "'software' needs KVM, because the meter counts "
                   "software events around KVM_RUN");
    } else if (vpmu_target && !vpmu_target->meter) {
        error_setg(errp, "without KVM, the meter is for Arm CPUs");
    } else if (vpmu_cpu_exists(errp)) {
        for (CPUState *cs = NULL; (cs = vpmu_next_cpu(cs)); ) {
            vpmu_run_on_cpu(cs, enable ? vpmu_target->meter->on
                                       : vpmu_target->meter->off,
                            RUN_ON_CPU_NULL);
        }
    }
}

static void register_hmp(void)
{
    monitor_register_hmp_info_hrt("vpmu", qmp_x_query_vpmu);
}

type_init(register_hmp);
