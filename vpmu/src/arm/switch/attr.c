/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "vpmu/arm/attr.h"

#include "../../refuse.h"
#include "vpmu/arm/fields.h"

static const char *find_fault(unsigned mode, const struct vpmu_attr *attr)
{
    if (mode > VPMU_HOST_GUEST) {
        return "no such host mode; there are VHE, nVHE and guest";
    }
    if (attr->exclude_idle) {
        return "exclude_idle is not supported: no PMU filter selects idle time";
    }
    return NULL;
}

/*
 * The kernel of a VHE host runs at EL2 and its guests run at EL1, so the exception levels separate
 * host and guest, except EL0, which the switch moves. On other hosts both use the same levels, and
 * the switch separates them.
 */
static uint64_t filter_of(bool vhe, const struct vpmu_attr *attr)
{
    bool p = attr->exclude_kernel || (vhe && attr->exclude_guest);
    bool u = attr->exclude_user || (vhe && attr->exclude_host);
    bool nsh = !attr->exclude_host && !(vhe ? attr->exclude_kernel : attr->exclude_hv);

    return (p ? VPMU_TYPER_P : 0) | (u ? VPMU_TYPER_U : 0) | (nsh ? VPMU_TYPER_NSH : 0);
}

int vpmu_arm_attr_plan(enum vpmu_host_mode mode, const struct vpmu_attr *attr,
                       struct vpmu_plan *plan, const char **why)
{
    const char *fault = find_fault(mode, attr);
    bool vhe = mode == VPMU_HOST_VHE;
    bool switched = !(vhe && attr->exclude_user) && attr->exclude_host != attr->exclude_guest;

    if (fault) {
        return vpmu_refuse_(fault, VPMU_ERR_ATTR, why);
    }
    plan->filter = filter_of(vhe, attr);
    plan->host = switched && !attr->exclude_host;
    plan->guest = switched && !attr->exclude_guest;
    plan->deferred = !vhe && attr->exclude_host;
    return 0;
}
