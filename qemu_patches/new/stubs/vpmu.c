/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QMP commands of PMUs, for targets whose PMU QEMU does not emulate
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"

static void no_pmu(Error **errp)
{
    error_setg(errp, "this QEMU emulates no PMU for this machine's CPUs");
}

void qmp_vpmu_observe(const char *event, const char *name,
                      bool has_while_counter, uint8_t while_counter,
                      bool has_lease, uint32_t lease, Error **errp)
{
    no_pmu(errp);
}

void qmp_vpmu_unobserve(const char *name, Error **errp)
{
    no_pmu(errp);
}

VPMUInfoList *qmp_query_vpmu(Error **errp)
{
    no_pmu(errp);
    return NULL;
}

VPMUEventList *qmp_query_vpmu_events(Error **errp)
{
    no_pmu(errp);
    return NULL;
}

HumanReadableText *qmp_x_query_vpmu(Error **errp)
{
    no_pmu(errp);
    return NULL;
}
