/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sample of an Arm CPU says: the target's part of system/vpmu_sample.h
 *
 * sample.c    where it is, and spans of the meter
 * unwind.c    call chains
 * unwind32.c  those of AArch32 code
 * thread.c    which thread runs
 * maps.c      which files its program has in memory
 */

#ifndef TARGET_ARM_VPMU_SAMPLE_H
#define TARGET_ARM_VPMU_SAMPLE_H

#include "cpu.h"
#include "private.h"
#include "system/vpmu_sample.h"

/* vpmu_peek() of a number of @len bytes, in the byte order of data. */
bool arm_vpmu_peek_number(VPMUPeek *peek, uint64_t addr, size_t len,
                          uint64_t *value);

/*
 * vpmu_cpu_unwind(): the link register, and the return addresses that the
 * frame pointer leads to; the same of AArch32 code.
 */
unsigned int arm_vpmu_unwind(ARMCPU *cpu, const VPMURecordEntry *entry,
                             uint64_t *chain, unsigned int frames);
unsigned int arm_vpmu_unwind32(ARMCPU *cpu, uint64_t *chain,
                               unsigned int frames);

/*
 * Has a look at the memory of a kernel at @el, 1 or 2, while the CPU is there
 * or below, under the page tables that it has: once more with those that lie
 * @hidden bytes behind, if there was nothing.
 *
 * Returns what that has said last.
 */
bool arm_vpmu_as_kernel(ARMCPU *cpu, unsigned int el, int64_t hidden,
                        bool (*look)(VPMUPeek *peek, void *opaque),
                        void *opaque);

/* The exception level of the kernel of whose programs the sample is. */
static inline unsigned int
arm_vpmu_kernel_el(const struct vpmu_record_sample *sample)
{
    return sample->world == VPMU_WORLD_VHE ? 2 : 1;
}

/*
 * The thread that runs.  The CPU is at @el or below; @el, 1 or 2, is that of
 * its kernel.
 */
VPMUThread arm_vpmu_thread(ARMCPU *cpu, const VPMURecordThreads *where,
                           unsigned int el);

/* The same of its address space. */
bool arm_vpmu_space(ARMCPU *cpu, const VPMURecordThreads *where,
                    unsigned int el, VPMUSpace *space);

#endif
