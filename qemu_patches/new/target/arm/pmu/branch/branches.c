/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branches of an Arm CPU: where generated code reports them, and the records
 * that a recording takes with its samples
 *
 * There are two readers: the guest's branch record buffer (brbe.c), and a
 * recording, which has a ring and a filter of its own that the guest cannot
 * see.  A block reports its branches while one of them wants branches at the
 * current exception level.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "system/tcg.h"
#include "target/arm/pmu/parts.h"
#include "system/vpmu_sample.h"
#include "vpmu/arm/brbe.h"
#include "vpmu/branch_observer.h"

struct ARMBranches {
    struct vpmu_branch_observer observer;
    /* The state of the CPU that was last reported */
    uint8_t el;
    bool a64;
    /* Records have only the addresses and the kind. */
    bool plain;
    /* An exception is being taken. */
    bool excepting;
};

/*
 * The records of a recording
 */

static uint32_t branches_events(ARMCPU *cpu, unsigned int ctx)
{
    const struct ARMBranches *own = cpu->vpmu->branches;
    unsigned int el = ctx == VPMU_CTX_EL3 ? 3 : ctx % 3;

    return own && vpmu_branch_recorded(&own->observer.ring, el)
           ? arm_branch_events(cpu, own->observer.filter.mispredictions,
                               own->observer.filter.cycles) : 0;
}

/* Tells generated code whether branches are recorded here. */
static void branches_publish(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    struct ARMBranches *own = cpu->vpmu->branches;
    bool here = own && own->a64 &&
                vpmu_branch_recorded(&own->observer.ring, own->el);

    if (env->pmu.branches != here) {
        env->pmu.branches = here;
        arm_brbe_observed(cpu);
        arm_rebuild_hflags(env);
    }
}

static uint64_t branches_now(ARMCPU *cpu)
{
    if (!cpu->vpmu->branches->observer.filter.cycles) {
        return VPMU_BRANCH_NO_TIME;
    }
    return cpu->pmu_config.model->cycles == VPMU_CYCLES_CLOCK
           ? arm_vpmu_cycles(cpu)
           : arm_branch_slots(cpu) / cpu->env.pmu.width;
}

static void branches_taken(ARMCPU *cpu, uint64_t from, uint64_t to,
                           uint32_t desc)
{
    struct ARMBranches *own = cpu->vpmu->branches;
    struct vpmu_branch branch = {
        .from = from,
        .to = to,
        .type = FIELD_EX32(desc, PMUTAKEN, TYPE),
        .level = own->el,
    };

    if (own->observer.filter.mispredictions &&
        FIELD_EX32(desc, PMUTAKEN, MISPREDICTED)) {
        branch.flags = VPMU_BRANCH_MISPREDICTED;
    }
    vpmu_branch_observer_taken(&own->observer, &branch, branches_now(cpu));
}

/* Not inline, so that arm_vpmu_taken() need not save registers. */
static void __attribute__((noinline))
branch_taken(ARMCPU *cpu, uint64_t from, uint64_t to, uint32_t desc)
{
    CPUARMState *env = &cpu->env;

    if (env->pmu.brbe) {
        arm_brbe_taken(cpu, from, to, desc);
    }
    if (env->pmu.branches) {
        branches_taken(cpu, from, to, desc);
    }
    if (env->pmu.sampled & ARM_PMU_SAMPLED_BY_SPE) {
        arm_spe_taken(cpu, to);
    }
}

/* Called so often that the records of a plain recording are made right here. */
void arm_vpmu_taken(CPUARMState *env, uint64_t from, uint64_t to,
                    uint32_t desc)
{
    ARMCPU *cpu = env_archcpu(env);
    struct ARMBranches *own = cpu->vpmu->branches;

    if (env->pmu.branches && own->plain && !env->pmu.brbe &&
        !env->pmu.sampled) {
        struct vpmu_branch branch = {
            .from = from,
            .to = to,
            .type = FIELD_EX32(desc, PMUTAKEN, TYPE),
            .level = own->el,
        };

        vpmu_branch_observer_taken(&own->observer, &branch,
                                   VPMU_BRANCH_NO_TIME);
    } else {
        branch_taken(cpu, from, to, desc);
    }
}

/*
 * Returns a number of the address space.  Linux sets CONTEXTIDR to the number
 * of the thread, and TTBR0 also to a table without pages while the kernel runs.
 */
static uint64_t branches_space(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    enum vpmu_world world = arm_vpmu_world(cpu);
    unsigned int el = world == VPMU_WORLD_VHE ? 2 : 1;
    uint64_t space = env->cp15.contextidr_el[el] ?: env->cp15.ttbr0_el[el];

    if (world == VPMU_WORLD_GUEST) {
        space ^= deposit64(BIT_ULL(63), 32, 16,
                           extract64(env->cp15.vttbr_el2, 48, 16));
    }
    return space;
}

static void branches_excepting(ARMCPU *cpu)
{
    if (unlikely(cpu->vpmu->branches)) {
        cpu->vpmu->branches->excepting = true;
    }
}

/* Returns the record of the exception or exception return. */
static struct vpmu_branch branches_crossing(ARMCPU *cpu, unsigned int el)
{
    CPUARMState *env = &cpu->env;
    struct ARMBranches *own = cpu->vpmu->branches;
    struct vpmu_branch branch = {
        .to = is_a64(env) ? env->pc : env->regs[15],
        .level = el,
    };

    if (own->excepting) {
        branch.from = env->elr_el[el];
        branch.type = arm_branch_exception_type(cpu, own->el, el,
            (arm_hcr_el2_eff(env) & HCR_TGE) && arm_is_el2_enabled(env));
    } else {
        branch.from = env->pmu.brbe_eret;
        branch.type = VPMU_BRTYPE_EXCEPTION_RETURN;
        vpmu_branch_observer_enter(&own->observer, branches_space(cpu));
    }
    return branch;
}

/* Changes within AArch32 state are not recorded. */
static void branches_el_changed(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    struct ARMBranches *own = cpu->vpmu->branches;
    unsigned int el = arm_current_el(env);

    if (likely(!own)) {
        return;
    }
    if (own->excepting ? is_a64(env) : own->a64) {
        struct vpmu_branch branch = branches_crossing(cpu, el);

        vpmu_branch_observer_cross(&own->observer, &branch, own->el,
                                   branch.from, branches_now(cpu));
    }
    own->excepting = false;
    own->el = el;
    own->a64 = is_a64(env);
    branches_publish(cpu);
}

void arm_branches_set(ARMCPU *cpu, const struct vpmu_branch_filter *filter)
{
    g_clear_pointer(&cpu->vpmu->branches, g_free);
    if (filter) {
        struct ARMBranches *own = g_new0(struct ARMBranches, 1);

        vpmu_branch_observer_init(&own->observer, filter, VPMU_BRANCH_DEPTH);
        own->el = arm_current_el(&cpu->env);
        own->a64 = is_a64(&cpu->env);
        own->plain = !filter->mispredictions && !filter->cycles;
        cpu->vpmu->branches = own;
        vpmu_branch_observer_enter(&own->observer, branches_space(cpu));
    }
    branches_publish(cpu);
    arm_vpmu_rearm(cpu);
}

/* A snapshot was loaded, or the CPU was reset. */
static void branches_restart(ARMCPU *cpu)
{
    struct ARMBranches *own = cpu->vpmu->branches;

    if (own) {
        vpmu_branch_clear(&own->observer.ring);
        own->el = arm_current_el(&cpu->env);
        own->a64 = is_a64(&cpu->env);
        own->excepting = false;
        branches_publish(cpu);
    }
}

unsigned int arm_branches_copy(CPUState *cs, struct vpmu_branch *branch)
{
    ARMCPU *cpu = ARM_CPU(cs);
    struct ARMBranches *own = cpu->vpmu->branches;

    if (!own) {
        return 0;
    }
    vpmu_branch_observer_enter(&own->observer, branches_space(cpu));
    return vpmu_branch_observer_copy(&own->observer, branch);
}

const ARMPart arm_branches_part = {
    .reset = branches_restart,
    .loaded = branches_restart,
    .excepting = branches_excepting,
    .el_changed = branches_el_changed,
    .events = branches_events,
};
