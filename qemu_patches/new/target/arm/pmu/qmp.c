/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QMP commands about the PMUs of Arm CPUs: the vpmu library's when QEMU
 * emulates them, the kernel's with KVM
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
#include "qmp.h"

void qmp_vpmu_meter(bool enable, bool has_software, bool software,
                    Error **errp)
{
    if (kvm_enabled()) {
        kvm_vpmu_meter(enable, has_software && software, errp);
    } else if (has_software && software) {
        error_setg(errp, "'software' needs KVM: software events are counted "
                   "around KVM_RUN");
    } else {
        arm_vpmu_meter(enable, errp);
    }
}

VPMUInfoList *qmp_query_vpmu(Error **errp)
{
    return kvm_enabled() ? kvm_arm_query_vpmu(errp) : arm_vpmu_query(errp);
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

static void register_hmp(void)
{
    monitor_register_hmp_info_hrt("vpmu", qmp_x_query_vpmu);
}

type_init(register_hmp);
