/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses to memory of sampled instructions of an Arm CPU
 *
 * There are two readers: the guest's SPE (spe/), and a recording, which
 * describes the access of the instruction that ends a period.  It is not known
 * in advance which instruction that is.  But close to the end of a period each
 * block has one instruction, and the flags of these blocks say that a recording
 * samples it.  Its code calls arm_vpmu_sampled() before the instruction, and
 * arm_vpmu_sampled_access() before each access.
 *
 * The models of caches and TLBs are fed wherever a recording samples: what they
 * add to the totals during the instruction tells where its data was.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "sample.h"
#include "target/arm/pmu/parts.h"
#include "vpmu/arm/insn.h"

struct ARMAccesses {
    /* Contexts where the recording samples. */
    uint16_t contexts;
    /* The instruction that was sampled last, and its total and context. */
    uint64_t insns;
    unsigned int ctx;
    bool accessed;
    /* Its first access, and the totals before it. */
    struct vpmu_record_access access;
    ARMVPMUResults before;
};

/*
 * Called from generated code
 */

static int isa_now(CPUARMState *env)
{
    return is_a64(env) ? ARM_PMU_ISA_A64 : env->thumb ? ARM_PMU_ISA_T32
                                                      : ARM_PMU_ISA_A32;
}

static void access_begin(CPUARMState *env, uint64_t pc, uint32_t insn)
{
    struct ARMAccesses *own = env_archcpu(env)->vpmu->accesses;
    unsigned int stall;
    uint32_t sources = arm_vpmu_decode(isa_now(env), insn, &stall);

    own->ctx = arm_pmu_context(env);
    own->insns = env->pmu.totals[own->ctx][ARM_PMU_INSNS];
    own->accessed = false;
    own->access.pc = pc;
    own->access.flags = (sources & (1u << ARM_PMU_LD) ? VPMU_RECORD_LOAD : 0) |
                        (sources & (1u << ARM_PMU_ST) ? VPMU_RECORD_STORE : 0);
    own->before = arm_vpmu_results(env->pmu.totals[own->ctx]);
}

/* @found is NULL if the access is going to fault. */
static void access_take(CPUARMState *env, uint64_t addr, uint32_t desc,
                        const ARMVPMUAccess *found)
{
    struct ARMAccesses *own = env_archcpu(env)->vpmu->accesses;
    struct vpmu_record_access *access = &own->access;

    if (own->accessed || !found) {
        return;
    }
    own->accessed = true;
    /* Bit 55 is never a part of a tag. */
    access->address = sextract64(addr, 0, 56);
    access->physical = found->physical;
    access->level = found->cacheable ? VPMU_DATA_UNKNOWN : VPMU_DATA_UNCACHED;
    if (!(access->flags & (VPMU_RECORD_LOAD | VPMU_RECORD_STORE))) {
        access->flags = FIELD_EX32(desc, PMUDATA, WRITE) ? VPMU_RECORD_STORE
                                                         : VPMU_RECORD_LOAD;
    }
    access->flags |= VPMU_RECORD_PHYSICAL;
}

void arm_vpmu_sampled(CPUARMState *env, uint64_t pc, uint32_t insn)
{
    env_archcpu(env)->vpmu->peers = 0;
    if (env->pmu.sampled & ARM_PMU_SAMPLED_BY_SPE) {
        arm_spe_sampled(env, pc, insn);
    }
    if (env->pmu.sampled & ARM_PMU_SAMPLED_OUTSIDE) {
        access_begin(env, pc, insn);
    }
}

void arm_vpmu_sampled_access(CPUARMState *env, uint64_t addr, uint32_t desc)
{
    ARMVPMUAccess access;
    const ARMVPMUAccess *found =
        arm_vpmu_look_up(env, addr, desc, &access) ? &access : NULL;

    if (env->pmu.sampled & ARM_PMU_SAMPLED_BY_SPE) {
        arm_spe_sampled_access(env, addr, desc, found);
    }
    if (env->pmu.sampled & ARM_PMU_SAMPLED_OUTSIDE) {
        access_take(env, addr, desc, found);
    }
}

/* If SPE samples it, its filter selects one of the two accesses. */
void arm_vpmu_sampled_copy(CPUARMState *env, uint64_t to, uint64_t from,
                           int to_idx, int from_idx)
{
    bool loads = !(env->pmu.sampled & ARM_PMU_SAMPLED_BY_SPE) ||
                 arm_spe_copy_loads(env_archcpu(env));
    uint32_t desc = FIELD_DP32(0, PMUDATA, WRITE, !loads);

    desc = FIELD_DP32(desc, PMUDATA, MIDX, loads ? from_idx : to_idx);
    arm_vpmu_sampled_access(env, loads ? from : to, desc);
}

/*
 * The description that a recording takes
 */

static uint32_t accesses_events(ARMCPU *cpu, unsigned int ctx)
{
    const struct ARMAccesses *own = cpu->vpmu->accesses;

    return own && extract32(own->contexts, ctx, 1) ? ARM_PMU_MEMORY : 0;
}

void arm_accesses_set(ARMCPU *cpu, const VPMUObservedCPU *on)
{
    g_clear_pointer(&cpu->vpmu->accesses, g_free);
    if (on) {
        struct ARMAccesses *own = g_new0(struct ARMAccesses, 1);

        for (unsigned int i = 0; i < on->base.record->events; i++) {
            const struct vpmu_observer *counter = &on->sampler[i].counter;

            for (unsigned int w = 0; w < VPMU_WORLD_COUNT; w++) {
                own->contexts |= counter->period ? counter->ctx_mask[w] : 0;
            }
        }
        cpu->vpmu->accesses = own;
    }
    arm_vpmu_rearm(cpu);
}

/* Nothing has been executed since the instruction that was sampled last? */
static bool access_is_last(ARMCPU *cpu)
{
    const struct ARMAccesses *own = cpu->vpmu->accesses;

    return own->accessed && own->ctx == cpu->vpmu->pmu.count.ctx &&
           own->insns == cpu->env.pmu.totals[own->ctx][ARM_PMU_INSNS];
}

bool arm_accesses_describe(CPUState *cs, const struct vpmu_observer *counter,
                           struct vpmu_record_access *access)
{
    ARMCPU *cpu = ARM_CPU(cs);
    struct ARMAccesses *own = cpu->vpmu->accesses;
    struct vpmu_record_head head = access->head;
    ARMVPMUResults now;

    if (!access_is_last(cpu)) {
        return false;
    }
    now = arm_vpmu_results(cpu->env.pmu.totals[own->ctx]);
    *access = own->access;
    access->head = head;
    access->translated = arm_vpmu_translated(&own->before, &now);
    if (access->level != VPMU_DATA_UNCACHED) {
        access->level = arm_vpmu_data_level(cpu, &own->before, &now);
    }
    return true;
}

const ARMPart arm_accesses_part = {
    .events = accesses_events,
};
