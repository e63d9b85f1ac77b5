/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QMP commands of recordings and the meter, for targets that have neither
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"

static void no_record(Error **errp)
{
    error_setg(errp, "this QEMU can neither record nor meter the CPUs of this "
               "machine");
}

void qmp_vpmu_record_start(const char *fd, VPMURecordEventList *events,
                           bool has_values, bool values, bool has_frames,
                           uint16_t frames, const char *branches,
                           VPMURecordThreads *threads,
                           bool has_buffer, uint64_t buffer, bool has_full,
                           VPMURecordFull full, Error **errp)
{
    no_record(errp);
}

void qmp_vpmu_record_stop(Error **errp)
{
    no_record(errp);
}

VPMURecordInfo *qmp_query_vpmu_record(Error **errp)
{
    no_record(errp);
    return NULL;
}

VPMUFound *qmp_vpmu_find(const char *text, bool has_from, uint64_t from,
                         Error **errp)
{
    no_record(errp);
    return NULL;
}

VPMUMemory *qmp_vpmu_read(uint64_t address, uint32_t size, Error **errp)
{
    no_record(errp);
    return NULL;
}

VPMUTablesList *qmp_query_vpmu_tables(Error **errp)
{
    no_record(errp);
    return NULL;
}

void qmp_vpmu_meter(bool enable, bool has_software, bool software,
                    Error **errp)
{
    no_record(errp);
}
