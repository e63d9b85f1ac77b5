/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of an Arm CPU
 *
 * sample.c    address, exception level, who runs; windows of the meter
 * accesses.c  accesses of sampled instructions: for a recording, and for SPE
 * unwind.c    call chains of AArch64 code
 * unwind32.c  call chains of AArch32 code
 * thread.c    reading the memory of a kernel, for threads
 */

#ifndef TARGET_ARM_VPMU_SAMPLE_H
#define TARGET_ARM_VPMU_SAMPLE_H

#include "cpu.h"
#include "target/arm/pmu/private.h"
#include "system/vpmu_sample.h"

/* What a target has; see vpmu_target.h. */
extern const struct VPMUSamples arm_samples;
extern const struct VPMUThreads arm_threads;
extern const struct VPMUMeter arm_meter;

/*
 * Implement VPMUSamples.unwind() for AArch64 and AArch32 code: the chain is the
 * link register, and the return addresses that the frame pointer leads to.
 */
unsigned int arm_vpmu_unwind(ARMCPU *cpu, const VPMURecordEntry *entry,
                             uint64_t *chain, unsigned int frames);
unsigned int arm_vpmu_unwind32(ARMCPU *cpu, uint64_t *chain,
                               unsigned int frames);

/* Implements VPMUSamples.registers(). */
uint64_t arm_vpmu_registers(ARMCPU *cpu,
                            const struct vpmu_record_sample *sample,
                            const VPMURecordEntry *entry, VPMUStack *stack);

#endif
