/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of guests of SVM
 */

#ifndef TARGET_I386_PMU_SAMPLE_NESTED_H
#define TARGET_I386_PMU_SAMPLE_NESTED_H

#include "system/vpmu_target.h"

/* VPMUSamples.guest and VPMUSamples.translate. */
void x86_guest_describe(CPUState *cs, struct vpmu_record_guest *guest);
bool x86_translate(CPUState *cs, uint64_t page, TranslateForDebugResult *at);

/*
 * Can x86_translate() read the memory of the code that runs?  Page tables of
 * guests and of their hypervisors must be those of long mode.
 */
bool x86_reads_guest(const CPUX86State *env);

/*
 * Reads the CR3 that VMRUN has saved: that of the program that runs the guest.
 * Returns false if no guest of SVM runs, or it is not in RAM.
 */
bool x86_saved_cr3(CPUState *cs, uint64_t *cr3);

#endif
