/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instruction that is executed next, and alone, because a PEBS record, a
 * sample of IBS or a recording of accesses may describe it
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "parts.h"

void x86_vpmu_note(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;

    cpu->vpmu->limits.shared = 0;
    cpu->vpmu->noted = env->segs[R_CS].base + env->eip;
    cpu->vpmu->noted_ctx = cpu->vpmu->pmu.count.ctx;
    cpu->vpmu->noted_insns =
        env->pmu.totals[cpu->vpmu->noted_ctx][X86_PMU_INSNS];
    cpu->vpmu->noted_element = env->pmu.elements;
    cpu->vpmu->alone = true;
    cpu->vpmu->sampled = (X86Accesses) { };
    cpu->vpmu->sampling = env->pmu.flags_in[cpu->vpmu->noted_ctx] &
                          X86_PMU_DESCRIBED_MASK;
    x86_parts_noted(cpu);
    x86_vpmu_set_flags(cpu);
}

/* Another context was tallied last if the total has not moved by one. */
bool x86_vpmu_is_noted(CPUX86State *env)
{
    const X86VPMU *vpmu = env_archcpu(env)->vpmu;

    return env->pmu.totals[vpmu->noted_ctx][X86_PMU_INSNS] ==
           vpmu->noted_insns + 1;
}

/* If later elements have not been reported, nothing is known of the last. */
const X86Accesses *x86_vpmu_sampled(CPUX86State *env)
{
    static const X86Accesses none;
    const X86VPMU *vpmu = env_archcpu(env)->vpmu;

    return env->pmu.elements - vpmu->noted_element <= 1 ? &vpmu->sampled
                                                        : &none;
}

bool x86_vpmu_is_noted_element(CPUX86State *env)
{
    return x86_vpmu_is_noted(env) &&
           env->pmu.elements == env_archcpu(env)->vpmu->noted_element;
}
