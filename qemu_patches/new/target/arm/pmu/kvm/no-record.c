/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without the vpmu library, QEMU has no recorder
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"

static void vpmu_missing(Error **errp)
{
    error_setg(errp, "this QEMU was built without the vpmu library");
}

void qmp_vpmu_record_start(const char *fd, VPMURecordEventList *events,
                           bool has_values, bool values, bool has_frames,
                           uint16_t frames, const char *branches,
                           VPMURecordThreads *threads,
                           bool has_buffer, uint64_t buffer, bool has_full,
                           VPMURecordFull full, Error **errp)
{
    vpmu_missing(errp);
}

void qmp_vpmu_record_stop(Error **errp)
{
    vpmu_missing(errp);
}

VPMURecordInfo *qmp_query_vpmu_record(Error **errp)
{
    vpmu_missing(errp);
    return NULL;
}
