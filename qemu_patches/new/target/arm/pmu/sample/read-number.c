/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads numbers in a guest's memory, in the byte order of the code that runs
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "sample.h"

bool arm_vpmu_read_number(VPMUReader *reader, uint64_t addr, size_t len,
                          uint64_t *value)
{
    uint8_t buf[sizeof(*value)];

    if (!vpmu_read_virtual(reader, addr, buf, len)) {
        return false;
    }
    *value = arm_cpu_data_is_big_endian(&ARM_CPU(reader->cpu)->env)
             ? ldn_be_p(buf, len) : ldn_le_p(buf, len);
    return true;
}
