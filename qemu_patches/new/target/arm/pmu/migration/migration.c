/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an Arm CPU in a migration stream, for machine.c
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "internals.h"
#include "system/kvm.h"
#include "target/arm/pmu/kvm.h"

/*
 * A stream may have registers that are not in our list.  They belong to the PMU
 * of a QEMU without vpmu, or to features that this CPU does not have.  We
 * accept the former, and report the latter.  Before QEMU 11, the arrays have no
 * more room than our list.
 */
#define UNKNOWN_REGS_MAX 256

void arm_pmu_pre_load(ARMCPU *cpu)
{
#if QEMU_VERSION_MAJOR < 11
    int room = cpu->cpreg_array_len + UNKNOWN_REGS_MAX;

    cpu->cpreg_vmstate_indexes = g_renew(uint64_t, cpu->cpreg_vmstate_indexes,
                                         room);
    cpu->cpreg_vmstate_values = g_renew(uint64_t, cpu->cpreg_vmstate_values,
                                        room);
    cpu->cpreg_vmstate_array_len = room;
#endif
    arm_vpmu_pre_load(cpu);
}

static void report_unknown(ARMCPU *cpu, uint64_t id)
{
    error_report("CPU %d has no register 0x%" PRIx64 ", which is in the "
                 "stream: the source has another CPU type, another option "
                 "of -M such as virtualization=on, or another 'pmu' or "
                 "'num-pmu-counters'",
                 CPU(cpu)->cpu_index, id);
}

/*
 * Is each register in the list, which has just been read, one of ours or of the
 * PMU?  A list of another CPU type may be longer than ours, too.  From version
 * 11 on, QEMU accepts some registers that it does not know, and checks the
 * others itself.
 */
bool arm_pmu_knows_registers(void *opaque, int version_id)
{
#if QEMU_VERSION_MAJOR < 11
    ARMCPU *cpu = opaque;
    int i = 0;

    for (int v = 0; !kvm_enabled() && v < cpu->cpreg_vmstate_array_len; v++) {
        uint64_t id = cpu->cpreg_vmstate_indexes[v];

        while (i < cpu->cpreg_array_len && cpu->cpreg_indexes[i] < id) {
            i++;
        }
        if ((i == cpu->cpreg_array_len || cpu->cpreg_indexes[i] != id) &&
            arm_vpmu_reg_of_id(cpu, id) < 0) {
            report_unknown(cpu, id);
            return false;
        }
    }
#endif
    return true;
}

/* Takes a register that is in the stream's list and not in ours. */
bool arm_pmu_take_register(ARMCPU *cpu, uint64_t id, uint64_t value)
{
    Error *err = NULL;

    if (kvm_enabled() ? kvm_arm_take_register(cpu, id, value, &err)
                      : arm_vpmu_take_register(cpu, id, value)) {
        return true;
    }
    if (err) {
        error_report_err(err);
    } else {
        report_unknown(cpu, id);
    }
    return false;
}

bool arm_pmu_take_registers(ARMCPU *cpu, int v)
{
    Error *err = NULL;

    for (; v < cpu->cpreg_vmstate_array_len; v++) {
        arm_vpmu_take_register(cpu, cpu->cpreg_vmstate_indexes[v],
                               cpu->cpreg_vmstate_values[v]);
    }
    if (!arm_vpmu_in_stream(cpu, &err)) {
        error_report_err(err);
        return false;
    }
    return true;
}

bool arm_pmu_post_load(ARMCPU *cpu)
{
    Error *err = NULL;

    if (kvm_enabled() ? kvm_arm_pmu_restore(cpu, &err)
                      : arm_vpmu_post_load(cpu, &err)) {
        return true;
    }
    error_report_err(err);
    return false;
}
