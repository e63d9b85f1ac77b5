/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Statistical Profiling Extension of an Arm CPU (FEAT_SPE), by the vpmu
 * library
 *
 * Where profiling is enabled, blocks tally instructions, and the limit of
 * limit.c ends before the instruction that is to be sampled.  That instruction
 * is translated in a block of its own, whose flags say that it is sampled
 * (CPUARMPMUState.spe).  Its code calls arm_vpmu_sampled() before the
 * instruction, and arm_vpmu_sampled_access() before each access.  When the
 * limit is reached again, the sample is complete.
 *
 * The models of caches, TLBs and branch prediction are fed wherever profiling
 * is enabled: what they add to the totals during the instruction tells where
 * its data was.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "cpregs.h"
#include "cpu-features.h"
#include "internals.h"
#include "system/tcg.h"
#include "system/vpmu_compat.h"
#include "target/arm/pmu/compat.h"
#include "target/arm/pmu/parts.h"
#include "tcg/vpmu-helpers.h"
#include "vpmu/arm/insn.h"
#include "vpmu/arm/spe.h"

struct ARMSPE {
    struct vpmu_spe spe;
    ARMCPU *cpu;
    qemu_irq irq;
    /* Contexts where profiling is enabled */
    uint16_t contexts;
    /*
     * The totals of instructions that were counted, of these contexts.  After
     * a call that is executed once more, the total is smaller than the mark.
     */
    uint64_t mark[ARM_PMU_CONTEXTS];
    /* The instruction that is being sampled, and the totals before it */
    bool begun;
    struct vpmu_spe_sample sample;
    ARMVPMUResults before;
    uint64_t mispredicted;
};

/*
 * The state of the CPU
 */

static unsigned int spe_state_now(CPUARMState *env)
{
    switch (arm_security_space_below_el3(env)) {
    case ARMSS_Secure:
        return VPMU_SPE_SECURE;
    case ARMSS_Realm:
        return VPMU_SPE_REALM;
    default:
        return VPMU_SPE_NON_SECURE;
    }
}

static struct vpmu_spe_pe spe_pe_now(CPUARMState *env)
{
    uint64_t hcr = arm_hcr_el2_eff(env);
    struct vpmu_spe_pe pe = {
        .mdcr_el2 = env->cp15.mdcr_el2,
        .mdcr_el3 = env->cp15.mdcr_el3,
        .el = arm_current_el(env),
        .state = spe_state_now(env),
        .el2_enabled = arm_feature(env, ARM_FEATURE_EL2) &&
                       (spe_state_now(env) != VPMU_SPE_SECURE ||
                        (env->cp15.scr_el3 & SCR_EEL2)),
        .secure_el2 = env->cp15.scr_el3 & SCR_EEL2,
        .tge = hcr & HCR_TGE,
        .e2h = hcr & HCR_E2H,
    };

    for (unsigned int el = 1; el <= 3; el++) {
        pe.aarch32 |= arm_el_is_aa64(env, el) ? 0 : 1 << el;
    }
    pe.aarch32 = deposit32(pe.aarch32, pe.el, 1, !is_a64(env));
    return pe;
}

static struct vpmu_spe *spe_here(ARMCPU *cpu)
{
    struct vpmu_spe_pe pe = spe_pe_now(&cpu->env);

    vpmu_spe_move(&cpu->vpmu->spe->spe, &pe);
    return &cpu->vpmu->spe->spe;
}

static uint16_t spe_contexts_now(struct vpmu_spe *spe, CPUARMState *env)
{
    static const uint8_t first[] = {
        [VPMU_SPE_SECURE] = 0, [VPMU_SPE_NON_SECURE] = 3, [VPMU_SPE_REALM] = 6,
    };

    return vpmu_spe_enabled(spe) << first[spe_state_now(env)];
}

static void spe_set_sampling(CPUARMState *env, bool sampling)
{
    arm_vpmu_set_sampled(env, ARM_PMU_SAMPLED_BY_SPE, sampling);
}

static void spe_update_irq(ARMCPU *cpu)
{
    bool level = vpmu_spe_stopped(&cpu->vpmu->spe->spe);

    BQL_LOCK_GUARD();
    gicv5_update_ppi_state(&cpu->env, GICV5_PPI_PMBIRQ, level);
    qemu_set_irq(cpu->vpmu->spe->irq, level);
}

static bool spe_freezes(ARMCPU *cpu)
{
    return cpu->vpmu->spe && vpmu_spe_freezes(&cpu->vpmu->spe->spe);
}

static uint32_t spe_events(ARMCPU *cpu, unsigned int ctx)
{
    const struct ARMSPE *own = cpu->vpmu->spe;

    return own && extract32(own->contexts, ctx, 1)
           ? ARM_PMU_MEMORY | ARM_PMU_BRANCHES : 0;
}

/* Begins to count in contexts where profiling was not enabled. */
static void spe_mark(ARMCPU *cpu, uint16_t contexts)
{
    for (; contexts; contexts &= contexts - 1) {
        unsigned int ctx = ctz32(contexts);

        cpu->vpmu->spe->mark[ctx] = cpu->env.pmu.totals[ctx][ARM_PMU_INSNS];
    }
}

/* The registers, or the state of the CPU, may have changed in any way. */
static void spe_follow(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    struct ARMSPE *own = cpu->vpmu->spe;
    uint16_t contexts = spe_contexts_now(&own->spe, env);
    bool other = contexts != own->contexts;

    spe_mark(cpu, contexts & ~own->contexts);
    own->contexts = contexts;
    env->pmu.spe_enabled = vpmu_spe_configured(&own->spe);
    if (!extract32(contexts, arm_pmu_context(env), 1)) {
        spe_set_sampling(env, false);
    }
    if (other || cpu->vpmu->pmu.controls.spe_stopped != spe_freezes(cpu)) {
        arm_vpmu_here(env);
        arm_vpmu_update_controls(cpu);
        arm_vpmu_rearm(cpu);
    }
}

/*
 * The sampled instruction
 */

static uint64_t spe_time(CPUARMState *env, enum vpmu_spe_clock clock)
{
    switch (clock) {
    case VPMU_SPE_NO_TIME:
        return 0;
    case VPMU_SPE_VIRTUAL:
        return gt_get_countervalue(env) - env->cp15.cntvoff_el2;
    case VPMU_SPE_OFFSET_PHYSICAL:
        return gt_get_countervalue(env) -
               gt_direct_access_timer_offset(env, GTIMER_PHYS);
    default:
        return gt_get_countervalue(env);
    }
}

/* Takes the length of vectors, and the value of the governing predicate. */
static void spe_take_vector(CPUARMState *env, struct vpmu_spe_sample *sample)
{
    struct vpmu_insn_detail detail = vpmu_insn_a64_detail(sample->insn);
    uint32_t desc = 0;

    sample->vector = (sve_vqm1_for_el(env, sample->el) + 1) * 128;
    if (!detail.predicated) {
        return;
    }
    desc = FIELD_DP32(desc, PMUPRED, REGISTER, detail.predicate);
    desc = FIELD_DP32(desc, PMUPRED, ELEMENT, detail.element);
    desc = FIELD_DP32(desc, PMUPRED, LENGTH, sample->vector / 8);
    switch (HELPER(pmu_predicate)(env, desc) + ARM_PMU_SVE_PRED_EMPTY) {
    case ARM_PMU_SVE_PRED_EMPTY:
        sample->flags |= VPMU_SPE_EMPTY;
        break;
    case ARM_PMU_SVE_PRED_PARTIAL:
        sample->flags |= VPMU_SPE_PARTIAL;
        break;
    default:
        break;
    }
}

void arm_spe_sampled(CPUARMState *env, uint64_t pc, uint32_t insn)
{
    ARMCPU *cpu = env_archcpu(env);
    struct ARMSPE *own = cpu->vpmu->spe;
    struct vpmu_spe_sample *sample = &own->sample;
    const uint64_t *row = env->pmu.totals[arm_pmu_context(env)];

    vpmu_spe_start(&own->spe, sample);
    sample->pc = pc;
    sample->insn = insn;
    sample->context[0] = env->cp15.contextidr_el[1];
    sample->context[1] = env->cp15.contextidr_el[2];
    sample->stall = vpmu_insn_a64_stall(insn);
    sample->time = spe_time(env, sample->clock);
    if (cpu_isar_feature(aa64_sve, cpu)) {
        spe_take_vector(env, sample);
    }
    own->before = arm_vpmu_results(row);
    own->mispredicted = row[VPMU_SRC_BR_MIS_PRED];
    own->begun = true;
}

void arm_spe_sampled_access(CPUARMState *env, uint64_t addr, uint32_t desc,
                            const ARMVPMUAccess *access)
{
    struct vpmu_spe_sample *sample = &env_archcpu(env)->vpmu->spe->sample;
    unsigned int align = FIELD_EX32(desc, PMUDATA, ALIGN);

    /* It is going to fault, or all of its elements are inactive. */
    if (!access || (sample->flags & VPMU_SPE_EMPTY)) {
        return;
    }
    if (align && addr & (align - 1)) {
        sample->flags |= VPMU_SPE_MISALIGNED;
    }
    if (sample->flags & VPMU_SPE_ACCESSED) {
        return;
    }
    sample->flags |= VPMU_SPE_ACCESSED | VPMU_SPE_TRANSLATED;
    sample->address = addr;
    sample->physical = access->physical;
    sample->physical_state = access->space == ARMSS_Secure
        ? VPMU_SPE_SECURE : access->space == ARMSS_Realm
        ? VPMU_SPE_REALM : VPMU_SPE_NON_SECURE;
    sample->memory = access->cacheable ? VPMU_DATA_UNKNOWN
                                       : VPMU_DATA_UNCACHED;
}

bool arm_spe_copy_loads(ARMCPU *cpu)
{
    return vpmu_spe_copy_loads(&cpu->vpmu->spe->spe);
}

void arm_spe_taken(ARMCPU *cpu, uint64_t to)
{
    struct vpmu_spe_sample *sample = &cpu->vpmu->spe->sample;

    sample->target = to;
    sample->flags |= VPMU_SPE_TAKEN;
}

/* Takes what the models have done since the instruction began. */
static void spe_take_results(ARMCPU *cpu, const uint64_t *row)
{
    struct ARMSPE *own = cpu->vpmu->spe;
    struct vpmu_spe_sample *sample = &own->sample;
    ARMVPMUResults now = arm_vpmu_results(row);

    if (row[VPMU_SRC_BR_MIS_PRED] != own->mispredicted) {
        sample->flags |= VPMU_SPE_MISPREDICTED;
    }
    if (!cpu->pmu_config.model->llc.size) {
        sample->flags |= VPMU_SPE_LAST_LEVEL_L2;
    }
    if (!(sample->flags & VPMU_SPE_ACCESSED)) {
        return;
    }
    sample->translation = arm_vpmu_translated(&own->before, &now);
    if (sample->memory != VPMU_DATA_UNCACHED) {
        sample->memory = arm_vpmu_data_level(cpu, &own->before, &now);
    }
}

/*
 * The buffer
 */

static ARMMMUIdx spe_mmu_idx(CPUARMState *env, struct vpmu_spe_owner owner)
{
    if (owner.el == 1) {
        return ARMMMUIdx_E10_1;
    }
    return arm_hcr_el2_eff(env) & HCR_E2H ? ARMMMUIdx_E20_2 : ARMMMUIdx_E2;
}

/* Writes to RAM.  Returns false if there is none. */
static bool spe_store(CPUState *cs, const GetPhysAddrResult *at,
                      const struct vpmu_spe_record *record)
{
    AddressSpace *as = arm_addressspace(cs, at->f.attrs);
    hwaddr xlat, len = record->size;
    MemoryRegion *mr;

    RCU_READ_LOCK_GUARD();
    mr = address_space_translate(as, at->f.phys_addr, &xlat, &len, true,
                                 at->f.attrs);
    if (!memory_region_is_ram(mr) || mr->readonly || len < record->size) {
        return false;
    }
    return address_space_write(as, at->f.phys_addr, at->f.attrs, record->bytes,
                               record->size) == MEMTX_OK;
}

/* The record's address could not be translated. */
static void spe_translation_failed(struct vpmu_spe *spe, ARMMMUFaultInfo *fi)
{
    bool external = fi->type == ARMFault_SyncExternal ||
                    fi->type == ARMFault_SyncExternalOnWalk;
    bool check = fi->type == ARMFault_GPCFOnWalk ||
                 fi->type == ARMFault_GPCFOnOutput;

    if (check && fi->gpcf != GPCF_Fail) {
        vpmu_spe_fault(spe, VPMU_SPE_GRANULE_FAULT, 0, false);
        return;
    }
    vpmu_spe_fault(spe, fi->stage2 ? VPMU_SPE_STAGE2_FAULT
                                   : VPMU_SPE_STAGE1_FAULT,
                   arm_fi_to_lfsc(fi), external);
}

static void spe_write_record(ARMCPU *cpu, const struct vpmu_spe_record *record)
{
    CPUARMState *env = &cpu->env;
    struct vpmu_spe *spe = &cpu->vpmu->spe->spe;
    ARMMMUFaultInfo fi = { };
    GetPhysAddrResult at = { };

    if (!arm_pmu_get_phys_addr(env, vpmu_spe_pointer(spe), MMU_DATA_STORE, 0,
                               spe_mmu_idx(env, vpmu_spe_owner(spe)), &at,
                               &fi)) {
        spe_translation_failed(spe, &fi);
    } else if (spe_store(CPU(cpu), &at, record)) {
        vpmu_spe_written(spe, record->size);
    } else {
        /* A synchronous external abort */
        vpmu_spe_fault(spe, VPMU_SPE_STAGE1_FAULT, 0x10, true);
    }
}

/* Completes the sample.  Returns true if profiling has stopped. */
static bool spe_finish(ARMCPU *cpu)
{
    struct ARMSPE *own = cpu->vpmu->spe;
    struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    struct vpmu_spe_record record;
    const struct vpmu_now *time;
    struct vpmu_now now;
    bool passed;

    if (!own->begun) {
        return false;
    }
    own->begun = false;
    passed = vpmu_spe_collect(&own->spe, &own->sample, &record);
    time = arm_vpmu_now_if(cpu, vpmu_arm_needs_time(pmu), &now);
    pmu_service(CPU(cpu), vpmu_arm_sample_taken(pmu, passed, time));
    if (record.size) {
        BQL_LOCK_GUARD();
        spe_write_record(cpu, &record);
    }
    return vpmu_spe_stopped(&own->spe);
}

/*
 * Counting
 */

static void spe_leaving(ARMCPU *cpu)
{
    struct ARMSPE *own = cpu->vpmu->spe;
    unsigned int ctx = cpu->vpmu->pmu.count.ctx;
    const uint64_t *row = cpu->env.pmu.totals[ctx];
    int64_t count;

    if (likely(!own) || !extract32(own->contexts, ctx, 1)) {
        return;
    }
    count = row[ARM_PMU_INSNS] - own->mark[ctx];
    if (count <= 0) {
        return;
    }
    own->mark[ctx] += count;
    if (own->begun) {
        spe_take_results(cpu, row);
    }
    if (vpmu_spe_advance(&own->spe, count) && spe_finish(cpu)) {
        spe_update_irq(cpu);
        spe_follow(cpu);
    }
}

static uint64_t spe_insns_left(ARMCPU *cpu, unsigned int ctx)
{
    struct ARMSPE *own = cpu->vpmu->spe;
    uint64_t left;

    if (likely(!own) || !extract32(own->contexts, ctx, 1)) {
        if (own) {
            spe_set_sampling(&cpu->env, false);
        }
        return UINT64_MAX;
    }
    left = vpmu_spe_left(&own->spe);
    spe_set_sampling(&cpu->env, left == 1);
    return left == 1 || left == UINT64_MAX ? left : left - 1;
}

static bool spe_due(ARMCPU *cpu, unsigned int ctx)
{
    struct ARMSPE *own = cpu->vpmu->spe;
    uint64_t left;
    int64_t count;

    if (likely(!own) || !extract32(own->contexts, ctx, 1)) {
        return false;
    }
    left = vpmu_spe_left(&own->spe);
    count = cpu->env.pmu.totals[ctx][ARM_PMU_INSNS] - own->mark[ctx];
    return left != UINT64_MAX && count >= (int64_t)(left == 1 ? 1 : left - 1);
}

static void spe_arrived(ARMCPU *cpu)
{
    struct ARMSPE *own = cpu->vpmu->spe;

    if (own) {
        /* An instruction that was to be sampled has not been executed. */
        own->begun = false;
        spe_here(cpu);
        spe_follow(cpu);
    }
}

/*
 * System registers
 */

static unsigned int spe_reg_of(const ARMCPRegInfo *ri)
{
    return ri->resetvalue;
}

static CPAccessResult spe_access(CPUARMState *env, const ARMCPRegInfo *ri,
                                 bool isread)
{
    if (ri->opc1 >= 4 && arm_current_el(env) == 1) {
        /* FEAT_NV traps the access to EL2, after this function. */
        return CP_ACCESS_OK;
    }
    switch (vpmu_spe_access(spe_here(env_archcpu(env)), spe_reg_of(ri),
                            !isread)) {
    case VPMU_ACCESS_OK:
        return CP_ACCESS_OK;
    case VPMU_ACCESS_TRAP_EL2:
        return CP_ACCESS_TRAP_EL2;
    case VPMU_ACCESS_TRAP_EL3:
        return CP_ACCESS_TRAP_EL3;
    default:
        return CP_ACCESS_UNDEFINED;
    }
}

/* The instruction that accesses a register is counted before the access. */
static struct vpmu_spe *spe_begin_access(ARMCPU *cpu)
{
    spe_leaving(cpu);
    arm_vpmu_here(&cpu->env);
    return spe_here(cpu);
}

static uint64_t spe_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMCPU *cpu = env_archcpu(env);
    uint64_t val;

    vpmu_spe_read(spe_begin_access(cpu), spe_reg_of(ri), &val);
    vpmu_limits_update(&cpu->vpmu->limits);
    return val;
}

static void spe_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t val)
{
    ARMCPU *cpu = env_archcpu(env);

    vpmu_spe_write(spe_begin_access(cpu), spe_reg_of(ri), val);
    spe_update_irq(cpu);
    spe_follow(cpu);
    vpmu_limits_update(&cpu->vpmu->limits);
}

static const FGTBit spe_fgt[VPMU_SPE_REG_COUNT] = {
    [VPMU_PMSCR_EL1] = FGT_PMSCR_EL1,
    [VPMU_PMSNEVFR] = FGT_NPMSNEVFR_EL1,
    [VPMU_PMSICR] = FGT_PMSICR_EL1,
    [VPMU_PMSIRR] = FGT_PMSIRR_EL1,
    [VPMU_PMSFCR] = FGT_PMSFCR_EL1,
    [VPMU_PMSEVFR] = FGT_PMSEVFR_EL1,
    [VPMU_PMSLATFR] = FGT_PMSLATFR_EL1,
    [VPMU_PMSIDR] = FGT_PMSIDR_EL1,
    [VPMU_PMBLIMITR] = FGT_PMBLIMITR_EL1,
    [VPMU_PMBPTR] = FGT_PMBPTR_EL1,
    [VPMU_PMBSR] = FGT_PMBSR_EL1,
    [VPMU_PMBIDR] = FGT_PMBIDR_EL1,
};

static void spe_define_reg(ARMCPU *cpu, unsigned int reg)
{
    const struct vpmu_spe_reg_info *info = vpmu_spe_reg_info(reg);
    unsigned int opc1 = extract32(info->enc, 11, 3);
    int rights = opc1 >= 4 ? PL2_RW : PL1_RW;
    ARMCPRegInfo ri = {
        .name = info->name,
        .state = ARM_CP_STATE_AA64,
        .opc0 = extract32(info->enc, 14, 2),
        .opc1 = opc1,
        .crn = extract32(info->enc, 7, 4),
        .crm = extract32(info->enc, 3, 4),
        .opc2 = extract32(info->enc, 0, 3),
        .type = ARM_CP_IO | ARM_CP_NO_RAW,
        .access = info->dir == VPMU_RO ? rights & (PL1_R | PL2_R | PL3_R)
                                       : rights,
        .accessfn = spe_access,
        .fgt = spe_fgt[reg],
        .readfn = spe_read,
        .writefn = info->dir == VPMU_RO ? NULL : spe_write,
        .resetvalue = reg,
    };

    define_one_arm_cp_reg(cpu, &ri);
}

static void spe_define_regs(ARMCPU *cpu)
{
    if (!cpu->vpmu->spe) {
        return;
    }
    for (unsigned int reg = 0; reg < VPMU_SPE_REG_COUNT; reg++) {
        if (vpmu_spe_has_reg(&cpu->vpmu->spe->spe, reg)) {
            spe_define_reg(cpu, reg);
        }
    }
}

/*
 * Creation and migration
 */

static bool spe_realize(ARMCPU *cpu, Error **errp)
{
    CPUARMState *env = &cpu->env;
    struct vpmu_spe_config config = {
        .version = cpu->pmu_config.spe,
        .has_el2 = arm_feature(env, ARM_FEATURE_EL2),
        .has_el3 = arm_feature(env, ARM_FEATURE_EL3),
        .has_ecv = cpu_isar_feature(aa64_ecv, cpu),
        .has_sve = cpu_isar_feature(aa64_sve, cpu),
        .freezes = cpu->vpmu->pmu.config.features & VPMU_HAS_SPE,
        .updates = cpu_isar_feature(aa64_hafs, cpu),
    };
    const char *why;

    if (!config.version) {
        return true;
    }
    if (!arm_feature(env, ARM_FEATURE_AARCH64) || !tcg_enabled()) {
        error_setg(errp, "'spe' needs a CPU with AArch64, emulated by TCG");
        return false;
    }
    config.has_realm = config.has_el2 && config.has_el3 &&
                       cpu_isar_feature(aa64_rme, cpu);
    cpu->vpmu->spe = g_new0(struct ARMSPE, 1);
    if (vpmu_spe_init(&cpu->vpmu->spe->spe, &config, &why)) {
        error_setg(errp, "this CPU cannot have such an SPE: %s", why);
        g_clear_pointer(&cpu->vpmu->spe, g_free);
        return false;
    }
    cpu->vpmu->spe->cpu = cpu;
    qdev_init_gpio_out_named(DEVICE(cpu), &cpu->vpmu->spe->irq,
                             "spe-interrupt", 1);
    return true;
}

static void spe_reset(ARMCPU *cpu)
{
    if (cpu->vpmu->spe) {
        cpu->vpmu->spe->begun = false;
        vpmu_spe_reset(spe_here(cpu));
        spe_update_irq(cpu);
        spe_follow(cpu);
    }
}

void arm_spe_save(ARMCPU *cpu, uint8_t *buf)
{
    vpmu_spe_save(&cpu->vpmu->spe->spe, buf, VPMU_SPE_STATE_SIZE);
}

bool arm_spe_load(ARMCPU *cpu, const uint8_t *buf, Error **errp)
{
    struct ARMSPE *own = cpu->vpmu->spe;
    const char *why;

    own->begun = false;
    if (vpmu_spe_load(spe_here(cpu), buf, VPMU_SPE_STATE_SIZE, &why)) {
        error_setg(errp, "SPE of CPU %d: %s", CPU(cpu)->cpu_index, why);
        return false;
    }
    own->contexts = 0;
    spe_follow(cpu);
    return true;
}

static void spe_controls(ARMCPU *cpu, struct vpmu_arm_controls *controls)
{
    controls->spe_stopped = spe_freezes(cpu);
    controls->spe_contexts = cpu->vpmu->spe ? cpu->vpmu->spe->contexts : 0;
}

static void spe_finalize(ARMCPU *cpu)
{
    g_clear_pointer(&cpu->vpmu->spe, g_free);
}

/* An MDCR may enable or disable sampling, as another context may. */
static void spe_controlled(ARMCPU *cpu)
{
    spe_leaving(cpu);
    spe_arrived(cpu);
}

const ARMPart arm_spe_part = {
    .realize = spe_realize,
    .finalize = spe_finalize,
    .define_regs = spe_define_regs,
    .reset = spe_reset,
    .leaving = spe_leaving,
    .arrived = spe_arrived,
    .controlled = spe_controlled,
    .events = spe_events,
    .insns_left = spe_insns_left,
    .due = spe_due,
    .controls = spe_controls,
};
