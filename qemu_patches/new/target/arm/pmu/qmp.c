/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QMP commands of the PMUs of Arm CPUs, which are the kernel's with KVM, and
 * otherwise those of the vpmu library
 */

#include "qemu/osdep.h"
#include "monitor/monitor.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qapi/type-helpers.h"
#include "cpu.h"
#include "target/arm/pmu/kvm.h"
#include "system/kvm.h"
#include "system/kvm_vpmu.h"
#include "system/hw_accel.h"
#include "system/vpmu_qmp.h"
#include "qmp.h"

void qmp_vpmu_meter(bool enable, bool has_software, bool software,
                    Error **errp)
{
    if (kvm_enabled()) {
        kvm_vpmu_meter(enable, has_software && software, errp);
    } else if (has_software && software) {
        error_setg(errp, "'software' needs KVM, because the meter counts "
                   "software events around KVM_RUN");
    } else {
        arm_vpmu_meter(enable, errp);
    }
}

VPMUInfoList *qmp_query_vpmu(Error **errp)
{
    return kvm_enabled() ? kvm_arm_query_vpmu(errp) : arm_vpmu_query(errp);
}

VPMUEventList *qmp_query_vpmu_events(Error **errp)
{
    if (kvm_enabled()) {
        error_setg(errp, "with KVM only the host's kernel knows what its PMU "
                   "counts");
        return NULL;
    }
    return arm_vpmu_query_events(errp);
}

HumanReadableText *qmp_x_query_vpmu(Error **errp)
{
    g_autoptr(GString) text = g_string_new("");

    if (kvm_enabled()) {
        kvm_vpmu_describe(text);
    } else {
        arm_vpmu_describe(text);
    }
    return human_readable_text_from_str(text);
}

const struct VPMURecorder *vpmu_cpu_recorder(Error **errp)
{
    return kvm_enabled() ? kvm_arm_recorder(errp) : arm_vpmu_recorder(errp);
}

/* Returns TTBR1_EL1, and TTBR1_EL2 of a VHE host. */
void vpmu_cpu_tables(CPUState *cs, VPMUTables *tables)
{
    CPUARMState *env = &ARM_CPU(cs)->env;
    uint64List **tail = &tables->tables;

    cpu_synchronize_state(cs);
    if (arm_feature(env, ARM_FEATURE_AARCH64)) {
        QAPI_LIST_APPEND(tail, env->cp15.ttbr1_el[1]);
        if (env->cp15.hcr_el2 & HCR_E2H) {
            QAPI_LIST_APPEND(tail, env->cp15.ttbr1_el[2]);
        }
    }
}

static void register_hmp(void)
{
    monitor_register_hmp_info_hrt("vpmu", qmp_x_query_vpmu);
}

type_init(register_hmp);
