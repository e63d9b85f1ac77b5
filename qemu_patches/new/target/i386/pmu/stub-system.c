/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine of x86 CPUs without PMUs
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "migration/vmstate.h"

static bool stub_needed(void *opaque)
{
    return false;
}

static int stub_pre_load(void *opaque)
{
    error_report("the stream has an emulated PMU: this QEMU was built without "
                 "the vpmu library");
    return -EINVAL;
}

const VMStateDescription vmstate_x86_vpmu = {
    .name = "cpu/vpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = stub_needed,
    .pre_load = stub_pre_load,
    .fields = (const VMStateField[]) {
        VMSTATE_END_OF_LIST()
    }
};
