/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of an x86 CPU's PMU beside its counters: last branch records,
 * instruction-based sampling, the branches of a recording, and the calls of a
 * profile
 */

#ifndef TARGET_I386_VPMU_PARTS_H
#define TARGET_I386_VPMU_PARTS_H

#include "private.h"

/*
 * Functions that a part lacks are NULL.  All others do nothing, or return 0, if
 * the CPU does not have the part.
 */
struct X86Part {
    bool (*realize)(X86CPU *cpu, Error **errp);
    void (*finalize)(X86CPU *cpu);
    void (*reset)(X86CPU *cpu);
    /* Called before the PMU's own state is loaded. */
    void (*loaded)(X86CPU *cpu);
    /* Adds what the part says to the controls of the PMU. */
    void (*controls)(X86CPU *cpu, struct vpmu_x86_controls *controls);
    /* The context or the CPL may have changed. */
    void (*arrived)(X86CPU *cpu);
    /* The next instruction has been noted. */
    void (*noted)(X86CPU *cpu);
    /* The PMU makes an interrupt; VPMU_DUE_REARM is due, too. */
    void (*interrupting)(X86CPU *cpu);
    /* What blocks in a context must tally for the part, and their flags. */
    vpmu_sources (*sources)(X86CPU *cpu, unsigned int ctx);
    uint64_t (*flags)(X86CPU *cpu, unsigned int ctx);
};

extern const X86Part x86_lbr_part;
extern const X86Part x86_branches_part;
extern const X86Part x86_ibs_part;
extern const X86Part x86_calls_part;

/* These call the function of each part; see above. */
bool x86_parts_realize(X86CPU *cpu, Error **errp);
void x86_parts_finalize(X86CPU *cpu);
void x86_parts_reset(X86CPU *cpu);
void x86_parts_loaded(X86CPU *cpu);
void x86_parts_controls(X86CPU *cpu, struct vpmu_x86_controls *controls);
void x86_parts_arrived(X86CPU *cpu);
void x86_parts_noted(X86CPU *cpu);
void x86_parts_interrupting(X86CPU *cpu);
vpmu_sources x86_parts_sources(X86CPU *cpu, unsigned int ctx);
uint64_t x86_parts_flags(X86CPU *cpu, unsigned int ctx);

#endif
