/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sample of an Arm CPU says: the target's part of system/vpmu_sample.h
 *
 * sample.c    where it is, and spans of the meter
 * unwind.c    call chains
 * unwind32.c  those of AArch32 code
 * thread.c    which thread runs
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
unsigned int arm_vpmu_unwind(ARMCPU *cpu, uint64_t *chain, unsigned int frames);
unsigned int arm_vpmu_unwind32(ARMCPU *cpu, uint64_t *chain,
                               unsigned int frames);

/*
 * The thread that runs.  The CPU is at @el or below; @el, 1 or 2, is that of
 * its kernel.
 */
VPMUThread arm_vpmu_thread(ARMCPU *cpu, const VPMURecordThreads *where,
                           unsigned int el);

#endif
