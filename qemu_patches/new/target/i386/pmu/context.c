/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of an x86 CPU that its PMU depends on: the context, controls, and
 * whether the CPU halts
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "tcg/vpmu-profile.h"
#include "parts.h"

void x86_vpmu_rearm(X86CPU *cpu)
{
    pmu_service(CPU(cpu), VPMU_DUE_REARM);
}

void x86_vpmu_set_flags(X86CPU *cpu)
{
    CPUX86PMUState *s = &cpu->env.pmu;

    s->flags = s->flags_in[cpu->vpmu->pmu.count.ctx] |
               (cpu->vpmu->sampling ? X86_PMU_SAMPLED_MASK : 0);
    if (s->profile) {
        vpmu_profile_follow(CPU(cpu), cpu->vpmu->pmu.count.ctx);
    }
}

static int set_controls(X86CPU *cpu, bool halted)
{
    struct vpmu_now now = x86_vpmu_now(cpu);
    struct vpmu_x86_controls controls = {
        .svme = cpu->env.efer & MSR_EFER_SVME,
        .halted = halted,
    };

    x86_parts_controls(cpu, &controls);
    return vpmu_x86_set_controls(&cpu->vpmu->pmu, &controls, &now);
}

void x86_vpmu_set_controls(X86CPU *cpu, bool halted)
{
    pmu_service(CPU(cpu), set_controls(cpu, halted));
}

/* Tells the library the context.  Returns what is due. */
static int set_context(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;
    struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = x86_pmu_context(env->hflags);
    struct vpmu_now now;
    const struct vpmu_now *time;

    if (ctx == pmu->count.ctx) {
        return 0;
    }
    time = x86_vpmu_now_if(cpu, vpmu_x86_leaving_needs_time(pmu, ctx), &now);
    if (pmu->count.sampling) {
        /* A sample is taken where the library still has the old context. */
        pmu_service(CPU(cpu), vpmu_x86_sample(pmu, time));
    }
    return vpmu_x86_set_context(pmu, ctx, time);
}

/* The same for all parts, and for the controls. */
static int follow(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    int due = set_context(cpu);

    x86_parts_arrived(cpu);
    if (pmu->controls.svme != !!(env->efer & MSR_EFER_SVME)) {
        due |= set_controls(cpu, pmu->controls.halted);
    }
    env->pmu.place = env->hflags;
    x86_vpmu_set_flags(cpu);
    return due;
}

struct vpmu_x86 *x86_vpmu_here(X86CPU *cpu)
{
    pmu_service(CPU(cpu), follow(cpu));
    return &cpu->vpmu->pmu;
}

/* Returns what is due. */
static int set_halted(X86CPU *cpu, bool halted)
{
    X86VPMU *vpmu = cpu->vpmu;
    int due = follow(cpu);

    for (unsigned int i = 0; i < VPMU_CLOCK_COUNT; i++) {
        uint64_t now = x86_vpmu_clock_now(cpu, i);

        if (vpmu->pmu.controls.halted) {
            vpmu->halted_for[i] += now - vpmu->halted_at[i];
        }
        vpmu->halted_at[i] = now;
    }
    return due | set_controls(cpu, halted);
}

void x86_vpmu_set_halted(X86CPU *cpu, bool halted)
{
    pmu_service(CPU(cpu), set_halted(cpu, halted));
}

void x86_vpmu_arrive(X86CPU *cpu)
{
    set_halted(cpu, CPU(cpu)->halted);
}

#ifdef TARGET_X86_64
bool x86_vpmu_sampled_syscall(const X86CPU *cpu)
{
    const CPUX86State *env = &cpu->env;
    unsigned int was = cpu->vpmu->pmu.count.ctx;

    return (was == X86_PMU_USER || was == X86_PMU_GUEST_USER) &&
           x86_pmu_context(env->hflags) == was + 1 &&
           (env->hflags & HF_CS64_MASK) && env->eip == env->lstar;
}
#else
bool x86_vpmu_sampled_syscall(const X86CPU *cpu)
{
    return false;
}
#endif

QEMU_BUILD_BUG_ON(X86_PMU_KERNEL != X86_PMU_USER + 1);
QEMU_BUILD_BUG_ON(X86_PMU_GUEST_KERNEL != X86_PMU_GUEST_USER + 1);
