/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QMP commands of PMUs, for targets without PMUs and without the vpmu library
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

void qmp_vpmu_record_start(const char *fd, VPMURecordEventList *events,
                           bool has_values, bool values, bool has_frames,
                           uint16_t frames, bool has_stack, uint32_t stack,
                           const char *branches,
                           bool has_accesses, bool accesses,
                           VPMURecordThreads *threads,
                           bool has_buffer, uint64_t buffer, bool has_full,
                           VPMURecordFull full, bool has_max_percent,
                           uint8_t max_percent, Error **errp)
{
    no_pmu(errp);
}

void qmp_vpmu_record_guest(uint64_t vttbr, VPMURecordPlaces *places,
                           Error **errp)
{
    no_pmu(errp);
}

void qmp_vpmu_record_stop(Error **errp)
{
    no_pmu(errp);
}

VPMURecordInfo *qmp_query_vpmu_record(Error **errp)
{
    no_pmu(errp);
    return NULL;
}

VPMUFound *qmp_vpmu_find(const char *text, bool has_from, uint64_t from,
                         Error **errp)
{
    no_pmu(errp);
    return NULL;
}

VPMUMemory *qmp_vpmu_read(uint64_t address, uint32_t size, Error **errp)
{
    no_pmu(errp);
    return NULL;
}

VPMUTablesList *qmp_query_vpmu_tables(Error **errp)
{
    no_pmu(errp);
    return NULL;
}

void qmp_vpmu_meter(bool enable, bool has_software, bool software,
                    Error **errp)
{
    no_pmu(errp);
}
