/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of an Arm CPU
 *
 * sample.c    address, exception level, who runs; windows of the meter
 * accesses.c  accesses of sampled instructions: for a recording, and for SPE
 * unwind.c    call chains of AArch64 code
 * unwind32.c  call chains of AArch32 code
 * thread.c    the thread that runs
 * maps.c      the files that its program has mapped
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

/* Reads a number of @len bytes, in the guest's byte order for data. */
bool arm_vpmu_read_number(VPMUReader *reader, uint64_t addr, size_t len,
                          uint64_t *value);

/*
 * Implement VPMUSamples.unwind() for AArch64 and AArch32 code: the chain is the
 * link register, and the return addresses that the frame pointer leads to.
 */
unsigned int arm_vpmu_unwind(ARMCPU *cpu, const VPMURecordEntry *entry,
                             uint64_t *chain, unsigned int frames);
unsigned int arm_vpmu_unwind32(ARMCPU *cpu, uint64_t *chain,
                               unsigned int frames);

/*
 * Calls @look while the CPU's state is that of a kernel at @el, 1 or 2, so that
 * the kernel's memory can be read.  The CPU must be at @el or below.  If @look
 * returns false, it is called again with the page table that is @hidden bytes
 * further (KPTI).
 *
 * Returns the result of the last call.
 */
bool arm_vpmu_as_kernel(ARMCPU *cpu, unsigned int el, int64_t hidden,
                        bool (*look)(VPMUReader *reader, void *opaque),
                        void *opaque);

/* Returns the exception level of the kernel whose program was sampled. */
static inline unsigned int
arm_vpmu_kernel_el(const struct vpmu_record_sample *sample)
{
    return sample->world == VPMU_WORLD_VHE ? 2 : 1;
}

/*
 * Finds the thread that runs.  @el, 1 or 2, is the level of its kernel.  The
 * CPU is at @el or below.
 */
VPMUThread arm_vpmu_thread(ARMCPU *cpu, const VPMURecordPlaces *where,
                           unsigned int el);

/* VPMUThreads.map */
bool arm_vpmu_map(CPUState *cs, const VPMURecordThreads *where,
                  const struct vpmu_record_sample *sample, uint64_t mm,
                  uint64_t addr, VPMUMap *map);

/* Finds the address space of that thread. */
bool arm_vpmu_space(ARMCPU *cpu, const VPMURecordThreads *where,
                    unsigned int el, VPMUSpace *space);

#endif
