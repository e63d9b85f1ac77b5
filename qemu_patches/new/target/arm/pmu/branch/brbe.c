/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The branch record buffer of an Arm CPU (FEAT_BRBE), by the vpmu library
 *
 * branches.c passes each branch that is taken to arm_brbe_taken(), if branches
 * are recorded in this state of the CPU.
 * Exceptions and exception returns are recorded where the exception level
 * changes.  Overflow flags of the PMU freeze the buffer.
 *
 * While branches of all kinds are recorded and nobody else wants them,
 * generated code only stores them.  brbe_settle() makes them records before
 * anything else uses or changes the buffer or the state of the CPU.
 *
 * If records have cycles or mispredictions, blocks at the levels that are
 * recorded tally them, whether or not a counter counts them.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "cpregs.h"
#include "cpu-features.h"
#include "internals.h"
#include "system/tcg.h"
#include "system/vpmu_compat.h"
#include "target/arm/pmu/compat.h"
#include "target/arm/pmu/parts.h"
#include "vpmu/arm/brbe.h"

struct ARMBRBE {
    struct vpmu_brbe brbe;
    ARMCPU *cpu;
    /* The state of the CPU that was last reported */
    struct vpmu_brbe_pe pe;
    /* An exception is being taken. */
    bool excepting;
    /* Exception levels that are recorded, and what blocks tally there. */
    uint8_t levels;
    uint32_t events;
    /*
     * Time is the tally of cycles plus an offset: tallies begin at 0 in a QEMU
     * that continues a stream, which has the time.
     */
    uint64_t offset;
};

/*
 * The state of the CPU
 */

static struct vpmu_brbe_pe brbe_pe_now(CPUARMState *env)
{
    uint64_t hcr = arm_hcr_el2_eff(env);
    struct vpmu_brbe_pe pe = {
        .mdcr_el3 = env->cp15.mdcr_el3,
        .el = arm_current_el(env),
        .secure = arm_is_secure(env),
        .el2_enabled = arm_is_el2_enabled(env),
        .tge = hcr & HCR_TGE,
        .e2h = hcr & HCR_E2H,
    };

    for (unsigned int el = 1; el <= 3; el++) {
        pe.aarch32 |= arm_el_is_aa64(env, el) ? 0 : 1 << el;
    }
    if (is_a64(env)) {
        pe.aarch32 &= ~(1 << pe.el);
    } else {
        pe.aarch32 |= 1 << pe.el;
    }
    return pe;
}

static bool brbe_on_clock(ARMCPU *cpu)
{
    return cpu->pmu_config.model->cycles == VPMU_CYCLES_CLOCK;
}

/* Returns the time at a total of slots of all contexts. */
static uint64_t brbe_slots_time(ARMCPU *cpu, uint64_t slots)
{
    const struct ARMBRBE *own = cpu->vpmu->brbe;

    return vpmu_brbe_counts_cycles(&own->brbe)
        ? (slots + own->offset) / cpu->env.pmu.width : VPMU_BRANCH_NO_TIME;
}

/*
 * Makes records of stored branches.  The CPU has been in one context since the
 * first of them, so the cycles of the other contexts are as they were.
 */
static void brbe_settle(ARMCPU *cpu)
{
    VPMUStored *stored = &cpu->vpmu->stored;
    struct vpmu_brbe *brbe = &cpu->vpmu->brbe->brbe;
    uint64_t n = vpmu_stored(stored);
    const VPMUTaken *taken = stored->taken;
    uint64_t others;

    if (likely(!n)) {
        return;
    }
    others = arm_branch_slots(cpu) -
             cpu->env.pmu.totals[taken->ctx][ARM_PMU_CYCLES];
    for (uint64_t i = vpmu_lost(n, brbe->ring.depth); i < n; i++) {
        taken = &stored->taken[i % VPMU_TAKEN_KEPT];
        vpmu_brbe_branch(brbe, FIELD_EX32(taken->desc, PMUTAKEN, TYPE),
                         FIELD_EX32(taken->desc, PMUTAKEN, MISPREDICTED),
                         taken->from, taken->to,
                         brbe_slots_time(cpu, taken->slots + others));
    }
    stored->size = 0;
}

/* Decides whether it is enough that blocks store branches. */
static void brbe_update_stored(ARMCPU *cpu)
{
    const struct vpmu_brbe *brbe = &cpu->vpmu->brbe->brbe;

    cpu->vpmu->stored.on =
        vpmu_brbe_recorded(brbe) == VPMU_BRGROUP_ALL &&
        !cpu->env.pmu.branches &&
        !(vpmu_brbe_counts_cycles(brbe) && brbe_on_clock(cpu));
}

void arm_brbe_observed(ARMCPU *cpu)
{
    if (cpu->vpmu->brbe) {
        brbe_settle(cpu);
        brbe_update_stored(cpu);
    }
}

/* Returns what blocks must tally where branches are recorded. */
static uint32_t brbe_tallied(ARMCPU *cpu)
{
    const struct vpmu_brbe *brbe = &cpu->vpmu->brbe->brbe;

    return arm_branch_events(cpu, vpmu_brbe_predicts(brbe),
                             vpmu_brbe_counts_cycles(brbe));
}

static uint32_t brbe_events(ARMCPU *cpu, unsigned int ctx)
{
    const struct ARMBRBE *own = cpu->vpmu->brbe;
    unsigned int el = ctx == VPMU_CTX_EL3 ? 3 : ctx % 3;

    return own && extract32(own->levels, el, 1) ? own->events : 0;
}

static uint64_t brbe_freezers(ARMCPU *cpu)
{
    return cpu->vpmu->brbe
           ? vpmu_brbe_freezers(&cpu->vpmu->brbe->brbe,
                                cpu->env.cp15.mdcr_el2 & MDCR_HPMN) : 0;
}

/*
 * Tells generated code, and the functions below, what is recorded.  Returns
 * true if blocks must tally something else, and arm_vpmu_rearm() must follow.
 */
static bool brbe_publish(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    struct ARMBRBE *own = cpu->vpmu->brbe;
    uint8_t levels = vpmu_brbe_levels(&own->brbe);
    uint32_t events = brbe_tallied(cpu);
    bool here = vpmu_brbe_recorded(&own->brbe);
    bool other = levels != own->levels || (levels && events != own->events);

    own->levels = levels;
    own->events = events;
    brbe_update_stored(cpu);
    env->pmu.brbe_enabled = vpmu_brbe_enabled(&own->brbe);
    if (env->pmu.brbe != here) {
        env->pmu.brbe = here;
        if (tcg_enabled()) {
            arm_rebuild_hflags(env);
        }
    }
    return other;
}

/* The state of the buffer or of the CPU may have changed in any way. */
static void brbe_follow(ARMCPU *cpu)
{
    bool other = brbe_publish(cpu);

    if (brbe_freezers(cpu) != cpu->vpmu->pmu.controls.brbe_freezers) {
        arm_vpmu_here(&cpu->env);
        arm_vpmu_update_controls(cpu);
    } else if (other) {
        arm_vpmu_rearm(cpu);
    }
    arm_brbe_overflowed(cpu);
}

static struct vpmu_brbe *brbe_here(ARMCPU *cpu)
{
    struct ARMBRBE *own = cpu->vpmu->brbe;

    brbe_settle(cpu);
    own->pe = brbe_pe_now(&cpu->env);
    vpmu_brbe_move(&own->brbe, &own->pe);
    return &own->brbe;
}

static uint64_t brbe_time(CPUARMState *env, const struct vpmu_brbe *brbe)
{
    uint64_t count = gt_get_countervalue(env);

    switch (vpmu_brbe_clock(brbe)) {
    case VPMU_BRBE_VIRTUAL:
        return count - env->cp15.cntvoff_el2;
    case VPMU_BRBE_GUEST_PHYSICAL:
        return count - gt_direct_access_timer_offset(env, GTIMER_PHYS);
    default:
        return count;
    }
}

void arm_brbe_overflowed(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    struct vpmu_brbe *brbe;

    if (!env->pmu.brbe_enabled) {
        return;
    }
    brbe_settle(cpu);
    brbe = &cpu->vpmu->brbe->brbe;
    if (vpmu_brbe_overflow(brbe, cpu->vpmu->pmu.regs.ovs,
                           env->cp15.mdcr_el2 & MDCR_HPMN)) {
        vpmu_brbe_freeze(brbe, brbe_time(env, brbe));
        brbe_publish(cpu);
    }
}

static void brbe_controlled(ARMCPU *cpu)
{
    if (cpu->vpmu->brbe) {
        brbe_here(cpu);
        brbe_follow(cpu);
    }
}

/*
 * Branches, exceptions and exception returns
 */

static uint64_t brbe_now(ARMCPU *cpu)
{
    const struct ARMBRBE *own = cpu->vpmu->brbe;

    if (!vpmu_brbe_counts_cycles(&own->brbe)) {
        return VPMU_BRANCH_NO_TIME;
    }
    if (brbe_on_clock(cpu)) {
        return arm_vpmu_cycles(cpu);
    }
    return brbe_slots_time(cpu, arm_branch_slots(cpu));
}

void arm_brbe_taken(ARMCPU *cpu, uint64_t from, uint64_t to, uint32_t desc)
{
    brbe_settle(cpu);
    vpmu_brbe_branch(&cpu->vpmu->brbe->brbe,
                     FIELD_EX32(desc, PMUTAKEN, TYPE),
                     FIELD_EX32(desc, PMUTAKEN, MISPREDICTED), from, to,
                     brbe_now(cpu));
}

static void brbe_excepting(ARMCPU *cpu)
{
    if (cpu->vpmu->brbe) {
        cpu->vpmu->brbe->excepting = cpu->env.pmu.brbe_enabled;
    }
}

static enum vpmu_branch_type brbe_exception_type(ARMCPU *cpu,
                                                 const struct vpmu_brbe_pe *to)
{
    const struct vpmu_brbe_pe *from = &cpu->vpmu->brbe->pe;

    return arm_branch_exception_type(cpu, from->el, to->el,
                                     from->tge && from->el2_enabled);
}

static void brbe_take_exception(ARMCPU *cpu, const struct vpmu_brbe_pe *after)
{
    CPUARMState *env = &cpu->env;
    bool a64 = is_a64(env);

    vpmu_brbe_exception(&cpu->vpmu->brbe->brbe, after,
                        brbe_exception_type(cpu, after),
                        a64 ? env->elr_el[after->el] : 0, a64 ? env->pc : 0,
                        brbe_now(cpu));
}

/*
 * Software in AArch64 state changes the exception level by exceptions and by
 * exception returns only.
 */
static void brbe_el_changed(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    struct ARMBRBE *own = cpu->vpmu->brbe;
    struct vpmu_brbe_pe after;

    if (likely(!env->pmu.brbe_enabled)) {
        return;
    }
    brbe_settle(cpu);
    after = brbe_pe_now(env);
    if (own->excepting) {
        brbe_take_exception(cpu, &after);
    } else if (extract32(own->pe.aarch32, own->pe.el, 1)) {
        vpmu_brbe_move(&own->brbe, &after);
    } else {
        vpmu_brbe_return(&own->brbe, &after, env->pmu.brbe_eret,
                         is_a64(env) ? env->pc : env->regs[15], brbe_now(cpu));
    }
    own->excepting = false;
    own->pe = after;
    brbe_follow(cpu);
}

/*
 * System registers
 */

static unsigned int brbe_reg_of(const ARMCPRegInfo *ri)
{
    return ri->resetvalue;
}

static CPAccessResult brbe_access(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    if (ri->opc1 >= 4 && arm_current_el(env) == 1) {
        /* FEAT_NV traps the access to EL2, after this function. */
        return CP_ACCESS_OK;
    }
    switch (vpmu_brbe_access(brbe_here(env_archcpu(env)), brbe_reg_of(ri),
                             !isread)) {
    case VPMU_ACCESS_OK:
        return CP_ACCESS_OK;
    case VPMU_ACCESS_TRAP_EL3:
        return CP_ACCESS_TRAP_EL3;
    default:
        return CP_ACCESS_UNDEFINED;
    }
}

static uint64_t brbe_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    uint64_t val;

    vpmu_brbe_read(brbe_here(env_archcpu(env)), brbe_reg_of(ri), &val);
    return val;
}

static void brbe_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t val)
{
    ARMCPU *cpu = env_archcpu(env);

    vpmu_brbe_write(brbe_here(cpu), brbe_reg_of(ri), val);
    brbe_follow(cpu);
}

static FGTBit brbe_fgt(unsigned int reg)
{
    switch (reg) {
    case VPMU_BRBCR_EL1:
    case VPMU_BRBFCR:
    case VPMU_BRBTS:
        return FGT_NBRBCTL;
    case VPMU_BRBIDR0:
        return FGT_NBRBIDR;
    case VPMU_BRB_IALL:
        return FGT_NBRBIALL;
    case VPMU_BRB_INJ:
        return FGT_NBRBINJ;
    case VPMU_BRBCR_EL2:
    case VPMU_BRBCR_EL12:
        return 0;
    default:
        return FGT_NBRBDATA;
    }
}

static void brbe_define_reg(ARMCPU *cpu, unsigned int reg)
{
    const struct vpmu_brbe_reg_info *info = vpmu_brbe_reg_info(reg);
    uint16_t enc = vpmu_brbe_reg_encoding(reg);
    unsigned int opc1 = extract32(enc, 11, 3);
    int rights = opc1 >= 4 ? PL2_RW : PL1_RW;
    ARMCPRegInfo ri = {
        .name = info->name,
        .state = ARM_CP_STATE_AA64,
        .opc0 = extract32(enc, 14, 2),
        .opc1 = opc1,
        .crn = extract32(enc, 7, 4),
        .crm = extract32(enc, 3, 4),
        .opc2 = extract32(enc, 0, 3),
        .type = ARM_CP_IO | ARM_CP_NO_RAW,
        .access = info->dir == VPMU_RO ? rights & (PL1_R | PL2_R | PL3_R)
                : info->dir == VPMU_WO ? rights & (PL1_W | PL2_W | PL3_W)
                : rights,
        .accessfn = brbe_access,
        .fgt = brbe_fgt(reg),
        .readfn = info->dir == VPMU_WO ? NULL : brbe_read,
        .writefn = info->dir == VPMU_RO ? NULL : brbe_write,
        .resetvalue = reg,
    };

    define_one_arm_cp_reg(cpu, &ri);
}

static void brbe_define_regs(ARMCPU *cpu)
{
    if (!cpu->vpmu->brbe) {
        return;
    }
    for (unsigned int reg = 0; reg < VPMU_BRBE_REG_COUNT; reg++) {
        brbe_define_reg(cpu, reg);
    }
}

/*
 * Creation and migration
 */

static bool brbe_realize(ARMCPU *cpu, Error **errp)
{
    CPUARMState *env = &cpu->env;
    struct vpmu_brbe_config config = {
        .version = cpu->pmu_config.brbe,
        .records = cpu->pmu_config.brbe_records,
        .has_el2 = arm_feature(env, ARM_FEATURE_EL2),
        .has_el3 = arm_feature(env, ARM_FEATURE_EL3),
    };
    const char *why;

    if (!config.version) {
        return true;
    }
    if (!arm_feature(env, ARM_FEATURE_AARCH64) || !tcg_enabled()) {
        error_setg(errp, "'brbe' needs a CPU with AArch64, emulated by TCG");
        return false;
    }
    cpu->vpmu->brbe = g_new0(struct ARMBRBE, 1);
    if (vpmu_brbe_init(&cpu->vpmu->brbe->brbe, &config, &why)) {
        error_setg(errp, "this CPU cannot have such a BRBE: %s", why);
        g_clear_pointer(&cpu->vpmu->brbe, g_free);
        return false;
    }
    cpu->vpmu->brbe->cpu = cpu;
    FIELD_DP64_IDREG(&cpu->isar, ID_AA64DFR0, BRBE, config.version);
    return true;
}

static void brbe_reset(ARMCPU *cpu)
{
    if (cpu->vpmu->brbe) {
        cpu->vpmu->stored.size = 0;
        brbe_here(cpu);
        vpmu_brbe_reset(&cpu->vpmu->brbe->brbe);
        cpu->vpmu->brbe->excepting = false;
        brbe_follow(cpu);
    }
}

void arm_brbe_save(ARMCPU *cpu, uint8_t *buf)
{
    struct ARMBRBE *own = cpu->vpmu->brbe;

    brbe_settle(cpu);
    vpmu_brbe_save(&own->brbe, buf, VPMU_BRBE_STATE_SIZE);
    stq_le_p(buf + VPMU_BRBE_STATE_SIZE, arm_branch_slots(cpu) + own->offset);
}

bool arm_brbe_load(ARMCPU *cpu, const uint8_t *buf, Error **errp)
{
    struct ARMBRBE *own = cpu->vpmu->brbe;
    const char *why;

    cpu->vpmu->stored.size = 0;
    brbe_here(cpu);
    if (vpmu_brbe_load(&own->brbe, buf, VPMU_BRBE_STATE_SIZE, &why)) {
        error_setg(errp, "BRBE of CPU %d: %s", CPU(cpu)->cpu_index, why);
        return false;
    }
    own->excepting = false;
    own->offset = ldq_le_p(buf + VPMU_BRBE_STATE_SIZE) - arm_branch_slots(cpu);
    brbe_follow(cpu);
    return true;
}

static void brbe_controls(ARMCPU *cpu, struct vpmu_arm_controls *controls)
{
    controls->brbe_freezers = brbe_freezers(cpu);
}

static void brbe_finalize(ARMCPU *cpu)
{
    g_clear_pointer(&cpu->vpmu->brbe, g_free);
}

const ARMPart arm_brbe_part = {
    .realize = brbe_realize,
    .finalize = brbe_finalize,
    .define_regs = brbe_define_regs,
    .reset = brbe_reset,
    .excepting = brbe_excepting,
    .el_changed = brbe_el_changed,
    .controlled = brbe_controlled,
    .events = brbe_events,
    .controls = brbe_controls,
};
