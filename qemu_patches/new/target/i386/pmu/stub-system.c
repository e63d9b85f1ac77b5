/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine of x86 CPUs without PMUs
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "migration/vmstate.h"

static bool stub_needed(void *opaque)
{
    return false;
}

const VMStateDescription vmstate_x86_vpmu = {
    .name = "cpu/vpmu",
    .needed = stub_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_END_OF_LIST()
    }
};
