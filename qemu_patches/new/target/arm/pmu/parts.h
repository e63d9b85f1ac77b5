/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an Arm CPU's PMU beside its counters: the branch record buffer,
 * SPE, the branches and the accesses of a recording, and the calls of a profile
 */

#ifndef TARGET_ARM_VPMU_PARTS_H
#define TARGET_ARM_VPMU_PARTS_H

#include "private.h"

/*
 * Functions that a part lacks are NULL.  All others do nothing if the CPU does
 * not have the part.
 */
struct ARMPart {
    bool (*realize)(ARMCPU *cpu, Error **errp);
    void (*finalize)(ARMCPU *cpu);
    void (*define_regs)(ARMCPU *cpu);
    void (*reset)(ARMCPU *cpu);
    /* A saved state has been loaded. */
    void (*loaded)(ARMCPU *cpu);
    /* The CPU may leave its context: count what it has executed there. */
    void (*leaving)(ARMCPU *cpu);
    /* The library knows the new context. */
    void (*arrived)(ARMCPU *cpu);
    /* An exception will be taken. */
    void (*excepting)(ARMCPU *cpu);
    /* It has been taken, or the CPU has returned from one. */
    void (*el_changed)(ARMCPU *cpu);
    /* MDCR_EL2 or MDCR_EL3 was written. */
    void (*controlled)(ARMCPU *cpu);
    /* Returns what blocks in a context must tally for the part. */
    uint32_t (*events)(ARMCPU *cpu, unsigned int ctx);
    /*
     * Returns how many instructions a context may execute until leaving() must
     * be called.  due() tells whether they were executed.
     */
    uint64_t (*insns_left)(ARMCPU *cpu, unsigned int ctx);
    bool (*due)(ARMCPU *cpu, unsigned int ctx);
    /* Sets the fields that the part decides. */
    void (*controls)(ARMCPU *cpu, struct vpmu_arm_controls *controls);
};

extern const ARMPart arm_brbe_part;
extern const ARMPart arm_spe_part;
extern const ARMPart arm_branches_part;
extern const ARMPart arm_accesses_part;
extern const ARMPart arm_calls_part;

/* These call the function of each part; see above. */
bool arm_parts_realize(ARMCPU *cpu, Error **errp);
void arm_parts_finalize(ARMCPU *cpu);
void arm_parts_define_regs(ARMCPU *cpu);
void arm_parts_reset(ARMCPU *cpu);
void arm_parts_loaded(ARMCPU *cpu);
void arm_parts_leaving(ARMCPU *cpu);
void arm_parts_arrived(ARMCPU *cpu);
void arm_parts_excepting(ARMCPU *cpu);
void arm_parts_el_changed(ARMCPU *cpu);
void arm_parts_controlled(ARMCPU *cpu);
uint32_t arm_parts_events(ARMCPU *cpu, unsigned int ctx);
uint64_t arm_parts_insns_left(ARMCPU *cpu, unsigned int ctx);
bool arm_parts_due(ARMCPU *cpu, unsigned int ctx);
void arm_parts_controls(ARMCPU *cpu, struct vpmu_arm_controls *controls);

#endif
